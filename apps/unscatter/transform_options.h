// The options for features and transform.  They are the same for every subcommand that embeds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter::cli {

struct TransformArguments {
  std::string features;   // empty: the family's own
  std::string op;         // empty: the family's own
  std::string method;     // empty: automatic
  std::string row_norm;   // empty: that of `chosen`
  std::string embedding;  // empty: by --transform
  TransformSpec chosen = default_transform();
  const CLI::Option* family = nullptr;                 // --transform
  const CLI::Option* recipe = nullptr;                 // --embedding
  std::vector<const CLI::Option*> scattering_options;  // those that only make sense with wavelets or moments

  void add_to(CLI::App& command);
  // Errors: kInvalidArgument for a combination that makes no sense.
  [[nodiscard]] Result<TransformSpec> spec() const;
  // Were parts and weights written down, instead of a name?
  [[nodiscard]] bool states_recipe() const;
  // --features; if it is not given, those that go with the family.
  [[nodiscard]] std::string features_for(const TransformSpec& spec) const;
};

}  // namespace unscatter::cli
