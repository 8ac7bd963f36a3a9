#include "linalg/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <limits>

#include "unscatter/base/random.h"

namespace unscatter {
namespace {

TEST(SymmetricEigen, RebuildsTheMatrixWithOrthonormalVectors) {
  Sequence random(5);
  for (const Eigen::Index n : {1, 2, 7, 30}) {
    Matrix A(n, n);
    for (double& entry : A.reshaped()) entry = 2 * random.unit() - 1;
    A = Matrix(0.5 * (A + A.transpose()));
    const SymmetricEigen eigen = symmetric_eigen(A).value();
    EXPECT_LE((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - A).norm(),
              1e-13 * static_cast<double>(n));
    EXPECT_LE((eigen.vectors.transpose() * eigen.vectors - Matrix::Identity(n, n)).norm(),
              1e-13 * static_cast<double>(n));
    for (Eigen::Index k = 1; k < n; ++k) EXPECT_LE(eigen.values(k - 1), eigen.values(k));
  }
}

TEST(SymmetricEigen, SignsDoNotDependOnTheSolver) {
  Matrix V(3, 2);
  V << -0.5, 0.1, 0.5 + 1e-12, -0.9, 0.1, 0.2;
  Matrix flipped = -V;
  fix_signs(V);
  fix_signs(flipped);
  EXPECT_EQ(V, flipped);
  EXPECT_GT(V(0, 0), 0);  // within 1e-9 of the largest, and first
  EXPECT_GT(V(1, 1), 0);
}

TEST(SymmetricEigen, RefusesWhatItCannotDecompose) {
  EXPECT_EQ(symmetric_eigen(Matrix(2, 3)).error().code, ErrorCode::kInvalidArgument);
  Matrix bad = Matrix::Identity(2, 2);
  bad(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(symmetric_eigen(bad).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
