// What was promised, what holds, and on what it rests.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
  kFast,    // one step with the kept factor; the residual is bounded without looking at other graphs
  kExact,   // the same step; the residual is evaluated on all graphs
  kNewton,  // one or more Newton steps, with new or with kept inverse Hessians.  At their end the residual is evaluated
            // on all graphs, or bounded where a bound other than kExact was chosen.
  kRetrain,  // training from scratch; the residual is evaluated
};
// All rungs in the ladder's order, with the names that files and reports use.  A new rung needs a line here.
inline constexpr std::array kRungs = {
    std::pair{Rung::kFast, std::string_view("fast")}, std::pair{Rung::kExact, std::string_view("exact")},
    std::pair{Rung::kNewton, std::string_view("newton")}, std::pair{Rung::kRetrain, std::string_view("retrain")}};

[[nodiscard]] std::string_view name(ResidualBound bound);
[[nodiscard]] std::string_view name(Rung rung);
// The inverse, by those names.  Errors: kInvalidArgument.
[[nodiscard]] Result<ResidualBound> parse_residual_bound(std::string_view text);
[[nodiscard]] Result<Rung> parse_rung(std::string_view text);

// How many updates ended on each rung.
class RungCounts {
 public:
  void count(Rung rung) { ++(*this)[rung]; }
  [[nodiscard]] std::size_t& operator[](Rung rung) { return counts_.at(static_cast<std::size_t>(rung)); }
  [[nodiscard]] std::size_t operator[](Rung rung) const { return counts_.at(static_cast<std::size_t>(rung)); }
  [[nodiscard]] std::size_t total() const noexcept;
  friend bool operator==(const RungCounts&, const RungCounts&) = default;

 private:
  std::array<std::size_t, kRungs.size()> counts_{};
};
// `object` with every count under its rung's name: what a JSON document shows.
template <typename Object>
[[nodiscard]] Object counts_by_name(const RungCounts& counts, Object object = {}) {
  for (const auto& [rung, text] : kRungs) object[std::string(text)] = counts[rung];
  return object;
}

// Upper bounds on the joint residual |U|_F = sqrt(sum_k |u_k|^2) after an update, where they were computed.  Each holds
// on its own.  The order is exact <= tight <= data <= worst, under the conditions that docs/theory.md states.
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
  // Newton steps that the update took on the rung kNewton, with new or with kept inverse Hessians.  Steps inside of a
  // training from scratch are not counted.
  std::size_t newton_steps = 0;
};

// |U|_F as it is found to be: between the two.
struct EvaluatedResidual {
  double lower_bound = 0;
  double upper_bound = 0;
  bool satisfied = false;  // the upper bound meets the guarantee
};

// The epsilon that one published model reaches at the certificate's delta.  Errs high.  For the paper rule too: it says
// what the residuals of that rule really give, for all classes together.
[[nodiscard]] Result<double> epsilon_upper_bound(const Certificate& certificate);

}  // namespace unscatter
