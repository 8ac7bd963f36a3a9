#include "linalg/fixed_scores.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "linalg/row_products.h"
#include "support/random_rows.h"

namespace unscatter {
namespace {

using testing::random_rows;

// One coordinate after the other, as the header says: equal to the last bit.
TEST(FixedScores, AreSumsInTheOrderOfCoordinates) {
  for (const bool bias : {false, true}) {
    const testing::LabelledRows all = random_rows(7, {.rows = 60, .columns = 33, .classes = 4});
    const Matrix weights = Matrix::Random(33 + (bias ? 1 : 0), 4);
    const FixedScores scores(weights, bias);
    ASSERT_EQ(scores.classes(), 4u);
    ASSERT_EQ(scores.columns(), 33u);
    const FixedScores copied(scores.weights(), scores.bias());
    const Matrix products = product(all.rows, weights.topRows(33));
    std::vector<double> dense(33);
    std::vector<double> found(4);
    std::vector<double> found_by_copy(4);
    for (std::size_t i = 0; i < all.rows.rows(); ++i) {
      scores.of(all.rows.row(i), found);
      copied.of(all.rows.row(i), found_by_copy);
      EXPECT_EQ(found, found_by_copy);
      all.rows.copy_row(i, dense);
      for (Eigen::Index k = 0; k < 4; ++k) {
        double expected = 0;
        for (Eigen::Index j = 0; j < 33; ++j) {
          const double term = dense[static_cast<std::size_t>(j)] * weights(j, k);
          expected += term;
        }
        EXPECT_NEAR(expected, products(static_cast<Eigen::Index>(i), k), 1e-12);
        if (bias) expected += weights(33, k);
        EXPECT_EQ(found[static_cast<std::size_t>(k)], expected);
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
