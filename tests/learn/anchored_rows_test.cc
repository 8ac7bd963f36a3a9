#include "learn/anchored_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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

// --- Rows as bad as they can be --------------------------------------------------------------------------------------

// What is wrong with the rows of a case.
enum class Adverse {
  kCancelling,   // every other row is the one before with another label: large terms, small sums
  kFewColumns,   // columns from 1 down to what single precision cannot hold
  kBadlyScaled,  // lengths from 1e-8 to 1e8
  kTiny,         // rows around the smallest numbers of single precision
  kUnit,         // lengths of exactly 1
  kOutliers,     // some rows are up to 1e12 long
  kBadColumns,   // columns from 1e-10 to 1e10
};
constexpr std::array kAdverse = {Adverse::kCancelling, Adverse::kFewColumns, Adverse::kBadlyScaled, Adverse::kTiny,
                                 Adverse::kUnit,       Adverse::kOutliers,   Adverse::kBadColumns};

// Rows, weights, ridge, steps and edits drawn from a seed, over many orders of magnitude.
class AdverseCase {
 public:
  AdverseCase(Adverse kind, const Loss& loss, std::uint64_t seed)
      : kind_(kind),
        loss_(loss),
        random_(seed),
        width_(one_of({1, 2, 7, 8, 9, 24, 33, 120})),
        count_(one_of({1, 2, 15, 16, 17, 63, 64, 65, 129, 300})),
        classes_(2 + random_.below(3)),
        ridge_(ten_to(-6, 2) * static_cast<double>(count_)),
        size_(ten_to(-14, 4)),
        column_scales_(Vector::Ones(static_cast<Eigen::Index>(width_))),
        data_{SparseBlockRows(0, width_), {}, classes_} {
    for (double& scale : column_scales_) {
      if (kind_ == Adverse::kFewColumns) scale = ten_to(-45, 0);
      if (kind_ == Adverse::kBadColumns) scale = ten_to(-10, 10);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const bool again = kind_ == Adverse::kCancelling && i % 2 == 1;
      data_.rows.append_row(again ? BlockRow(data_.rows.row(i - 1)) : row());
      const std::size_t label = again ? data_.labels[i - 1] + 1 : random_.below(classes_);
      data_.labels.push_back(static_cast<std::uint32_t>(label % classes_));
    }
    weights_ = ten_to(-3, 6) * testing::random_matrix(seed, width_, classes_);
    if (random_.chance(0.3)) perturbation_ = testing::random_matrix(seed + 1, width_, classes_);
  }

  // The largest distance from the gradient in 80 bits, over what it may be, after each of some edits.
  [[nodiscard]] double worst() {
    std::optional<FastFactor> factor = FastFactor::anchor(objective(), weights_);
    if (!factor) return 0;
    AnchoredRows anchored(objective(), weights_);
    std::vector<std::size_t> all(classes_);
    for (std::size_t k = 0; k < classes_; ++k) all[k] = k;
    const bool many = random_.chance(0.1);
    double largest = 0;
    for (std::size_t edit = 1; edit <= (many ? 100U : 5U); ++edit) {
      FastFactor::Step step;
      if (!change(*factor, anchored, step)) return largest;
      weights_ += step.columns;
      if (many && edit % 25 != 0) continue;
      const std::optional<AnchoredProduct> product = factor->product_from_anchor(weights_, step, ridge_, all);
      const Evaluation found = anchored.evaluate(objective(), weights_, product.value(), all);
      largest = std::max(largest, share_of_bound(found));
      ++evaluations_;
    }
    return largest;
  }
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

 private:
  [[nodiscard]] double ten_to(double low, double high) { return std::pow(10.0, low + (high - low) * random_.unit()); }
  [[nodiscard]] std::size_t one_of(const std::vector<std::size_t>& numbers) {
    return numbers[random_.below(numbers.size())];
  }
  [[nodiscard]] Objective objective() const {
    return {data_.rows, data_.labels, classes_, loss_, ridge_, perturbation_ ? &*perturbation_ : nullptr};
  }

