#include "unlearn/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "unlearn/learner_cases.h"
#include "unscatter/base/random.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

using testing::expect_residuals_hold;
using testing::kLearnerRows;
using testing::LabelledRows;
using testing::learner_data;
using testing::learner_of;
using testing::moved_row;

// The same problem and the same update under limits that tighten: the cheapest rung that will do, in the ladder's
// order.
TEST(Ladder, ClimbsRungByRungAsTheLimitTightens) {
  const LabelledRows data = learner_data(1, 10);
  std::vector<Rung> rungs;
  std::vector<double> residuals;
  for (double exponent = 0; exponent <= 11; exponent += 0.5) {
    SessionOptions options;
    options.regularisation = 1e-2;
    options.noise_stddev = 1e3;  // so that the distance decides
    options.distance_limit = std::pow(10.0, -exponent);
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {moved_row(3, 77, 10)};
    const Fit fit = learner.begin(changes, noise).value();
    EXPECT_TRUE(fit.assessment.satisfied);
    EXPECT_EQ(fit.newton_steps == 0, fit.rung < Rung::kNewton);
    // On the rung exact some classes may have been evaluated and others not; the weaker bound is named.
    if (fit.rung == Rung::kFast) {
      EXPECT_EQ(fit.binding, ResidualBound::kDrift);
    }
    if (fit.rung == Rung::kNewton) {
      EXPECT_EQ(fit.binding, ResidualBound::kExact);
    }
    EXPECT_EQ(fit.bounds.exact.has_value(), fit.binding == ResidualBound::kExact);
    testing::expect_gradient_is_known(learner, data, options, fit, kLearnerRows);
    expect_residuals_hold(learner, data, options, fit, kLearnerRows);
    rungs.push_back(fit.rung);
    residuals.push_back(fit.assessment.residual);
  }
  EXPECT_TRUE(std::is_sorted(rungs.begin(), rungs.end()));
  EXPECT_EQ(std::set<Rung>(rungs.begin(), rungs.end()), (std::set<Rung>{Rung::kFast, Rung::kExact, Rung::kNewton}));
  EXPECT_LT(residuals.back(), residuals.front());
}

TEST(Ladder, TheFastRungNeedsAsManyGraphsAsCoordinates) {
  for (const std::size_t columns : {10UL, kLearnerRows, kLearnerRows + 1}) {
    SessionOptions options;
    options.regularisation = 1e-2;
    options.noise_stddev = 1e3;
    options.distance_limit = 1;
    const LabelledRows data = learner_data(2, columns);
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {moved_row(0, 5, columns)};
    EXPECT_EQ(learner.begin(changes, noise)->rung, columns <= kLearnerRows ? Rung::kFast : Rung::kNewton) << columns;
  }
}

// Over budget the paper trains anew at once; the ladder evaluates the residual first, which is nearly always enough.
TEST(Ladder, OverBudgetTheLadderEvaluatesBeforeItTrainsAnew) {
  const LabelledRows data = learner_data(6, 10);
  SessionOptions options = paper_options(1e-2, 2);
  options.bound = ResidualBound::kWorst;
  options.guarantee.epsilon = 0.01;
  for (const bool at_once : {false, true}) {
    options.retrain_when_exceeded = at_once;
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::vector<RowChange> changes = {moved_row(3, 8, 10)};
    const Fit fit = learner.begin(changes, noise).value();
    EXPECT_EQ(fit.rung, at_once ? Rung::kRetrain : Rung::kNewton);
    EXPECT_EQ(fit.binding, ResidualBound::kExact);
    EXPECT_TRUE(fit.assessment.satisfied);
    expect_residuals_hold(learner, data, options, fit, kLearnerRows);
  }
}

// One update after another, all of them far apart from the anchor: what is carried from update to update still covers
// the true residual, and what is known of the gradient is as near as it says.
TEST(Ladder, WhatIsCarriedOverManyUpdatesHolds) {
  for (const Loss& loss : testing::all_losses()) {
    const LabelledRows data = learner_data(12, 10);
    SessionOptions options;
    options.loss = loss;
    options.regularisation = 1e-2;
    options.noise_stddev = 1e3;
    options.distance_limit = 3e-2;
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::set<Rung> rungs;
    for (std::size_t update = 0; update < 25; ++update) {
      SCOPED_TRACE(::testing::Message() << loss.describe() << ", update " << update);
      std::vector<RowChange> changes = {moved_row(update, 100 + update, 10)};
      Fit fit = learner.begin(changes, noise).value();
      EXPECT_TRUE(fit.assessment.satisfied);
      expect_residuals_hold(learner, data, options, fit, kLearnerRows);
      testing::expect_gradient_is_known(learner, data, options, fit, kLearnerRows);
      rungs.insert(fit.rung);
      learner.commit(changes, std::move(fit));
    }
    EXPECT_FALSE(rungs.contains(Rung::kRetrain));
  }
}

