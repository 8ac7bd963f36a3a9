#include "unlearn/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "unlearn/learner_cases.h"
#include "unscatter/base/invariant.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using testing::expect_residuals_hold;
using testing::kLearnerRows;
using testing::LabelledRows;
using testing::learner_data;
using testing::learner_of;
using testing::moved_row;
using testing::removed_row;

// Training anew from the present weights is a shortcut of the experiments: the same optimum, the same budget, hence the
// same updates that train anew.
TEST(Learner, WarmRetrainingEndsWhereTrainingFromZeroDoes) {
  for (const std::size_t columns : {10UL, 90UL}) {
    SCOPED_TRACE(columns);
    const LabelledRows data = learner_data(3, columns);
    SessionOptions options = paper_options(1e-2, 3);
    options.noise_stddev = columns == 10 ? 0.05 : 0.2;
    SessionOptions warm_options = options;
    warm_options.warm_retraining = true;
    Learner cold = learner_of(data, options);
    Learner warm = learner_of(data, warm_options);
    testing::SeededRandom cold_noise(9);
    testing::SeededRandom warm_noise(9);
    std::set<Rung> rungs;
    for (std::size_t step = 0; step < 20; ++step) {
      std::vector<RowChange> changes = {step % 3 == 2 ? removed_row(step) : moved_row(step, 50 + step, columns)};
      std::vector<RowChange> same = changes;
      Fit from_zero = cold.begin(changes, cold_noise).value();
      Fit from_here = warm.begin(same, warm_noise).value();
      EXPECT_EQ(from_zero.rung, from_here.rung) << step;
      ASSERT_EQ(from_zero.perturbation, from_here.perturbation) << step;
      const double ridge = options.regularisation * static_cast<double>(cold.living() - (step % 3 == 2 ? 1 : 0));
      EXPECT_LE((from_zero.weights - from_here.weights).norm(),
                (from_zero.residuals.norm() + from_here.residuals.norm()) / ridge);
      if (from_here.rung == Rung::kRetrain) {
        EXPECT_LE(from_here.assessment.residual, 1e-9);
        EXPECT_LE((from_zero.weights - from_here.weights).norm(), 1e-8 * from_zero.weights.norm());
      }
      rungs.insert(from_here.rung);
      cold.commit(changes, std::move(from_zero));
      warm.commit(same, std::move(from_here));
    }
    EXPECT_EQ(rungs, (std::set<Rung>{Rung::kNewton, Rung::kRetrain}));
  }
}

TEST(Learner, RefusesLabelsThatAreNoClass) {
  LabelledRows data = learner_data(4, 10);
  data.labels[7] = 3;
  testing::SeededRandom noise(1);
  EXPECT_THROW((void)Learner::create(data.rows, data.labels, 3, {}, noise), InvariantViolation);
}

// A problem on which rollbacks alternate with updates.
struct RollbackCase {
  std::size_t columns;     // more than rows: the dual form, without the fast rung
  SessionOptions options;  // loose: fast steps are kept as they are, and their bound has nothing to hide behind
};

std::vector<RollbackCase> rollback_cases() {
  SessionOptions loose;
  loose.loss = Loss::squared();
  loose.noise_stddev = 1e3;
  loose.distance_limit = 1;
  return {{10, {}}, {90, {}}, {10, loose}, {90, loose}};
}