  [[nodiscard]] BlockRow row() {
    BlockRow made = testing::random_row(random_.below(1U << 30), width_, 1.0);
    double scale = 1;
    if (kind_ == Adverse::kBadlyScaled) scale = ten_to(-8, 8);
    if (kind_ == Adverse::kTiny) scale = ten_to(-44, -30);
    if (kind_ == Adverse::kOutliers && random_.chance(0.1)) scale = ten_to(3, 12);
    auto values = Eigen::Map<Vector>(made.values.data(), static_cast<Eigen::Index>(width_));
    if (kind_ == Adverse::kUnit) scale = 1 / values.norm();
    values = scale * values.cwiseProduct(column_scales_);
    return made;
  }

  // A row becomes another one or goes, its label and the ridge change, and the weights make a step of about `size_`.
  [[nodiscard]] bool change(FastFactor& factor, AnchoredRows& anchored, FastFactor::Step& step) {
    const std::size_t i = random_.below(count_);
    const BlockRow before = data_.rows.row(i);
    const std::uint32_t was = data_.labels[i];
    const BlockRow after = random_.chance(0.3) ? BlockRow{} : row();
    data_.rows.set_row(i, after);
    if (random_.chance(0.3)) data_.labels[i] = static_cast<std::uint32_t>((was + 1) % classes_);
    if (random_.chance(0.5)) ridge_ *= 0.85 + 0.3 * random_.unit();
    factor.note_ridge(ridge_);
    const Matrix right =
        size_ * ten_to(-1, 1) * (ridge_ + 1e-3) * testing::random_matrix(random_.below(1U << 30), width_, classes_);
    anchored.replace_row(i, before, after, data_.labels[i], was);
    return factor.replace_row(before, after, data_.labels[i], was, right, weights_, step) && step.columns.allFinite();
  }

  [[nodiscard]] double share_of_bound(const Evaluation& found) const {
    WideMatrix wide = testing::wide_gradient(data_.rows, data_.labels, loss_, ridge_, weights_);
    if (perturbation_) wide += perturbation_->cast<testing::Wide>();
    double largest = 0;
    for (Eigen::Index k = 0; k < wide.cols(); ++k) {
      const testing::Wide apart = (found.gradient.col(k).cast<testing::Wide>() - wide.col(k)).norm();
      const double share = static_cast<double>(apart / found.rounding(k));
      // A bound that is no number is above every limit, so it certifies nothing.
      if (std::isfinite(found.rounding(k))) largest = std::max(largest, std::isnan(share) ? 2 : share);
    }
    return largest;
  }

  Adverse kind_;
  Loss loss_;
  Sequence random_;
  std::size_t width_;
  std::size_t count_;
  std::size_t classes_;
  double ridge_;
  double size_;
  Vector column_scales_;
  LabelledRows data_;
  Matrix weights_;
  std::optional<Matrix> perturbation_;
  std::size_t evaluations_ = 0;
};

TEST(AnchoredRows, TheBoundHoldsForRowsOfEveryKind) {
  const std::vector<Loss> losses = {Loss::logistic(), Loss::huber_svm(0.5).value(), Loss::huber_svm(1e-3).value(),
                                    Loss::huber_svm(50).value()};
  std::size_t evaluations = 0;
  for (const Adverse kind : kAdverse) {
    for (std::uint64_t seed = 0; seed < 48; ++seed) {
      const Loss& loss = losses[seed % losses.size()];
      SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << ", " << loss.describe() << ", seed " << seed);
      AdverseCase one(kind, loss, 100 * seed + static_cast<std::uint64_t>(kind));
      ASSERT_LE(one.worst(), 1);
      evaluations += one.evaluations();
    }
  }
  EXPECT_GT(evaluations, 1200U);
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