// The same for full rows, where evaluations start from the anchor, and for updates of every kind: graphs that go, come,
// change and change their class, one at a time and several together, tried before and not.
TEST(Ladder, WhatIsCarriedOverUpdatesOfEveryKindHolds) {
  std::size_t exact = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Sequence random(seed);
    const std::size_t columns = 2 + random.below(16);
    const std::size_t classes = 2 + random.below(3);
    LabelledRows data = testing::random_rows(
        seed, {.rows = 60 + random.below(120), .columns = columns, .classes = classes, .density = 1.0});
    SessionOptions options;
    if (seed % 3 == 2) options.loss = Loss::huber_svm(0.5).value();
    options.regularisation = std::pow(10.0, -1 - 3 * random.unit());
    options.noise_stddev = 1e3;
    options.distance_limit = std::pow(10.0, 0.5 - 3 * random.unit());
    Learner learner = learner_of(data, options);
    testing::SeededRandom noise(1);
    std::size_t living = data.labels.size();
    std::vector<bool> gone(data.labels.size(), false);
    for (std::size_t update = 0; update < 30; ++update) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", update " << update);
      std::vector<RowChange> changes;
      LabelledRows after = data;
      std::size_t left = living;
      const bool adds = random.chance(0.2);
      for (std::size_t c = 0; c < (random.chance(0.2) ? 3U : 1U); ++c) {
        const BlockRow row =
            testing::random_row(1000 * seed + 10 * update + c, columns, 1.0, random.chance(0.2) ? 9 : 1);
        if (adds) {
          changes.push_back({after.labels.size(), {}, row, ChangeKind::kAdded});
          changes.back().label_after = static_cast<std::uint32_t>(random.below(classes));
          after.labels.push_back(*changes.back().label_after);
          ++left;
          continue;
        }
        const std::size_t i = random.below(after.labels.size());
        const auto same = [i](const RowChange& change) { return change.row == i; };
        if (gone[i] || std::any_of(changes.begin(), changes.end(), same)) continue;
        if (random.chance(0.3)) {
          changes.push_back(testing::removed_row(i));
          --left;
          continue;
        }
        changes.push_back({i, {}, row, ChangeKind::kStructure});
        if (!random.chance(0.3)) continue;
        after.labels[i] = static_cast<std::uint32_t>((after.labels[i] + 1) % classes);
        changes.back().label_after = after.labels[i];
      }
      if (changes.empty()) continue;
      for (const bool tried : {true, false}) {
        if (tried && !random.chance(0.3)) continue;
        std::vector<RowChange> mine = changes;
        Fit fit = learner.begin(mine, noise).value();
        expect_residuals_hold(learner, after, options, fit, left);
        testing::expect_gradient_is_known(learner, after, options, fit, left);
        exact += fit.rung == Rung::kExact ? 1U : 0U;
        if (tried) {
          learner.rollback(mine, std::move(fit));
        } else {
          learner.commit(mine, std::move(fit));
        }
      }
      gone.resize(after.labels.size(), false);
      for (const RowChange& change : changes) {
        if (change.kind != ChangeKind::kRemoved) continue;
        gone[change.row] = true;
        after.labels[change.row] = 0;
      }
      data.labels = after.labels;
      living = left;
    }
  }
  EXPECT_GT(exact, 50U);
}

// The check above would notice an uncertainty that is too small.
TEST(Ladder, AnUncertaintyThatIsTooSmallIsNoticed) {
  const LabelledRows data = learner_data(12, 10);
  SessionOptions options;
  options.regularisation = 1e-2;
  options.noise_stddev = 1e3;
  options.distance_limit = 1;
  Learner learner = learner_of(data, options);
  testing::SeededRandom noise(1);
  std::vector<RowChange> changes = {moved_row(0, 100, 10)};
  Fit fit = learner.begin(changes, noise).value();
  ASSERT_EQ(fit.rung, Rung::kFast);
  EXPECT_LE(testing::unknown_share_of_gradient(learner, data, options, fit, kLearnerRows), 1);
  fit.uncertainty *= 1e-3;
  EXPECT_GT(testing::unknown_share_of_gradient(learner, data, options, fit, kLearnerRows), 1);
}

// A process that makes one update builds nothing that pays only over many, whatever the loss, the form and the share of
// rows that it edits; and its certificate holds against training from scratch.
TEST(Ladder, OneUpdateBuildsNoMatrices) {
  for (const Loss& loss : testing::all_losses()) {
    for (const std::size_t columns : {30UL, 150UL}) {
      for (const std::size_t touched : {1UL, 19UL}) {
        SCOPED_TRACE(::testing::Message() << loss.describe() << ", d " << columns << ", " << touched << " rows");
        const LabelledRows data = testing::random_rows(columns, {.rows = 100, .columns = columns, .classes = 3});
        SessionOptions options;
        options.loss = loss;
        options.regularisation = 1e-2;
        options.distance_limit = 1e-4;
        Learner trained = learner_of(data, options);
        options.expected_updates = 1;
        Learner learner = Learner::restore(data.rows, data.labels, 3, 100, options, trained.fit()).value();
        testing::SeededRandom noise(1);
        std::vector<RowChange> changes;
        for (std::size_t i = 0; i < touched; ++i) {
          changes.push_back(i % 2 == 0 ? testing::removed_row(5 * i) : moved_row(5 * i, i, columns));
        }
        const std::size_t left = 100 - (touched + 1) / 2;
        const Fit fit = learner.begin(changes, noise).value();
        EXPECT_EQ(fit.rung, Rung::kNewton);
        EXPECT_TRUE(fit.assessment.satisfied);
        // A hinge that is rounded over a tiny interval has steps that lead nowhere; inverses are then the way out.
        if (loss.kind() != LossKind::kHuberSvm) {
          EXPECT_EQ(learner.curvature().builds(), 0U);
          EXPECT_EQ(learner.curvature().factorisations(), 0U);
        }
        EXPECT_FALSE(learner.curvature().has_fast());
        expect_residuals_hold(learner, data, options, fit, left);
        const double ridge = options.regularisation * static_cast<double>(left);
        const Matrix anew = train(Objective(learner.rows(), data.labels, 3, loss, ridge)).value().weights;
        EXPECT_LE((fit.weights - anew).norm(), fit.assessment.distance + 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
