#include "unlearn/limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "privacy/classical_rule.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr double kRidge = 3.7;
constexpr double kWeightNorm = 25;
constexpr std::size_t kWeights = 300;
constexpr std::size_t kClasses = 10;

// One of each kind: release where the noise decides, release where the distance does, objective with both rules, and
// level everyone.
std::vector<SessionOptions> every_rule() {
  std::vector<SessionOptions> all(5);
  all[1].noise_stddev = 1;
  all[1].distance_limit = 1e-8;
  all[2].mechanism = Mechanism::kObjective;
  all[3] = paper_options(1e-3, 2);
  all[4].protection = Protection::kEveryone;
  all[4].ridge = kRidge;
  return all;
}

Limit limit_of(const SessionOptions& options) { return Limit::create(options, kWeights, kClasses).value(); }

Assessment assess(const Limit& limit, const Vector& residuals) { return limit.assess(residuals, kRidge, kWeightNorm); }

Vector spread(Sequence& random) {
  Vector residuals(static_cast<Eigen::Index>(kClasses));
  for (double& r : residuals) r = 0.1 + random.unit();
  return residuals;
}

TEST(Limit, IsSatisfiedExactlyWhereHeadroomIsAtMostOne) {
  for (const SessionOptions& options : every_rule()) {
    const Limit limit = limit_of(options);
    Sequence random(1);
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Vector direction = spread(random);
      const double scale = 1 / assess(limit, direction).usage;  // about the edge, as the rule is nearly linear
      for (const double share : {0.0, 0.5, 1 - 1e-5, 1 - 1e-15, 1 + 1e-15, 1 + 1e-5, 2.0}) {
        const Assessment at = assess(limit, share * scale * direction);
        EXPECT_EQ(at.satisfied, at.usage <= 1);
        if (std::abs(share - 1) < 1e-7) continue;  // within rounding of the edge either answer will do
        EXPECT_EQ(at.satisfied, share < 1) << share;
      }
    }
  }
}

TEST(Limit, MoreResidualIsNeverBetter) {
  for (const SessionOptions& options : every_rule()) {
    const Limit limit = limit_of(options);
    Sequence random(2);
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Vector residuals = 1e-6 * spread(random);
      const Assessment before = assess(limit, residuals);
      for (Eigen::Index k = 0; k < residuals.size(); ++k) {
        Vector more = residuals;
        more(k) *= 1 + 1e-6;
        const Assessment after = assess(limit, more);
        EXPECT_GT(after.residual, before.residual);
        EXPECT_GT(after.distance, before.distance);
        EXPECT_GE(after.shift, before.shift);
        EXPECT_GE(after.usage, before.usage);
        EXPECT_LE(after.satisfied, before.satisfied);
      }
    }
  }
}

// mu = (S + sqrt(d K) g) / sigma with S = |U|_F / ridge, or |U|_F / alpha; level everyone has the sensitivity and 2 S
// in place of S.  Never below, and hardly above.
TEST(Limit, TheShiftIsItsFormulaRoundedUp) {
  for (const SessionOptions& options : every_rule()) {
    const Limit limit = limit_of(options);
    Sequence random(3);
    for (const double size : {1e-12, 1e-6, 1.0}) {
      const Vector residuals = size * spread(random);
      const Assessment at = assess(limit, residuals);
      long double square = 0;
      for (const double r : residuals) square += static_cast<long double>(r) * r;
      const long double residual = std::sqrt(square);
      const long double distance = residual / kRidge;
      const long double noise = limit.options().noise_stddev;
      long double shift = residual / noise;
      if (options.mechanism == Mechanism::kRelease) {
        const bool everyone = options.protection == Protection::kEveryone;
        const long double apart = everyone ? limit.promise().sensitivity + 2 * distance : distance;
        shift = (apart + std::sqrt(static_cast<long double>(kWeights)) * limit.grid()->grid()) / noise;
      }
      const auto expect_just_above = [](double computed, long double exact) {
        EXPECT_GE(computed, exact);
        EXPECT_LE(computed, exact * (1 + 1e-13L));
      };
      expect_just_above(at.residual, residual);
      expect_just_above(at.distance, distance);
      expect_just_above(at.shift, shift);
    }
  }
}

