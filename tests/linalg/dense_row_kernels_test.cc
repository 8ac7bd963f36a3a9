#include "linalg/dense_row_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random_rows.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {
namespace {

std::vector<const kernel::DenseRowKernels*> dense_variants() {
  std::vector<const kernel::DenseRowKernels*> list = {&kernel::baseline_dense_row_kernels()};
  if (kernel::avx2_dense_row_kernels() != nullptr) list.push_back(kernel::avx2_dense_row_kernels());
  return list;
}

TEST(DenseRowKernels, ProductsAndSumsAreThoseOfTheRows) {
  for (const kernel::DenseRowKernels* variant : dense_variants()) {
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 16U}) {
      for (const std::size_t width : {0U, 8U, 24U, 104U}) {
        SCOPED_TRACE(::testing::Message() << variant->name << ", " << count << " rows of " << width);
        const Matrix columns = testing::random_matrix(1, width, count);  // one row after the other, as they lie
        const Vector x = testing::random_matrix(2, width, 1);
        const Vector factors = testing::random_matrix(3, count, 1);
        const Vector before = testing::random_matrix(4, width, 1);
        Vector out = Vector::Constant(static_cast<Eigen::Index>(count), 7);
        Vector sums = before;
        variant->products(columns.data(), count, width, x.data(), out.data());
        variant->add(columns.data(), count, width, factors.data(), sums.data());
        EXPECT_LE((out - columns.transpose() * x).norm(), 1e-12 * (1 + columns.norm() * x.norm()));
        EXPECT_LE((sums - before - columns * factors).norm(), 1e-12 * (1 + columns.norm() * factors.norm()));
      }
    }
  }
}

TEST(DenseRowKernels, ARowDoesNotDependOnItsNeighbours) {
  for (const kernel::DenseRowKernels* variant : dense_variants()) {
    constexpr std::size_t kRows = 7;
    constexpr std::size_t kWide = 40;
    const Matrix columns = testing::random_matrix(5, kWide, kRows);
    const Vector x = testing::random_matrix(6, kWide, 1);
    Vector together(kRows);
    variant->products(columns.data(), kRows, kWide, x.data(), together.data());
    for (Eigen::Index r = 0; r < static_cast<Eigen::Index>(kRows); ++r) {
      double alone = 0;
      variant->products(columns.col(r).data(), 1, kWide, x.data(), &alone);
      EXPECT_EQ(alone, together(r)) << variant->name;
    }
  }
}

}  // namespace
}  // namespace unscatter
