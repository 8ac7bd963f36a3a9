// Training: the minimum of every class's objective, to a stated gradient norm.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

enum class Optimizer {
  kNewton,  // Newton with line search, in primal or dual form: a dozen or two steps, most of them with kept inverses
  kLbfgs,   // LBFGS++, the paper's choice
};
// "newton" or "lbfgs".
[[nodiscard]] std::string_view name(Optimizer optimizer);
// The inverse.  Errors: kInvalidArgument.
[[nodiscard]] Result<Optimizer> parse_optimizer(std::string_view text);

// Two forms of the Newton system of n rows with d columns.
enum class HessianForm {
  kPrimal,  // a d x d matrix, Z^T D Z + ridge I
  kDual,    // an n x n matrix, ridge I + sqrt(D) Z Z^T sqrt(D)
};

struct TrainOptions {
  Optimizer optimizer = Optimizer::kNewton;
  // The largest |gradient| of a class at the end.  Default: 1e-12 sum_i |z_i|.  This is 1e-12 of the largest gradient
  // that bounded slopes allow, and well above its rounding errors.
  std::optional<double> gradient_tolerance = {};
  std::size_t max_iterations = 0;        // 0: 200 for Newton, 20000 for L-BFGS
  std::optional<HessianForm> form = {};  // default: the cheaper one
  Progress* progress = nullptr;
};

struct TrainedWeights {
  Matrix weights;                       // width x K
  Vector gradient_norms;                // computed, one per class, each <= the tolerance
  std::vector<std::size_t> iterations;  // one per class
};

// From weights 0, or from `start`.  Errors: kInvalidArgument (no row with values, start of the wrong size, numbers that
// are not finite); kNotConverged, naming the class and the norm reached.  A result that is not at the tolerance is
// never returned.  Without a ridge, kNotConverged is also the answer where no minimum exists: the logistic loss of
// separable data.  A class without a single graph is fitted like any other (all signs are -1).  Its scores are low
// everywhere.
[[nodiscard]] Result<TrainedWeights> train(const Objective& objective, const TrainOptions& options = {});
[[nodiscard]] Result<TrainedWeights> train(const Objective& objective, const Matrix& start,
                                           const TrainOptions& options = {});

// The default of gradient_tolerance.
[[nodiscard]] double default_gradient_tolerance(const SparseBlockRows& rows);

}  // namespace unscatter
