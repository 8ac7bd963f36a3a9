// The budget rule of the paper, kept to reproduce its results.  New code compares the joint residual with
// largest_shift_lower_bound() (unscatter/privacy/gaussian_profile.h), which allows more and covers all classes at once.
#pragma once

#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {

// The residual norm beyond which the paper retrains, per class:
//
//   alpha epsilon / sqrt(2 log(1.5 / delta))          alpha = noise_stddev     [Guo20, Thm. 3], [Pan23, Sec. 4]
//
// It is 0.0228 for alpha = 0.1, epsilon = 1, delta = 1e-4.  The returned value errs low.
//
// What it does not cover.  The rule is a theorem for epsilon <= 1 and for ONE weight vector.  With K classes all K
// vectors are published together, so the shift of the joint release is sqrt(sum_k |u_k|^2) / alpha.  Comparing every
// |u_k| with the budget lets this grow to sqrt(K) budgets.  The paper's public program compares sum_k |u_k| with K
// times the budget.  That lets it grow to K budgets if one class takes everything.  At K = 10 and the numbers above,
// the epsilon that really holds is then 10.5 instead of 1 (tests/privacy/classical_rule_test.cc).
//
// Errors: kInvalidArgument outside the ranges of RemovalGuarantee, or unless noise_stddev is finite and > 0.
[[nodiscard]] Result<double> classical_budget_lower_bound(const RemovalGuarantee& guarantee, double noise_stddev);

}  // namespace unscatter
