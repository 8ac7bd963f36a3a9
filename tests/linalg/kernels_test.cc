#include "linalg/kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/random_rows.h"

namespace unscatter {
namespace {

std::vector<const kernel::Kernels*> every_kernel() {
  std::vector<const kernel::Kernels*> list = {&kernel::baseline_kernels()};
  if (kernel::avx2_kernels() != nullptr) list.push_back(kernel::avx2_kernels());
  return list;
}

TEST(Kernels, TheChosenOneIsTheFastestAtHand) { EXPECT_EQ(&kernel::kernels(), every_kernel().back()); }

TEST(Kernels, EveryVariantFactorisesToRounding) {
  for (const kernel::Kernels* kernels : every_kernel()) {
    SCOPED_TRACE(std::string(kernels->name));
    for (const std::size_t n : {1u, 2u, 7u, 33u, 130u}) {
      const Matrix B = testing::random_matrix(n, n, n);
      Matrix A = B * B.transpose();
      A.diagonal().array() += 1;
      Matrix L = A;
      L.triangularView<Eigen::StrictlyUpper>().setConstant(-7);  // not read, not written
      ASSERT_TRUE(kernels->cholesky(L.data(), L.rows()));
      const Matrix lower = L.triangularView<Eigen::Lower>();
      EXPECT_LE((lower * lower.transpose() - A).norm(), 1e-13 * A.norm());
      EXPECT_EQ(L(0, L.cols() - 1), n > 1 ? -7 : L(0, 0));
    }
    Matrix indefinite = Matrix::Identity(40, 40);
    indefinite(39, 39) = -1;
    EXPECT_FALSE(kernels->cholesky(indefinite.data(), indefinite.rows()));
  }
}

TEST(Kernels, EveryVariantAddsTheSquare) {
  for (const kernel::Kernels* kernels : every_kernel()) {
    SCOPED_TRACE(std::string(kernels->name));
    for (const std::size_t d : {1u, 5u, 64u, 131u}) {
      const RowMatrix P = testing::random_matrix(d, 17, d);
      Matrix C = Matrix::Ones(P.cols(), P.cols());
      kernels->add_square(C.data(), C.rows(), P.data(), P.rows());
      const Matrix expected = Matrix::Ones(P.cols(), P.cols()) + P.transpose() * P;
      const Matrix difference = (C - expected).triangularView<Eigen::Lower>();
      EXPECT_LE(difference.norm(), 1e-13 * expected.norm());
    }
  }
}

// Memory comes at addresses that no caller chooses.  A result that depended on them would differ from run to run, and
// between numbers of threads.
TEST(Kernels, ProductsDoNotDependOnWhereMemoryLies) {
  for (const kernel::Kernels* kernels : every_kernel()) {
    SCOPED_TRACE(std::string(kernels->name));
    for (const std::size_t n : {5u, 37u, 150u}) {
      const auto order = static_cast<Eigen::Index>(n);
      const Matrix A = testing::random_matrix(n, n, n);
      const Matrix X = testing::random_matrix(n + 1, n, 2);
      // Lower triangle or all of A, copied to the place `shift` of a larger piece of memory, times X.
      const auto product_at = [&](bool lower, std::size_t shift) {
        std::vector<double> memory(n * n + 4 * n + 16);
        double* place = memory.data() + shift;
        double* from = place + n * n;
        double* to = from + 2 * n;
        Eigen::Map<Matrix>(place, order, order) = A;
        Eigen::Map<Matrix>(from, order, 2) = X;
        if (lower) {
          kernels->multiply_lower(place, order, 0, 1, from, 2, to);
        } else {
          kernels->multiply(place, order, from, 2, to);
        }
        return Matrix(Eigen::Map<Matrix>(to, order, 2));
      };
      for (const std::size_t shift : {1u, 2u, 3u, 5u}) {
        EXPECT_EQ(product_at(true, shift), product_at(true, 0)) << n << " " << shift;
        EXPECT_EQ(product_at(false, shift), product_at(false, 0)) << n << " " << shift;
      }
    }
  }
}

TEST(Kernels, PartsOfALowerProductAddUpToTheWhole) {
  for (const kernel::Kernels* kernels : every_kernel()) {
    SCOPED_TRACE(std::string(kernels->name));
    for (const std::size_t n : {3u, 16u, 37u, 150u}) {
      const auto order = static_cast<Eigen::Index>(n);
      const Matrix B = testing::random_matrix(n, n, n);
      const Matrix A = B + B.transpose();
      const Matrix X = testing::random_matrix(n + 1, n, 3);
      const Matrix added = testing::random_matrix(n + 2, n, 2);
      const Matrix scaled = added * Eigen::Vector2d(0.5, -2).asDiagonal();
      Matrix lower = A.triangularView<Eigen::Lower>();
      Matrix changed = lower;
      Matrix product = Matrix::Zero(order, 3);
      Matrix product_of_changed = Matrix::Zero(order, 3);
      for (std::ptrdiff_t part = 0; part < 5; ++part) {
        Matrix share(order, 3);
        kernels->multiply_lower(lower.data(), order, part, 5, X.data(), 3, share.data());
        product += share;
        kernels->add_and_multiply_lower(changed.data(), order, part, 5, added.data(), scaled.data(), 2, X.data(), 3,
                                        share.data());
        product_of_changed += share;
      }
      EXPECT_LE((product - A * X).norm(), 1e-13 * A.norm() * X.norm());
      const Matrix sum = A + added * scaled.transpose();
      EXPECT_LE((product_of_changed - sum * X).norm(), 1e-13 * sum.norm() * X.norm());
      EXPECT_LE((changed - Matrix(sum.triangularView<Eigen::Lower>())).norm(), 1e-13 * sum.norm());
    }
  }
}

TEST(Kernels, ManyColumnsAreAddedToTheLowerTriangleAlone) {
  for (const kernel::Kernels* kernels : every_kernel()) {
    SCOPED_TRACE(std::string(kernels->name));
    const Matrix X = testing::random_matrix(1, 37, 9);
    const Matrix Y = X * Vector::LinSpaced(9, -2, 3).asDiagonal();
    Matrix A = Matrix::Zero(37, 37);
    kernels->add_product_lower(A.data(), 37, 0, 20, X.data(), Y.data(), 9);
    kernels->add_product_lower(A.data(), 37, 20, 37, X.data(), Y.data(), 9);
    const Matrix expected = (X * Y.transpose()).triangularView<Eigen::Lower>();
    EXPECT_LE((A - expected).norm(), 1e-13 * expected.norm());
    EXPECT_EQ(Matrix(A.triangularView<Eigen::StrictlyUpper>()), Matrix::Zero(37, 37));
  }
}

TEST(Kernels, FullRowsInSinglePrecisionGoThroughBothProducts) {
  for (const kernel::Kernels* kernels : every_kernel()) {
    SCOPED_TRACE(std::string(kernels->name));
    for (const std::size_t stride : {8U, 48U}) {
      for (const std::size_t columns : {1U, 2U, 3U, 7U}) {
        constexpr std::size_t kCount = 11;
        const auto random = [](std::uint64_t seed, std::size_t rows, std::size_t count) {
          return Eigen::MatrixXf(testing::random_matrix(seed, rows, count).cast<float>());
        };
        const auto height = static_cast<Eigen::Index>(stride);
        const auto width = static_cast<Eigen::Index>(columns);
        const Eigen::MatrixXf rows = random(1, stride, kCount);  // a row is a column of this
        const Eigen::MatrixXf X = random(2, stride, columns);
        const Eigen::MatrixXf factors = random(3, kCount, columns);
        Eigen::MatrixXf out(kCount, width);
        kernels->single_row_products(rows.data(), kCount, stride, X.data(), columns, out.data(), kCount);
        const Matrix product = rows.cast<double>().transpose() * X.cast<double>();
        EXPECT_LE((out.cast<double>() - product).norm(), 1e-5 * rows.norm() * X.norm());
        Eigen::MatrixXf S = Eigen::MatrixXf::Ones(height, width);
        kernels->add_single_rows(rows.data(), kCount, stride, factors.data(), kCount, columns, S.data());
        const Matrix sum = Matrix::Ones(height, width) + rows.cast<double>() * factors.cast<double>();
        EXPECT_LE((S.cast<double>() - sum).norm(), 1e-5 * sum.norm());
        // An entry does not depend on what goes through beside it.
        Eigen::MatrixXf alone(kCount, 1);
        kernels->single_row_products(rows.data(), kCount, stride, X.col(width - 1).data(), 1, alone.data(), kCount);
        EXPECT_EQ(alone, out.rightCols(1));
        Eigen::MatrixXf one_row(1, width);
        kernels->single_row_products(rows.col(2).data(), 1, stride, X.data(), columns, one_row.data(), 1);
        EXPECT_EQ(one_row, out.row(2));
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