TEST(Limit, ManyReleasesShareTheShiftByTheRootOfTheirNumber) {
  SessionOptions options;
  options.releases = 1;
  const double alone = limit_of(options).shift_limit();
  for (const std::size_t releases : {2UL, 100UL, 1000UL, 1000000UL}) {
    options.releases = releases;
    const double each = limit_of(options).shift_limit();
    const double together = each * std::sqrt(static_cast<double>(releases));
    EXPECT_LE(together, alone * (1 + 1e-15));
    EXPECT_GE(together, alone * (1 - 1e-5));  // what the grid costs more often
  }
}

// What the limit is for: all releases at the limit, and what the grid costs all of them, stay within (epsilon, delta).
TEST(Limit, WhatIsAcceptedSatisfiesTheGuarantee) {
  int accepted = 0;
  for (const double epsilon : {0.0, 0.1, 1.0, 8.0}) {
    for (const double delta : {1e-9, 1e-4, 0.3}) {
      for (const std::size_t releases : {1UL, 7UL, 1000UL}) {
        for (const std::size_t weights : {1UL, 300UL, 100000UL}) {
          SessionOptions options;
          options.guarantee = {epsilon, delta};
          options.releases = releases;
          options.distance_limit = 1;
          const Limit limit = Limit::create(options, weights, 1).value();
          const auto R = static_cast<long double>(releases);
          const long double grid = R * limit.grid()->delta_surcharge_upper_bound(weights, epsilon).value();
          const auto together = [&](double shift) { return static_cast<long double>(shift) * std::sqrt(R); };
          const auto delta_of = [&](double shift) {
            // Rounded up, so that the root's rounding cannot help.
            const double all = std::nextafter(static_cast<double>(together(shift)), kNoEnd);
            return delta_upper_bound(all, epsilon).value() + grid;
          };
          // delta(epsilon; mu) grows with mu, and so does its computed bound but for the 1e-11 by which that may err
          // high.
          const double whole = largest_shift_lower_bound({epsilon, limit.promise().delta_for_shift}).value();
          EXPECT_LE(together(limit.shift_limit()), whole);
          EXPECT_LE(delta_upper_bound(whole, epsilon).value() + grid, delta);
          EXPECT_LE(delta_of(limit.shift_limit()), delta * (1 + 1e-11L));
          EXPECT_GE(delta_of(limit.shift_limit()), delta * (1 - 1e-9L));  // and nothing is given away
          // And an accepted state is below the limit.  Where the grid alone takes the whole shift, there is none.
          const double most = limit.residual_limit(kRidge, kWeightNorm, 1);
          const Assessment at = limit.assess(Vector::Constant(1, most), kRidge, kWeightNorm);
          ASSERT_EQ(at.satisfied, most > 0);
          if (!at.satisfied) continue;
          EXPECT_LE(together(at.shift), whole);
          ++accepted;
        }
      }
    }
  }
  EXPECT_GE(accepted, 100);
}

TEST(Limit, ADeltaBelowWhatTheGridCostsIsRefused) {
  SessionOptions options;
  options.guarantee.delta = 1e-30;
  EXPECT_EQ(Limit::create(options, kWeights, kClasses).error().code, ErrorCode::kLimitExceeded);
  options.guarantee.delta = 1e-4;
  options.regularisation = 0;
  EXPECT_EQ(Limit::create(options, kWeights, kClasses).error().code, ErrorCode::kInvalidArgument);
}

TEST(Limit, ThePapersRuleAcceptsExactlyKBudgetsHoweverSpread) {
  const SessionOptions options = paper_options(1e-3, 2);
  const Limit limit = limit_of(options);
  const double budget = classical_budget_lower_bound(options.guarantee, options.noise_stddev).value() * kClasses;
  Sequence random(4);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Vector residuals = spread(random);
    if (repeat == 0) residuals = Vector::Unit(residuals.size(), 3);
    residuals /= residuals.sum();
    EXPECT_TRUE(assess(limit, budget * (1 - 1e-13) * residuals).satisfied);
    EXPECT_FALSE(assess(limit, budget * (1 + 1e-13) * residuals).satisfied);
  }
}

