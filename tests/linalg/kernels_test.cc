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
        (lower ? kernels->multiply_lower : kernels->multiply)(place, order, from, 2, to);
        return Matrix(Eigen::Map<Matrix>(to, order, 2));
      };
      for (const std::size_t shift : {1u, 2u, 3u, 5u}) {
        EXPECT_EQ(product_at(true, shift), product_at(true, 0)) << n << " " << shift;
        EXPECT_EQ(product_at(false, shift), product_at(false, 0)) << n << " " << shift;
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
