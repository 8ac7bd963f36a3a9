#include "reembedding/secular_equation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unscatter/base/invariant.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using Eigen::Index;

// f relative to the sum of its terms' magnitudes, evaluated through the gaps.
double relative_residual(const Vector& w, const Matrix& gaps, Index root) {
  const Eigen::ArrayXd terms = w.array() / gaps.col(root).array();
  return std::abs(1 + terms.sum()) / (1 + terms.abs().sum());
}

TEST(SecularEquation, RootsAreExactUpToRoundingAndInterlace) {
  Sequence random(21);
  for (int trial = 0; trial < 300; ++trial) {
    const auto k = static_cast<Index>(1 + random.below(30));
    Vector d(k), w(k);
    double pole = -1;
    for (Index j = 0; j < k; ++j) {
      pole += std::pow(10.0, -14 * random.unit()) / static_cast<double>(k);
      d(j) = pole;
      w(j) = std::pow(10.0, -28 * random.unit());
    }
    const SecularRoots roots = solve_secular_equation(d, w);
    for (Index i = 0; i < k; ++i) {
      SCOPED_TRACE(::testing::Message() << "trial " << trial << " root " << i << " of " << k);
      EXPECT_LE(relative_residual(w, roots.gaps, i), 4e-16 * static_cast<double>(k + 3));
      for (Index j = 0; j < k; ++j) {
        EXPECT_GT((j <= i ? -1 : 1) * roots.gaps(j, i), 0);
      }
    }
  }
}

// Two poles have a closed form: d = {0, 1}, w = {a, a}: lambda^2 - (1 + 2a) lambda + a = 0.
TEST(SecularEquation, TwoPolesHaveAClosedForm) {
  for (const double a : {1e-20, 1e-8, 0.25, 1.0}) {
    const SecularRoots roots = solve_secular_equation(Vector::LinSpaced(2, 0, 1), Vector::Constant(2, a));
    const double large = 0.5 * (1 + 2 * a + std::sqrt(1 + 4 * a * a));
    EXPECT_NEAR(-roots.gaps(0, 0), a / large, 1e-15 * a);  // relative accuracy of the small root
    EXPECT_NEAR(roots.values(1), large, 1e-15 * large);
  }
}

TEST(SecularEquation, RefusesWeightsThatWereNotDeflated) {
  EXPECT_THROW((void)solve_secular_equation(Vector::LinSpaced(2, 0, 1), Vector::Zero(2)), InvariantViolation);
}

}  // namespace
}  // namespace unscatter
