#include "learn/squared_path.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random_rows.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

struct PathCase {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
};

PathCase path_case(std::size_t count, std::size_t columns) {
  PathCase made{SparseBlockRows(0, columns), {}};
  for (std::size_t i = 0; i < count; ++i) {
    made.rows.append_row(testing::random_row(i, columns, 0.7, 1));
    made.labels.push_back(static_cast<std::uint32_t>(i * i % 3));
  }
  return made;
}

// Newton's method, which knows nothing of this path, finds the same minimum in both forms.
TEST(SquaredPath, FindsTheMinimumOfTheObjectiveAtEveryRidge) {
  for (const auto& [count, columns] : {std::pair<std::size_t, std::size_t>{40, 11}, {11, 40}}) {
    const PathCase made = path_case(count, columns);
    const SquaredPath path(made.rows, made.labels, 3);
    for (const double ridge : {1e-3, 1e-1, 10.0}) {
      const Matrix weights = path.weights(ridge).value();
      const Objective objective(made.rows, made.labels, 3, Loss::squared(), ridge);
      const Matrix trained = train(objective).value().weights;
      EXPECT_LE((weights - trained).norm(), 1e-9 * trained.norm()) << count << " rows, ridge " << ridge;
      EXPECT_LE(objective.gradient(weights).norm(), 1e-9);
    }
  }
}

TEST(SquaredPath, ARidgeMustBePositive) {
  const PathCase made = path_case(8, 3);
  const SquaredPath path(made.rows, made.labels, 3);
  EXPECT_EQ(path.weights(0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(path.weights(-1).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
