#include "unlearn/charge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "linalg/rounding.h"
#include "support/random_rows.h"
#include "support/wide_gradient.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::Wide;
using testing::WideMatrix;

constexpr std::size_t kChargedColumns = 20;

// Every third change removes a graph, every third one moves a row, every third one moves it a little.
std::vector<RowChange> changes_of_all_kinds(std::uint64_t seed, const SparseBlockRows& rows, std::size_t count) {
  std::vector<RowChange> changes;
  for (std::size_t i = 0; i < count; ++i) {
    RowChange change{i, rows.row(i), {}, ChangeKind::kRemoved};
    if (i % 3 == 1) {
      change.kind = ChangeKind::kStructure;
      change.after = testing::random_row(seed + i, rows.columns());
    } else if (i % 3 == 2) {
      change.kind = ChangeKind::kFeatures;
      change.after = change.before;
      change.after.values.front() += 1e-3;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

std::size_t removed_by(std::span<const RowChange> changes) {
  return static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(), [](const RowChange& c) { return c.kind == ChangeKind::kRemoved; }));
}

// Delta by its definition, over the touched rows alone.
WideMatrix wide_change(std::span<const RowChange> changes, std::span<const std::uint32_t> labels, const Loss& loss,
                       double regularisation, const Matrix& weights) {
  SparseBlockRows before(0, static_cast<std::size_t>(weights.rows()));
  SparseBlockRows after = before;
  std::vector<std::uint32_t> touched;
  for (const RowChange& change : changes) {
    before.append_row(change.before);
    after.append_row(change.after);
    touched.push_back(labels[change.row]);
  }
  const Wide ridge = static_cast<Wide>(regularisation) * static_cast<Wide>(removed_by(changes));
  return testing::wide_gradient(before, touched, loss, ridge, weights) -
         testing::wide_gradient(after, touched, loss, 0, weights);
}

TEST(GradientChange, IsTheDifferenceOfTwoFullGradients) {
  for (const Loss& loss : testing::all_losses()) {
    for (const std::size_t count : {1UL, 3UL, 60UL}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(loss.describe() + ", " + std::to_string(count) + " changes, seed " + std::to_string(seed));
        LabelledRows data = testing::random_rows(seed, {.rows = 100, .columns = kChargedColumns, .classes = 3});
        const auto changes = changes_of_all_kinds(seed, data.rows, count);
        const double lambda = 0.013;
        const Matrix W = 3 * testing::random_matrix(seed + 1, kChargedColumns, 3);
        const GradientChange change = gradient_change(changes, data.labels, loss, lambda, W);

        const double ridge = lambda * 100;
        const double ridge_after = lambda * static_cast<double>(100 - removed_by(changes));
        const Objective before(data.rows, data.labels, 3, loss, ridge);
        SparseBlockRows edited = data.rows;
        for (const RowChange& row : changes) edited.set_row(row.row, row.after);
        const Objective after(edited, data.labels, 3, loss, ridge_after);
        const Matrix expected = before.gradient(W) - after.gradient(W);
        // Both gradients, their difference and the two ridges are rounded as well.
        const Vector room = change.rounding + before.gradient_rounding_upper_bound(before.margins(W), W) +
                            after.gradient_rounding_upper_bound(after.margins(W), W) +
                            4 * kUnitRoundoff * (ridge + ridge_after) * W.colwise().norm().transpose() +
                            kUnitRoundoff * expected.colwise().norm().transpose();
        for (Eigen::Index k = 0; k < 3; ++k) {
          EXPECT_LE((change.columns - expected).col(k).norm(), room(k)) << k;
          EXPECT_LE(room(k), 1e-11 * (1 + change.columns.col(k).norm())) << k;  // and the room is small
        }
      }
    }
  }
}

