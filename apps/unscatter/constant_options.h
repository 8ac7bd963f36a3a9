// The options that say where constants come from (docs/constants.md), for subcommands that train or embed.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter::cli {

struct ConstantArguments {
  std::string fit;  // empty: the preset's own
  std::string public_data;
  double public_share = 0;
  std::vector<std::string> classes;

  void add_fit_to(CLI::App& command);
  // All of them.
  void add_to(CLI::App& command);
  // Errors: kInvalidArgument for options that do not go together.
  [[nodiscard]] Status check() const;
  // The data set of --public-data, if one is named.
  [[nodiscard]] Result<std::optional<Dataset>> read_public(const ReadOptions& how) const;
  // `usual`: the kind without --fit.  `public_part`: what is declared public, or null.
  [[nodiscard]] FitSource source(ConstantKind usual, const Dataset* public_part) const;
  // Puts the classes into `dataset`, and into `options` where they come from.  Errors: kInvalidArgument if a graph has
  // a class that is not among them.
  [[nodiscard]] Status set_classes(Dataset& dataset, const Dataset* public_part, SessionOptions& options) const;
};

}  // namespace unscatter::cli