// One class takes what the paper's rule allows ten of them: it accepts, the joint rule refuses, and is right.
TEST(Limit, TheJointRuleRefusesWhatThePapersRuleLetsThrough) {
  SessionOptions options = paper_options(1e-3, 2);
  const Limit paper = limit_of(options);
  options.rule = BudgetRule::kJoint;
  const Limit joint_rule = limit_of(options);
  const double budget = classical_budget_lower_bound(options.guarantee, options.noise_stddev).value();
  const Vector one_has_all = 10 * budget * (1 - 1e-12) * Vector::Unit(static_cast<Eigen::Index>(kClasses), 0);
  const Assessment accepted = assess(paper, one_has_all);
  EXPECT_TRUE(accepted.satisfied);
  EXPECT_FALSE(assess(joint_rule, one_has_all).satisfied);

  Certificate certificate;
  certificate.shift_upper_bound = accepted.shift;
  certificate.promise = paper.promise();
  EXPECT_NEAR(epsilon_upper_bound(certificate).value(), 10.5, 0.05);  // 1 was asked for
  // For one class both rules agree that a budget is fine.
  EXPECT_TRUE(assess(joint_rule, one_has_all / 10).satisfied);
}

TEST(Limit, ResidualsThatAreNotFiniteAreNeverAccepted) {
  for (SessionOptions options : every_rule()) {
    if (options.mechanism == Mechanism::kRelease) options.distance_limit = 1e300;
    options.noise_stddev = 1e80;
    if (options.ridge) options.ridge = 1e-80;  // which makes the derived noise as large
    const Limit limit = limit_of(options);
    for (const double bad : {kNoEnd, std::numeric_limits<double>::quiet_NaN()}) {
      for (const double others : {0.0, 1.0, 1e-300}) {
        for (std::size_t classes = 1; classes <= kClasses; ++classes) {
          for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(classes); ++k) {
            Vector residuals = Vector::Constant(static_cast<Eigen::Index>(classes), others);
            EXPECT_TRUE(assess(limit, residuals).satisfied);
            residuals(k) = bad;
            EXPECT_FALSE(assess(limit, residuals).satisfied) << bad << " at " << k << " of " << classes;
          }
        }
      }
    }
  }
}

TEST(Limit, TheResidualLimitIsWhereHeadroomIsOne) {
  for (const SessionOptions& options : every_rule()) {
    const Limit limit = limit_of(options);
    for (const double ridge : {1e-3, 1.0, 1e4}) {
      for (const double weight_norm : {0.0, 1.0, 1e3}) {
        const double joint_limit = limit.residual_limit(ridge, weight_norm, kClasses);
        const Vector even =
            Vector::Constant(static_cast<Eigen::Index>(kClasses), joint_limit / std::sqrt(1.0 * kClasses));
        const double usage = limit.assess(even, ridge, weight_norm).usage;
        EXPECT_LE(usage, 1);
        EXPECT_GE(usage, 1 - 1e-5);
      }
    }
  }
}

// (18) of docs/theory.md: what a subject moves, what kept weights may be off, and the grid are hidden together; with a
// thousandth less noise they would not be.
TEST(Limit, TheDerivedNoiseIsEnoughAndHardlyMore) {
  for (const std::size_t classes : {1U, 2U, 3U, 10U}) {
    for (const std::size_t releases : {1U, 7U, 1000U}) {
      for (const std::size_t per_subject : {0U, 1U, 5U}) {
        SessionOptions options;
        options.protection = Protection::kEveryone;
        options.ridge = kRidge;
        options.releases = releases;
        options.per_subject = per_subject;
        const Limit limit = Limit::create(options, 100 * classes, classes).value();
        const Promise& promise = limit.promise();
        const double vectors = classes == 2 ? 1 : static_cast<double>(classes);
        const double terms = per_subject == 0 ? 1 : 2 * static_cast<double>(per_subject);
        EXPECT_NEAR(promise.sensitivity * kRidge, terms * std::sqrt(vectors), 1e-6 * promise.sensitivity);
        EXPECT_LE(promise.sensitivity / promise.noise_stddev, promise.shift_limit);
        EXPECT_GT(promise.sensitivity / promise.noise_stddev * 1.001, promise.shift_limit);
        const double together = promise.shift_limit * std::sqrt(static_cast<double>(releases));
        EXPECT_LE(delta_upper_bound(together, options.guarantee.epsilon).value(), options.guarantee.delta);
        EXPECT_EQ(limit.options().noise_stddev, promise.noise_stddev);
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
