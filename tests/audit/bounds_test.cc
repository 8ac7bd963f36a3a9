// The bounds hold as often as they say.  Small cases are summed over all outcomes, so nothing here is random.
#include "audit/bounds.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {
namespace {

double outcome_probability(std::size_t above, std::size_t draws, double p) {
  return boost::math::pdf(boost::math::binomial(static_cast<double>(draws), p), static_cast<double>(above));
}

double phi(double x) { return boost::math::cdf(boost::math::normal(), x); }

TEST(AuditBounds, ClopperAndPearsonAsInTables) {
  EXPECT_NEAR(proportion_lower_bound({10, 100}, 0.025), 0.0490047, 1e-6);
  EXPECT_NEAR(proportion_upper_bound({10, 100}, 0.025), 0.1762226, 1e-6);
  EXPECT_EQ(proportion_lower_bound({0, 20}, 0.05), 0);
  EXPECT_NEAR(proportion_upper_bound({0, 20}, 0.05), 1 - std::pow(0.05, 1.0 / 20), 1e-9);
  EXPECT_NEAR(proportion_lower_bound({20, 20}, 0.05), std::pow(0.05, 1.0 / 20), 1e-9);
  EXPECT_EQ(proportion_upper_bound({20, 20}, 0.05), 1);
}

TEST(AuditBounds, AProportionIsOutsideNoMoreOftenThanStated) {
  constexpr std::size_t kDraws = 60;
  for (const double error : {0.3, 0.05, 1e-3}) {
    for (const double p : {0.01, 0.1, 0.31, 0.5, 0.69, 0.95}) {
      double low_wrong = 0, high_wrong = 0;
      for (std::size_t above = 0; above <= kDraws; ++above) {
        const double probability = outcome_probability(above, kDraws, p);
        if (proportion_lower_bound({above, kDraws}, error) > p) low_wrong += probability;
        if (proportion_upper_bound({above, kDraws}, error) < p) high_wrong += probability;
      }
      EXPECT_LE(low_wrong, error) << p;
      EXPECT_LE(high_wrong, error) << p;
    }
  }
}

// Every pair of tallies, by its probability: for two worlds that are mu apart, bounds above the truth must be rare.
TEST(AuditBounds, BoundsOfTwoWorldsExceedTheTruthNoMoreOftenThanStated) {
  constexpr std::size_t kDraws = 40;
  constexpr double kDelta = 1e-3;
  for (const double mu : {0.0, 0.3, 1.0, 2.5}) {
    const double epsilon = smallest_epsilon_upper_bound(mu, kDelta).value();
    // The threshold need not be in the middle, and the shift may go either way.
    for (const double threshold : {mu / 2, mu / 2 + 0.7, mu / 2 - 0.7}) {
      const double p_reference = phi(-threshold), p_test = phi(mu - threshold);
      for (const double error : {0.4, 0.05}) {
        double wrong = 0;
        for (std::size_t a = 0; a <= kDraws; ++a) {
          for (std::size_t b = 0; b <= kDraws; ++b) {
            const double probability =
                outcome_probability(a, kDraws, p_reference) * outcome_probability(b, kDraws, p_test);
            if (probability < 1e-12) continue;
            const MeasuredBounds bounds = lower_bounds({a, kDraws}, {b, kDraws}, kDelta, error);
            if (bounds.shift > mu || bounds.epsilon > epsilon) wrong += probability;
          }
        }
        EXPECT_LE(wrong, error) << mu << " at " << threshold;
      }
    }
  }
}

TEST(AuditBounds, EqualTalliesShowNothing) {
  for (const std::size_t above : {0u, 1u, 5000u, 10000u}) {
    const MeasuredBounds bounds = lower_bounds({above, 10000}, {above, 10000}, 1e-4, 0.05);
    EXPECT_EQ(bounds.shift, 0);
    EXPECT_EQ(bounds.epsilon, 0);
  }
}

TEST(AuditBounds, BothDirectionsCount) {
  const MeasuredBounds up = lower_bounds({3100, 10000}, {6900, 10000}, 1e-4, 0.05);
  const MeasuredBounds down = lower_bounds({6900, 10000}, {3100, 10000}, 1e-4, 0.05);
  EXPECT_NEAR(up.shift, down.shift, 1e-9);
  EXPECT_NEAR(up.epsilon, down.epsilon, 1e-9);
  EXPECT_GT(up.shift, 0.9);
  EXPECT_LT(up.shift, 1.0);
  EXPECT_GT(up.epsilon, 0.7);
}

TEST(AuditBounds, WorldsFarApartGiveAsMuchAsTheDrawsCan) {
  const MeasuredBounds bounds = lower_bounds({0, 20000}, {20000, 20000}, 1e-4, 0.05);
  EXPECT_GT(bounds.shift, 6);
  EXPECT_GT(bounds.epsilon, 8);
  EXPECT_TRUE(std::isfinite(bounds.shift));
  EXPECT_TRUE(std::isfinite(bounds.epsilon));
}

TEST(AuditBounds, MoreDrawsSeeSmallerShifts) {
  double before = 100;
  for (const std::size_t draws : {1000u, 10000u, 100000u}) {
    const double visible = visible_shift(draws, 0.01, 0.01);
    EXPECT_GT(visible, 0.01);
    EXPECT_LT(visible, before);
    before = visible;
  }
  EXPECT_GT(visible_shift(10000, 0.01, 0.5), visible_shift(10000, 0.01, 0.1));
  EXPECT_TRUE(std::isinf(visible_shift(1000, 0.01, 100)));
}

}  // namespace
}  // namespace unscatter
