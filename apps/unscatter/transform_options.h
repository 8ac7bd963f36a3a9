// The options for features and transform.  They are the same for every subcommand that embeds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "unscatter/base/result.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter::cli {

struct TransformArguments {
  std::string features = "auto";
  std::string op;        // empty: the family's own
  std::string method;    // empty: automatic
  std::string row_norm;  // empty: that of `chosen`
  TransformSpec chosen;

  void add_to(CLI::App& command);
  // Errors: kInvalidArgument for a combination that makes no sense.
  [[nodiscard]] Result<TransformSpec> spec() const;
};

}  // namespace unscatter::cli