TEST(GradientChange, ItsRoundingCoversTheTrueError) {
  for (const Loss& loss : testing::all_losses()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(loss.describe() + ", seed " + std::to_string(seed));
      const LabelledRows data = testing::random_rows(
          seed, {.rows = 50, .columns = kChargedColumns, .classes = 4, .row_norm = seed % 2 == 0 ? 1.0 : 100.0});
      const auto changes = changes_of_all_kinds(seed, data.rows, 1 + 2 * seed);
      const Matrix W = (1 + static_cast<double>(seed)) * testing::random_matrix(seed + 1, kChargedColumns, 4);
      const GradientChange change = gradient_change(changes, data.labels, loss, 0.013, W);
      const WideMatrix error = change.columns.cast<Wide>() - wide_change(changes, data.labels, loss, 0.013, W);
      for (Eigen::Index k = 0; k < 4; ++k) EXPECT_LE(error.col(k).norm(), change.rounding(k)) << k;
    }
  }
}

// Pairs of the same graph in opposite classes: their terms cancel, their roundings do not, so that an envelope taken
// from the length of the sum would be too small.
TEST(GradientChange, ItsRoundingCoversTermsThatCancel) {
  std::size_t beyond_the_sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::uint32_t> labels;
    std::vector<RowChange> changes;
    for (std::size_t i = 0; i < 1000; ++i) {
      labels.push_back(static_cast<std::uint32_t>(i % 2));
      changes.push_back({i, testing::random_row(1000 * seed + i / 2, kChargedColumns), {}, ChangeKind::kRemoved});
    }
    const Matrix W = 1e-9 * testing::random_matrix(seed, kChargedColumns, 2);
    const GradientChange change = gradient_change(changes, labels, Loss::logistic(), 1e-9, W);
    const WideMatrix truth = wide_change(changes, labels, Loss::logistic(), 1e-9, W);
    for (Eigen::Index k = 0; k < 2; ++k) {
      const Wide error = (change.columns.col(k).cast<Wide>() - truth.col(k)).norm();
      EXPECT_LE(error, change.rounding(k)) << k;
      EXPECT_LE(truth.col(k).norm(), 1e-6) << k;  // of terms whose lengths add up to some 400
      if (error > rounding_factor(3004) * static_cast<double>(truth.col(k).norm())) ++beyond_the_sum;
    }
  }
  EXPECT_GE(beyond_the_sum, 15u);
}

// The same term again and again: every addition rounds to the same side, and the error grows with the number of terms.
TEST(GradientChange, ItsRoundingCoversLongSums) {
  double largest_share = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<std::uint32_t> labels(3000, 0);
    std::vector<RowChange> changes(3000,
                                   {0, testing::random_row(seed, kChargedColumns, 0.1), {}, ChangeKind::kRemoved});
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i].row = i;
    const Matrix W = 1e-3 * testing::random_matrix(seed, kChargedColumns, 2);
    const GradientChange change = gradient_change(changes, labels, Loss::logistic(), 1e-9, W);
    const WideMatrix error = change.columns.cast<Wide>() - wide_change(changes, labels, Loss::logistic(), 1e-9, W);
    for (Eigen::Index k = 0; k < 2; ++k) {
      EXPECT_LE(error.col(k).norm(), change.rounding(k)) << k;
      largest_share = std::max(largest_share, static_cast<double>(error.col(k).norm() / change.columns.col(k).norm()));
    }
  }
  EXPECT_GE(largest_share, 100 * kUnitRoundoff);  // far more than what one term could do
}

TEST(GradientChange, ARowThatStaysChangesNothing) {
  const LabelledRows data = testing::random_rows(1, {.rows = 5, .columns = kChargedColumns});
  const std::vector<RowChange> changes = {{2, data.rows.row(2), data.rows.row(2), ChangeKind::kStructure}};
  const Matrix W = testing::random_matrix(1, kChargedColumns, 2);
  EXPECT_EQ(gradient_change(changes, data.labels, Loss::logistic(), 1, W).columns, Matrix::Zero(kChargedColumns, 2));
}

}  // namespace
}  // namespace unscatter