TEST(Learner, RollbackRestoresEverythingAndLaterUpdatesStillCertify) {
  std::size_t fast_steps = 0;
  for (const auto& [columns, options] : rollback_cases()) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(std::to_string(columns) + " columns, " + options.loss.describe() + ", seed " + std::to_string(seed));
      const LabelledRows data = learner_data(seed, columns);
      Learner learner = learner_of(data, options);
      Learner untroubled = learner_of(data, options);
      testing::SeededRandom noise(1);
      Sequence random(seed);
      for (std::size_t step = 0; step < 8; ++step) {
        std::vector<RowChange> abandoned = {removed_row(2 * step), moved_row(2 * step + 1, random.next(), columns)};
        const RowMatrix rows = learner.rows().to_dense();
        const Matrix weights = learner.fit().weights;
        const Vector residuals = learner.fit().residuals;
        const std::size_t living = learner.living();
        ASSERT_TRUE(learner.begin(abandoned, noise).ok());
        EXPECT_NE(learner.rows().to_dense(), rows);
        learner.rollback(abandoned);
        EXPECT_EQ(learner.rows().to_dense(), rows);
        EXPECT_EQ(learner.fit().weights, weights);
        EXPECT_EQ(learner.fit().residuals, residuals);
        EXPECT_EQ(learner.living(), living);

        std::vector<RowChange> changes = {step % 2 == 0 ? removed_row(20 + step) : moved_row(20 + step, seed, columns)};
        std::vector<RowChange> same = changes;
        Fit fit = learner.begin(changes, noise).value();
        Fit other = untroubled.begin(same, noise).value();
        const std::size_t left = living - (step % 2 == 0 ? 1 : 0);
        expect_residuals_hold(learner, data, options, fit, left);
        expect_residuals_hold(untroubled, data, options, other, left);
        EXPECT_TRUE(fit.assessment.satisfied && other.assessment.satisfied);
        EXPECT_LE((fit.weights - other.weights).norm(), fit.assessment.distance + other.assessment.distance);
        // Nothing of what was abandoned is left in the Newton system: it takes no more steps than without.  (It may
        // take fewer, with inverses that are made anew.)
        if (columns > kLearnerRows) {
          EXPECT_LE(fit.newton_steps, other.newton_steps + 1);
        }
        // What is not known of the gradient is carried along until it is evaluated again.  (The residual itself may
        // fall, since a step takes away what is known of it.)
        if (other.rung == Rung::kFast) {
          ++fast_steps;
          EXPECT_GE((other.uncertainty - untroubled.fit().uncertainty).minCoeff(), 0);
          EXPECT_GE((other.residuals - other.uncertainty).minCoeff(), 0);
        }
        learner.commit(changes, std::move(fit));
        untroubled.commit(same, std::move(other));
        EXPECT_EQ(learner.living(), left);
        EXPECT_EQ(learner.rows().to_dense(), untroubled.rows().to_dense());
      }
    }
  }
  EXPECT_GE(fast_steps, 30u);
}

// What was rolled back can be begun again, with the same changes.
TEST(Learner, AnUpdateThatWasRolledBackCanBeRepeated) {
  const LabelledRows data = learner_data(3, 10);
  Learner learner = learner_of(data, {});
  testing::SeededRandom noise(1);
  std::vector<RowChange> changes = {removed_row(4), moved_row(9, 1, 10)};
  const BlockRow after = changes[1].after;
  ASSERT_TRUE(learner.begin(changes, noise).ok());
  learner.rollback(changes);
  Fit fit = learner.begin(changes, noise).value();
  const Matrix weights = fit.weights;
  learner.commit(changes, std::move(fit));
  EXPECT_EQ(learner.fit().weights, weights);
  EXPECT_TRUE(learner.rows().row(4).values.empty());
  EXPECT_EQ(learner.rows().row(9), after);
  EXPECT_EQ(learner.living(), kLearnerRows - 1);
  for (const RowChange& change : changes) EXPECT_TRUE(change.before.values.empty());  // the old rows are overwritten
}

// What was tried and rolled back is not computed again when it comes after all; anything else is.
TEST(Learner, AnUpdateThatWasTriedIsRemembered) {
  for (const std::size_t columns : {10UL, 90UL}) {
    SCOPED_TRACE(columns);
    const LabelledRows data = learner_data(6, columns);
    Learner learner = learner_of(data, {});
    Learner untroubled = learner_of(data, {});
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {removed_row(4), moved_row(9, 1, columns)};
    std::vector<RowChange> same = changes;
    Fit tried = learner.begin(changes, noise).value();
    const Matrix weights = tried.weights;
    learner.rollback(changes, std::move(tried));
    EXPECT_EQ(learner.rows().to_dense(), data.rows.to_dense());

    // Another update first: it must not be mistaken for the one that was tried.
    std::vector<RowChange> other = {removed_row(4), moved_row(9, 2, columns)};
    Fit of_other = learner.begin(other, noise).value();
    EXPECT_NE(of_other.weights, weights);
    expect_residuals_hold(learner, data, {}, of_other, kLearnerRows - 1);
    learner.rollback(other);

    tried = learner.begin(changes, noise).value();
    const Matrix again = tried.weights;
    learner.rollback(changes, std::move(tried));
    Fit remembered = learner.begin(changes, noise).value();
    EXPECT_EQ(remembered.weights, again);  // bit for bit: nothing was computed
    expect_residuals_hold(learner, data, {}, remembered, kLearnerRows - 1);
    learner.commit(changes, std::move(remembered));
    untroubled.commit(same, untroubled.begin(same, noise).value());
    // Later updates are those of a learner that never tried anything, up to what is certified.
    for (std::size_t step = 0; step < 5; ++step) {
      std::vector<RowChange> next = {moved_row(20 + step, step, columns)};
      std::vector<RowChange> next_too = next;
      Fit fit = learner.begin(next, noise).value();
      Fit of_untroubled = untroubled.begin(next_too, noise).value();
      expect_residuals_hold(learner, data, {}, fit, kLearnerRows - 1);
      EXPECT_LE((fit.weights - of_untroubled.weights).norm(),
                fit.assessment.distance + of_untroubled.assessment.distance);
      learner.commit(next, std::move(fit));
      untroubled.commit(next_too, std::move(of_untroubled));
    }
  }
}

