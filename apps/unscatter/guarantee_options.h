// The options that choose what is promised and how it is kept.  A value that is not given leaves the preset's.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter::cli {

struct GuaranteeArguments {
  std::string preset = "sound";
  std::optional<std::string> mechanism;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<std::string> protect;
  std::optional<std::size_t> per_subject;
  std::optional<double> ridge;
  std::optional<double> noise;  // release
  std::optional<double> alpha;  // objective
  std::optional<std::size_t> releases;
  std::optional<double> distance_limit;
  std::optional<std::string> bound;
  std::optional<std::string> removal;

  void add_to(CLI::App& command);
  // `base`, or the preset paper under a transform, with what was given in its place.  Errors: kInvalidArgument for an
  // option that does not belong to the mechanism.
  [[nodiscard]] Result<SessionOptions> options(const TransformSpec& transform, const SessionOptions& base = {}) const;

 private:
  [[nodiscard]] Status set_noise(SessionOptions& options, Mechanism was) const;
  [[nodiscard]] Status set_level(SessionOptions& options) const;
};

}  // namespace unscatter::cli
