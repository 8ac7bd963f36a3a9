// What was promised, what holds, and on what it rests.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/unlearn/promise.h"

namespace unscatter {

// The bounds on the gradient residual, from loose to exact (docs/theory.md, "Four bounds").
enum class ResidualBound {
  kWorst,  // [Pan23, Thm. 4.3, 4.4, Cor. 4.5, 4.6]
  kData,   // [Pan23, Thm. 4.7]
  kTight,  // the Taylor remainder with sharp constants
  kExact,  // the residual itself, evaluated
  kDrift,  // what the fast rung adds to the last evaluated residual; never chosen, only reported
};

// The ladder: how much work a removal needed.
enum class Rung {
  kFast,     // step with the kept factor, residual bounded without looking at other graphs
  kExact,    // the same step, residual evaluated on all graphs
  kNewton,   // new Hessian, one or more Newton steps, residual evaluated
  kRetrain,  // from scratch
};

[[nodiscard]] std::string_view name(ResidualBound bound);
[[nodiscard]] std::string_view name(Rung rung);
// The inverse, by those names.  Errors: kInvalidArgument.
[[nodiscard]] Result<ResidualBound> parse_residual_bound(std::string_view text);
[[nodiscard]] Result<Rung> parse_rung(std::string_view text);

struct RungCounts {
  std::size_t fast = 0;
  std::size_t exact = 0;
  std::size_t newton = 0;
  std::size_t retrain = 0;

  void count(Rung rung);
  [[nodiscard]] std::size_t total() const noexcept { return fast + exact + newton + retrain; }
  friend bool operator==(const RungCounts&, const RungCounts&) = default;
};

// Upper bounds on the joint residual |U|_F = sqrt(sum_k |u_k|^2) after an update, where they were computed.  Each holds
// on its own; exact <= tight <= data <= worst, under the conditions that docs/theory.md states.
struct ResidualBounds {
  std::optional<double> worst;
  std::optional<double> data;
  std::optional<double> tight;
  std::optional<double> exact;
};

// A record starts as a failure.  Every number errs on the safe side.
struct Certificate {
  bool satisfied = false;
  Promise promise;
  std::size_t graphs = 0;  // left to learn from

  ResidualBound binding = ResidualBound::kExact;  // the bound that `residual_upper_bound` is
  double residual_upper_bound = 0;  // |U|_F of the kept weights on the data that is left, training residual included
  double distance_upper_bound = 0;  // S: how far the kept weights are from the retrained ones, |U|_F / (lambda n)
  double shift_upper_bound = 0;     // mu of one published model; (epsilon, delta) follow from it

  ResidualBounds bounds;       // of this update, beside the binding one
  Rung rung = Rung::kRetrain;  // where the ladder ended
  // Newton steps with a new Hessian; those inside a training from scratch are not counted.
  std::size_t newton_steps = 0;
};

// |U|_F as it is found to be: between the two.
struct EvaluatedResidual {
  double lower_bound = 0;
  double upper_bound = 0;
  bool satisfied = false;  // the upper bound meets the guarantee
};

// The epsilon that one published model reaches at the certificate's delta; errs high.  For the paper rule too: it says
// what that rule's residuals really give, for all classes together.
[[nodiscard]] Result<double> epsilon_upper_bound(const Certificate& certificate);

}  // namespace unscatter