// A preview must not make the updates after it slow: inverses stay, and hardly a step more is needed.
TEST(Learner, ARollbackKeepsWhatIsKnownAboutTheHessian) {
  for (const std::size_t columns : {10UL, 90UL}) {
    SCOPED_TRACE(columns);
    const LabelledRows data = learner_data(7, columns);
    Learner learner = learner_of(data, {});
    Learner untroubled = learner_of(data, {});
    testing::SeededRandom noise(1);
    std::size_t steps = 0;
    std::size_t steps_of_untroubled = 0;
    for (std::size_t step = 0; step < 10; ++step) {
      std::vector<RowChange> previewed = {moved_row(30 + step, step, columns)};
      ASSERT_TRUE(learner.begin(previewed, noise).ok());
      learner.rollback(previewed);
      std::vector<RowChange> changes = {moved_row(step, 99 + step, columns)};
      std::vector<RowChange> same = changes;
      Fit fit = learner.begin(changes, noise).value();
      Fit of_untroubled = untroubled.begin(same, noise).value();
      steps += fit.newton_steps;
      steps_of_untroubled += of_untroubled.newton_steps;
      learner.commit(changes, std::move(fit));
      untroubled.commit(same, std::move(of_untroubled));
    }
    // Without what was kept, each of the ten updates would build anew.
    EXPECT_LE(learner.curvature().builds(), untroubled.curvature().builds() + 2);
    EXPECT_LE(4 * steps, 5 * steps_of_untroubled);
  }
}

// Training anew draws a perturbation of its own; rolled back, the old one is in force again.
TEST(Learner, RollbackOfARetrainingKeepsTheOldPerturbation) {
  const LabelledRows data = learner_data(4, 10);
  SessionOptions options = paper_options(1e-2, 2);
  options.method = Method::kRetrain;
  Learner learner = learner_of(data, options);
  const Matrix perturbation = *learner.perturbation();
  testing::SeededRandom noise(2);
  std::vector<RowChange> changes = {removed_row(4)};
  Fit fit = learner.begin(changes, noise).value();
  EXPECT_EQ(fit.rung, Rung::kRetrain);
  EXPECT_NE(*fit.perturbation, perturbation);
  learner.rollback(changes);
  EXPECT_EQ(*learner.perturbation(), perturbation);
  expect_residuals_hold(learner, data, options, learner.fit(), kLearnerRows);

  fit = learner.begin(changes, noise).value();
  const Matrix fresh = *fit.perturbation;
  learner.commit(changes, std::move(fit));
  EXPECT_EQ(*learner.perturbation(), fresh);
  expect_residuals_hold(learner, data, options, learner.fit(), kLearnerRows - 1);
}

class BrokenSource final : public RandomSource {
 public:
  void fill(std::span<std::byte>) override { throw std::runtime_error("no randomness"); }
};

TEST(Learner, AnUpdateThatThrowsHasRolledBack) {
  const LabelledRows data = learner_data(5, 10);
  SessionOptions options = paper_options(1e-2, 2);
  options.method = Method::kRetrain;
  Learner learner = learner_of(data, options);
  const Matrix weights = learner.fit().weights;
  BrokenSource broken;
  std::vector<RowChange> changes = {removed_row(4), moved_row(5, 1, 10)};
  EXPECT_THROW(static_cast<void>(learner.begin(changes, broken)), std::runtime_error);
  EXPECT_EQ(learner.rows().to_dense(), data.rows.to_dense());
  EXPECT_EQ(learner.fit().weights, weights);
  EXPECT_EQ(learner.living(), kLearnerRows);
  testing::SeededRandom noise(1);
  EXPECT_TRUE(learner.begin(changes, noise).ok());
}

}  // namespace
}  // namespace unscatter
