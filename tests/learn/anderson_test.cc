#include "learn/anderson.h"

#include <gtest/gtest.h>

#include "support/random_rows.h"

namespace unscatter {
namespace {

// x -> x + f(x) with f(x) = b - A x contracts by q in every direction; plain iteration gains a factor 1/q a step.
struct Contraction {
  Matrix matrix;
  Vector b;
  [[nodiscard]] Vector residual(const Vector& x) const { return b - matrix * x; }
};

Contraction contraction(Eigen::Index n, std::size_t slow_directions, double q) {
  Contraction result{Matrix::Identity(n, n), testing::random_matrix(1, static_cast<std::size_t>(n), 1).col(0)};
  for (std::size_t j = 0; j < slow_directions; ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    result.matrix(i, i) = 1 - q * (1 + static_cast<double>(j)) / static_cast<double>(slow_directions);
  }
  return result;
}

double error_after(const Contraction& problem, std::size_t steps, bool mixed) {
  AndersonMixing mixing;
  Vector x = Vector::Zero(problem.b.size());
  for (std::size_t s = 0; s < steps; ++s) {
    const Vector f = problem.residual(x);
    x = mixed ? mixing.next(x, f) : Vector(x + f);
  }
  return problem.residual(x).norm();
}

// With no more slow directions than it remembers, mixing ends like conjugate gradients: at the solution.
TEST(AndersonMixing, SolvesALinearProblemWithFewSlowDirections) {
  const Contraction problem = contraction(40, 4, 0.6);
  EXPECT_LE(error_after(problem, 7, true), 1e-9);
  EXPECT_GE(error_after(problem, 7, false), 1e-4);
}

TEST(AndersonMixing, FirstStepIsThePlainOne) {
  AndersonMixing mixing;
  const Vector x = Vector::Constant(3, 1.5);
  const Vector f = Vector::Constant(3, -0.25);
  EXPECT_EQ(mixing.next(x, f), Vector(x + f));
}

// A repeated point has differences that are all zero: nothing to divide by, nothing that is not finite.
TEST(AndersonMixing, SurvivesAPointThatDoesNotMove) {
  AndersonMixing mixing;
  const Vector x = Vector::Ones(4);
  const Vector f = Vector::Constant(4, 1e-3);
  (void)mixing.next(x, f);
  for (int repeat = 0; repeat < 8; ++repeat) EXPECT_TRUE(mixing.next(x, f).allFinite());
}

}  // namespace
}  // namespace unscatter
