#include "learn/anchored_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "learn/fast_factor.h"
#include "support/random_rows.h"
#include "support/wide_gradient.h"
#include "unscatter/base/random.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::LabelledRows;
using testing::WideMatrix;

constexpr std::size_t kAnchoredRows = 150;
constexpr std::size_t kAnchoredWidth = 21;
const std::vector<std::size_t> kAnchoredClasses = {0, 2};

// Full rows, a fast factor and anchored rows that follow the same edits.
struct AnchoredState {
  AnchoredState(const Loss& chosen, std::uint64_t seed)
      : loss(chosen),
        data(testing::random_rows(seed,
                                  {.rows = kAnchoredRows, .columns = kAnchoredWidth, .classes = 3, .density = 1.0})),
        weights(train(objective()).value().weights),
        factor(FastFactor::anchor(objective(), weights).value()),
        anchored(objective(), weights) {}

  [[nodiscard]] Objective objective(std::size_t threads = 1) const {
    return {data.rows, data.labels, 3, loss, ridge, nullptr, threads};
  }

  // Row i becomes another one, or empty, and its label another one.  The weights make a step of length about `size`.
  void edit(std::size_t i, double size, bool goes, bool relabel, bool tell_anchored = true) {
    const BlockRow before = data.rows.row(i);
    const std::uint32_t label_before = data.labels[i];
    const BlockRow after = goes ? BlockRow{} : testing::random_row(300 + i, kAnchoredWidth, 1.0, 0.8);
    data.rows.set_row(i, after);
    if (relabel) data.labels[i] = (label_before + 1) % 3;
    if (goes) ridge -= 0.01;
    ASSERT_TRUE(factor.replace_row(before, after, data.labels[i], label_before,
                                   size * testing::random_matrix(500 + i, kAnchoredWidth, 3), weights, step));
    factor.note_ridge(ridge);
    if (tell_anchored) anchored.replace_row(i, before, after, data.labels[i], label_before);
    weights += step.columns;
  }

  [[nodiscard]] Matrix some(const Matrix& all) const {
    Matrix columns(all.rows(), 2);
    columns << all.col(0), all.col(2);
    return columns;
  }

  [[nodiscard]] Evaluation evaluate(std::size_t threads = 1) const {
    const auto product = factor.product_from_anchor(some(weights), step, ridge, kAnchoredClasses);
    return anchored.evaluate(objective(threads), some(weights), product.value(), kAnchoredClasses);
  }

  // The largest distance of an evaluated gradient from that in 80 bits, over what it may be.
  [[nodiscard]] double worst(const Evaluation& found) const {
    const WideMatrix wide = testing::wide_gradient(data.rows, data.labels, loss, ridge, weights);
    double largest = 0;
    for (Eigen::Index c = 0; c < 2; ++c) {
      const WideMatrix apart = found.gradient.col(c).cast<testing::Wide>() - wide.col(c == 0 ? 0 : 2);
      largest = std::max(largest, static_cast<double>(apart.norm()) / found.rounding(c));
    }
    return largest;
  }

  Loss loss;
  double ridge = 0.01 * kAnchoredRows;
  LabelledRows data;
  Matrix weights;
  FastFactor factor;
  AnchoredRows anchored;
  FastFactor::Step step;
};

std::vector<Loss> curved_losses() { return {Loss::logistic(), Loss::huber_svm(0.5).value()}; }

TEST(AnchoredRows, TheGradientIsWithinWhatItSays) {
  for (const Loss& loss : curved_losses()) {
    for (const double size : {1e-7, 1e-3, 1.0}) {
      SCOPED_TRACE(::testing::Message() << loss.describe() << ", " << size);
      AnchoredState state(loss, 3);
      for (std::size_t i = 0; i < 30; ++i) {
        ASSERT_NO_FATAL_FAILURE(state.edit(i, size, i % 7 == 3, i % 5 == 2));
        const Evaluation found = state.evaluate();
        ASSERT_LE(state.worst(found), 1) << i;
        // It says so sharply enough: as much smaller than the move as its second order and single precision allow.
        const double move = (state.weights - state.factor.anchor_weights()).norm();
        ASSERT_LE(found.rounding.maxCoeff(), 1e-11 + 1e-4 * move * move * kAnchoredRows) << i;
      }
    }
  }
}

TEST(AnchoredRows, ThreadsChangeNothing) {
  AnchoredState state(Loss::logistic(), 4);
  ASSERT_NO_FATAL_FAILURE(state.edit(0, 0.1, false, false));
  const Evaluation one = state.evaluate(1);
  const Evaluation two = state.evaluate(2);
  EXPECT_EQ(one.gradient, two.gradient);
  EXPECT_EQ(one.rounding, two.rounding);
}

// Planted fault: a row that was not told of.
TEST(AnchoredRows, AMissedEditIsCaught) {
  AnchoredState state(Loss::logistic(), 5);
  ASSERT_NO_FATAL_FAILURE(state.edit(0, 1e-3, false, false, false));
  EXPECT_GT(state.worst(state.evaluate()), 100);
}

// Planted fault: a bound that forgot single precision would not hold.
TEST(AnchoredRows, TheBoundIsNotMuchTooLarge) {
  AnchoredState state(Loss::logistic(), 6);
  ASSERT_NO_FATAL_FAILURE(state.edit(0, 3.0, false, false));
  Evaluation found = state.evaluate();
  EXPECT_LE(state.worst(found), 1);
  found.rounding *= 1e-4;
  EXPECT_GT(state.worst(found), 1);
}

TEST(AnchoredRows, PaysForFullRowsAndMovingCurvature) {
  const LabelledRows full = testing::random_rows(1, {.rows = 40, .columns = 9, .classes = 3, .density = 1.0});
  const LabelledRows thin = testing::random_rows(1, {.rows = 40, .columns = 90, .classes = 3, .density = 0.2});
  const auto pays = [](const LabelledRows& data, const Loss& loss) {
    return AnchoredRows::pay(Objective{data.rows, data.labels, 3, loss, 1.0});
  };
  EXPECT_TRUE(pays(full, Loss::logistic()));
  EXPECT_FALSE(pays(full, Loss::squared()));
  EXPECT_FALSE(pays(thin, Loss::logistic()));
}

}  // namespace
}  // namespace unscatter
