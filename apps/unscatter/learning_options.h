// The options for how a model is fitted.  An option that is not given leaves the default of the library or of the
// preset.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "unscatter/base/result.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter::cli {

struct LearningArguments {
  std::optional<std::string> loss;
  std::optional<double> regularisation;
  std::optional<std::string> optimizer;
  bool bias = false;

  void add_to(CLI::App& command);
  // Sets what was given.  Errors: kInvalidArgument.
  [[nodiscard]] Status apply(SessionOptions& options) const;
};

}  // namespace unscatter::cli
