// When a residual is small enough.
#pragma once

#include <cstddef>
#include <optional>

#include "privacy/grid_noise.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// |U|_F of residual bounds, one per class.  Errs high.  Infinite if one of them is not a number.
[[nodiscard]] double joint_norm(const Vector& residuals);

// How many weights the grid is charged for.  Where constants follow the data: a power of two that is no smaller.
[[nodiscard]] std::size_t charged_weights(const SessionOptions& options, std::size_t weights);

// What residual bounds, one per class, mean under the session's mechanism.  All values err high.
struct Assessment {
  bool satisfied = false;
  double residual = 0;  // |U|_F
  double distance = 0;  // S = |U|_F / ridge
  double shift = 0;     // mu: against retraining, or against the same data without one subject (level everyone)
  double usage = 0;     // the share of the limit that is used: <= 1 if satisfied
};

class Limit {
 public:
  // weights: width times classes.  Under level everyone the noise is derived here, and options() tells it.  Errors:
  // kInvalidArgument (options); kLimitExceeded (delta is below what publishing on a grid costs).
  [[nodiscard]] static Result<Limit> create(const SessionOptions& options, std::size_t weights, std::size_t classes);

  // ridge = lambda n > 0; weight_norm = |W|_F.
  [[nodiscard]] Assessment assess(const Vector& residuals, double ridge, double weight_norm) const;
  // The largest joint residual, spread evenly over `classes`, that assess() accepts, to a few digits.  Something to aim
  // below.  0 if it accepts none, which happens where the grid alone takes the whole shift.
  [[nodiscard]] double residual_limit(double ridge, double weight_norm, std::size_t classes) const;
  // mu of one release, at most.
  [[nodiscard]] double shift_limit() const noexcept { return shift_limit_; }
  // As given, with the noise that level everyone needs.
  [[nodiscard]] const SessionOptions& options() const noexcept { return options_; }
  // What follows from meeting the limit.
  [[nodiscard]] const Promise& promise() const noexcept { return promise_; }
  // Of the release mechanism.
  [[nodiscard]] const std::optional<GridNoise>& grid() const noexcept { return grid_; }

 private:
  Limit() = default;

  // Release mechanism: mu of one release of kept weights that are `distance` from their optimum.
  [[nodiscard]] double shift_of(double distance) const;
  // Level everyone: how far from their optimum the noise leaves room for kept weights to be.
  [[nodiscard]] double spare_distance() const;

  SessionOptions options_;
  std::size_t weights_ = 0;  // that are published with noise of their own
  std::optional<GridNoise> grid_;
  Promise promise_;
  double shift_limit_ = 0;       // of one release
  double classical_budget_ = 0;  // paper rule: K times the budget
};

}  // namespace unscatter
