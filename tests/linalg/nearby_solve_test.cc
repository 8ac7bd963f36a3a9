#include "linalg/nearby_solve.h"

#include <gtest/gtest.h>

#include "linalg/cholesky.h"
#include "linalg/row_products.h"
#include "support/random_rows.h"

namespace unscatter {
namespace {

// A Hessian in both forms, and the same a little later: some rows replaced, one emptied, curvatures moved, the ridge
// smaller.
struct NearbyCase {
  SparseBlockRows rows;
  Vector curvature;
  double ridge = 0;
  Matrix primal_factor;  // of the earlier Hessian
  Matrix dual_factor;
};

Matrix dual_matrix(const SparseBlockRows& Z, const Vector& curvature, double ridge) {
  const Vector root = curvature.cwiseSqrt();
  Matrix M = root.asDiagonal() * gram(Z) * root.asDiagonal();
  M.diagonal().array() += ridge;
  return M;
}

Matrix primal_matrix(const SparseBlockRows& Z, const Vector& curvature, double ridge) {
  Matrix H = weighted_square(Z, curvature);
  H.diagonal().array() += ridge;
  return H;
}

NearbyCase nearby_case(std::uint64_t seed, std::size_t n, std::size_t d, std::size_t edits) {
  NearbyCase c;
  c.rows = testing::random_rows(seed, {.rows = n, .columns = d, .row_norm = 2}).rows;
  c.curvature = testing::random_matrix(seed + 1, n, 1).col(0).cwiseAbs() / 4;
  c.ridge = 0.05;
  c.primal_factor = primal_matrix(c.rows, c.curvature, c.ridge);
  c.dual_factor = dual_matrix(c.rows, c.curvature, c.ridge);
  EXPECT_TRUE(cholesky_in_place(c.primal_factor));
  EXPECT_TRUE(cholesky_in_place(c.dual_factor));
  for (std::size_t e = 0; e < edits; ++e) {
    c.rows.set_row(e, e == 0 ? BlockRow{} : testing::random_row(seed + 10 + e, d, 0.5, 2));
    c.curvature(static_cast<Eigen::Index>(e)) = 0.2;
  }
  c.curvature *= 1.001;
  c.ridge *= 0.999;
  return c;
}

double relative_defect(const NearbyCase& c, const Vector& x, const Vector& b) {
  return (primal_matrix(c.rows, c.curvature, c.ridge) * x - b).norm() / b.norm();
}

TEST(NearbySolve, AFewIterationsWithAnOldFactorSolveTheNewSystem) {
  for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{40, 90}, {90, 40}, {60, 60}}) {
    for (const std::size_t edits : {1u, 3u}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const NearbyCase c = nearby_case(seed, n, d, edits);
        const Vector b = testing::random_matrix(seed + 2, d, 1);
        const auto primal = nearby_primal_solve(c.primal_factor, c.rows, c.curvature, c.ridge, b);
        ASSERT_TRUE(primal.has_value());
        EXPECT_LE(relative_defect(c, primal->x, b), 1e-11);
        EXPECT_LE(primal->iterations, 2 * edits + 8);
        const auto dual = nearby_dual_solve(c.dual_factor, c.rows, gram(c.rows), c.curvature, c.ridge, b);
        ASSERT_TRUE(dual.has_value());
        EXPECT_LE(relative_defect(c, dual->x, b), 1e-9);  // the dual form divides a difference by the ridge
        EXPECT_LE(dual->iterations, 2 * edits + 8);
      }
    }
  }
}

TEST(NearbySolve, AnExactFactorNeedsOneOrTwo) {
  const NearbyCase c = nearby_case(3, 30, 50, 2);
  Matrix factor = dual_matrix(c.rows, c.curvature, c.ridge);
  ASSERT_TRUE(cholesky_in_place(factor));
  const Vector b = testing::random_matrix(4, 50, 1);
  EXPECT_LE(nearby_dual_solve(factor, c.rows, gram(c.rows), c.curvature, c.ridge, b)->iterations, 2u);
  EXPECT_EQ(nearby_dual_solve(factor, c.rows, gram(c.rows), c.curvature, c.ridge, Vector::Zero(50))->x,
            Vector::Zero(50));
}

// A factor of something else is noticed: no answer, instead of a wrong one.
TEST(NearbySolve, AFactorFromFarAwayGivesNothing) {
  const NearbyCase c = nearby_case(5, 80, 120, 1);
  const Matrix identity = Matrix::Identity(80, 80);
  NearbyCase harder = c;
  harder.ridge = 1e-9;
  const Vector b = testing::random_matrix(6, 120, 1);
  EXPECT_FALSE(
      nearby_dual_solve(identity, harder.rows, gram(harder.rows), harder.curvature, harder.ridge, b).has_value());
  EXPECT_FALSE(
      nearby_primal_solve(Matrix::Identity(120, 120), harder.rows, harder.curvature, harder.ridge, b).has_value());
}

}  // namespace
}  // namespace unscatter
