#include "learn/row_square.h"

#include <gtest/gtest.h>

#include "support/exact_spectrum.h"
#include "support/random_rows.h"

namespace unscatter {
namespace {

using testing::random_row;

double true_norm(const SparseBlockRows& rows) {
  return static_cast<double>(testing::largest_singular_value(rows.to_dense()));
}

// Above the true norm after every change, and not far above.
TEST(RowSquare, BoundsTheNormWhileRowsChange) {
  constexpr std::size_t kRows = 60;
  constexpr std::size_t kColumns = 12;
  SparseBlockRows rows(0, kColumns);
  for (std::size_t i = 0; i < kRows; ++i) rows.append_row(random_row(i, kColumns, 0.7, 2));
  RowSquare square(rows);
  for (std::size_t step = 0; step < 150; ++step) {
    const std::size_t i = (7 * step) % kRows;
    // Large rows come and go, graphs are removed, and the norm falls again.
    BlockRow row = step % 5 == 4 ? BlockRow{} : random_row(1000 + step, kColumns, 0.7, step % 11 == 3 ? 1e4 : 2);
    rows.swap_row(i, row);
    square.replace_row(row, rows.row(i));
    const double norm = true_norm(rows);
    ASSERT_GE(square.spectral_norm_upper_bound(), norm * (1 - 1e-14)) << step;
    ASSERT_LE(square.spectral_norm_upper_bound(), 1.01 * norm) << step;
  }
  EXPECT_EQ(square.changes(), 150U);
}

// The planted fault: a change that C is not told of shows.
TEST(RowSquare, AChangeThatWasForgottenShows) {
  SparseBlockRows rows(0, 5);
  for (std::size_t i = 0; i < 10; ++i) rows.append_row(random_row(i, 5, 1, 1));
  const RowSquare square(rows);
  BlockRow large = random_row(99, 5, 1, 100);
  rows.swap_row(3, large);
  EXPECT_LT(square.spectral_norm_upper_bound(), true_norm(rows));
}

}  // namespace
}  // namespace unscatter
