#include "unscatter/privacy/gaussian_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unscatter/base/random.h"

namespace unscatter {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double delta_of(double shift, double epsilon) { return delta_upper_bound(shift, epsilon).value(); }

// The hockey-stick divergence from its definition, integral of (phi(x - mu) - exp(epsilon) phi(x))_+, by Simpson's rule
// in long double.  The integrand is positive from x = epsilon/mu + mu/2 on; with x = that + s it is phi(a + s) (1 -
// exp(-mu s)), where a = epsilon/mu - mu/2.  Shares nothing with the closed form but the density.
long double hockey_stick(double shift, double epsilon) {
  const long double mu = shift;
  const long double a = epsilon / mu - mu / 2;
  constexpr int kSteps = 20000;
  const long double peak = std::max(a, 0.0L);
  const long double end = std::sqrt(peak * peak + 120) - a;
  // Nodes s = end (i / n)^2 are dense near 0, where 1 - exp(-mu s) bends if mu is large.
  long double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const long double r = static_cast<long double>(i) / kSteps;
    const long double s = end * r * r;
    const int weight = i == 0 || i == kSteps ? 1 : (i % 2 == 1 ? 4 : 2);
    sum += weight * 2 * end * r * std::exp(-(a + s) * (a + s) / 2) * -std::expm1(-mu * s);
  }
  return sum / (3 * kSteps) / std::sqrt(2 * std::acos(-1.0L));
}

TEST(DeltaUpperBound, CoversTheDefinitionClosely) {
  for (const double mu : {1e-12, 1e-7, 1e-4, 0.01, 0.0156, 0.0157, 0.1, 0.3139, 1.0, 3.0, 8.0, 20.0, 60.0}) {
    // epsilon/mu - mu/2 is what matters: from the middle of the distribution far into its tail.
    for (const double a : {-0.5 * mu, -0.3 * mu, 0.0, 0.5, 0.999, 1.001, 1.999, 2.001, 4.0, 12.0, 30.0}) {
      const double epsilon = std::max(0.0, mu * (a + mu / 2));
      SCOPED_TRACE(::testing::Message() << "mu " << mu << " epsilon " << epsilon);
      const auto exact = hockey_stick(mu, epsilon);
      // The integral is good to about 1e-13.
      EXPECT_GE(delta_of(mu, epsilon), exact * (1 - 1e-12L));
      EXPECT_LE(delta_of(mu, epsilon), exact * (1 + 1e-10L) + 3e-308L);
    }
  }
}

TEST(DeltaUpperBound, AtTheEdges) {
  EXPECT_EQ(delta_of(0, 0), 0);
  EXPECT_EQ(delta_of(0, 5), 0);
  EXPECT_EQ(delta_of(kInfinity, 0), 1);
  EXPECT_EQ(delta_of(kInfinity, 1e300), 1);
  EXPECT_EQ(delta_of(1e200, 1), 1);
  // epsilon = 0: the total variation 2 Phi(mu/2) - 1 = erf(mu / sqrt 8).
  for (const double mu : {1e-300, 1e-20, 1e-3, 0.5, 2.0}) {
    const double exact = std::erf(mu / std::sqrt(8.0));
    EXPECT_GE(delta_of(mu, 0), exact * (1 - 1e-15));
    EXPECT_LE(delta_of(mu, 0), exact * (1 + 1e-9) + 3e-308);
  }
  // Never zero for a positive shift, however far the tail: the true value is positive.
  for (const double mu : {5e-324, 1e-310, 1e-200, 1e-3}) {
    EXPECT_GT(delta_of(mu, 1), 0);
    EXPECT_LT(delta_of(mu, 1), 1e-300);
  }
  EXPECT_GT(delta_of(5e-324, 5e-324), 0);
  EXPECT_GT(delta_of(1e-300, std::numeric_limits<double>::max()), 0);
}

// Huge epsilon and mu, where epsilon/mu - mu/2 cancels: the bound may become loose, not wrong.
TEST(DeltaUpperBound, HugeArgumentsStaySafe) {
  for (const double mu : {1e4, 1e8, 1e12, 1e15, 1e18}) {
    // Exactly epsilon = mu^2/2, so a = 0 and delta = 1/2 - phi(0) R(mu), just below 1/2.
    const double epsilon = mu * mu / 2;
    if (static_cast<long double>(mu) * mu / 2 != epsilon) continue;
    EXPECT_GE(delta_of(mu, epsilon), 0.5 - 0.4 / mu);
    EXPECT_LE(delta_of(mu, epsilon), 1);
    EXPECT_LE(delta_of(mu, epsilon), 0.5 + 1e-15 * mu);
  }
}

TEST(DeltaUpperBound, GrowsWithTheShiftAndFallsWithEpsilon) {
  for (double mu = 1e-6; mu < 50; mu *= 1.37) {
    for (double epsilon = 1e-6; epsilon < 100; epsilon *= 2.3) {
      // Steps far above the rounding of the bound.
      EXPECT_LE(delta_of(mu, epsilon), delta_of(mu * 1.001, epsilon));
      EXPECT_GE(delta_of(mu, epsilon), delta_of(mu, epsilon * 1.001));
    }
  }
}

// Any test of the two Gaussians shows a difference that the bound must admit: outcomes above t, for every t.
TEST(DeltaUpperBound, IsNeverBetterThanAnAttackShows) {
  const auto tail = [](long double x) { return std::erfc(x / std::sqrt(2.0L)) / 2; };
  for (const double mu : {0.01, 0.3, 1.0, 4.0}) {
    for (const double epsilon : {0.0, 0.01, 0.5, 1.0, 3.0}) {
      for (double t = -4; t < 12; t += 0.125) {
        const long double seen = tail(t - mu) - std::exp(static_cast<long double>(epsilon)) * tail(t);
        EXPECT_GE(delta_of(mu, epsilon), seen * (1 - 1e-15L)) << mu << " " << epsilon << " " << t;
      }
    }
  }
}

TEST(LargestShiftLowerBound, KnownValue) {
  const double mu = largest_shift_lower_bound({1, 1e-4}).value();
  EXPECT_NEAR(mu, 0.3139, 5e-5);
}

// What it promises holds by the definition, and a slightly larger shift would break it.
TEST(LargestShiftLowerBound, IsSafeAndTight) {
  for (const double epsilon : {0.0, 1e-6, 0.01, 0.3, 1.0, 2.0, 10.0, 100.0}) {
    for (const double delta : {1e-100, 1e-12, 1e-6, 1e-4, 0.01, 0.5, 0.9}) {
      SCOPED_TRACE(::testing::Message() << "epsilon " << epsilon << " delta " << delta);
      const double mu = largest_shift_lower_bound({epsilon, delta}).value();
      ASSERT_GT(mu, 0);
      EXPECT_LE(delta_of(mu, epsilon), delta);
      if (mu > 1e-60) {
        EXPECT_LE(hockey_stick(mu, epsilon), delta * (1 + 1e-12L));
        EXPECT_GT(hockey_stick(mu * (1 + 1e-9), epsilon), delta);
      }
    }
  }
}

// A weaker published theorem: for 0 < epsilon < 1 a shift of epsilon / sqrt(2 log(1.25/delta)) will do [Dwork14, Thm.
// A.1].
TEST(LargestShiftLowerBound, AllowsWhatTheClassicalTheoremAllows) {
  for (double epsilon = 0.001; epsilon < 1; epsilon *= 1.5) {
    for (double delta = 1e-15; delta < 0.5; delta *= 7) {
      const double classical = epsilon / std::sqrt(2 * std::log(1.25 / delta));
      EXPECT_GE(largest_shift_lower_bound({epsilon, delta}).value(), classical) << epsilon << " " << delta;
    }
  }
}

TEST(LargestShiftLowerBound, GrowsWithBothNumbers) {
  for (double epsilon = 0.001; epsilon < 20; epsilon *= 2) {
    for (double delta = 1e-12; delta < 0.4; delta *= 10) {
      const double mu = largest_shift_lower_bound({epsilon, delta}).value();
      EXPECT_LT(mu, largest_shift_lower_bound({epsilon * 1.01, delta}).value());
      EXPECT_LT(mu, largest_shift_lower_bound({epsilon, delta * 1.01}).value());
    }
  }
}

TEST(LargestShiftLowerBound, TinyDelta) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(largest_shift_lower_bound({1, smallest}).value(),
            0);  // below what the bound can express: nothing is promised
  EXPECT_GT(largest_shift_lower_bound({1, 1e-307}).value(), 0.02);
}

TEST(SmallestEpsilonUpperBound, AtTheEdges) {
  EXPECT_EQ(smallest_epsilon_upper_bound(0, 1e-4).value(), 0);
  EXPECT_EQ(smallest_epsilon_upper_bound(kInfinity, 1e-4).value(), kInfinity);
  EXPECT_EQ(smallest_epsilon_upper_bound(1e-5, 1e-4).value(), 0);  // total variation 4e-6
  EXPECT_EQ(smallest_epsilon_upper_bound(1, std::numeric_limits<double>::denorm_min()).value(), kInfinity);
  EXPECT_GT(smallest_epsilon_upper_bound(1e10, 0.5).value(), 4.99e19);
}

// Round trips end on the safe side, and not far from where they began.
TEST(Profile, RoundTrips) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Sequence random(seed);
    const double epsilon = std::exp(12 * random.unit() - 8);
    const double delta = std::exp(-60 * random.unit() - 0.3);
    const double mu = largest_shift_lower_bound({epsilon, delta}).value();
    const double back = smallest_epsilon_upper_bound(mu, delta).value();
    EXPECT_LE(back, epsilon * (1 + 1e-9));
    EXPECT_LE(delta_of(mu, back), delta);
    EXPECT_TRUE(back >= epsilon * (1 - 1e-8) || delta >= delta_of(mu, 0));

    const double shift = std::exp(9 * random.unit() - 6);
    const double needed = smallest_epsilon_upper_bound(shift, delta).value();
    EXPECT_GE(largest_shift_lower_bound({needed, delta}).value(), shift * (1 - 1e-9));
  }
}

TEST(Profile, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan}) {
    EXPECT_EQ(delta_upper_bound(bad, 1).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(smallest_epsilon_upper_bound(bad, 0.1).error().code, ErrorCode::kInvalidArgument);
  }
  for (const double bad : {-1e-300, nan, kInfinity}) {
    EXPECT_EQ(delta_upper_bound(1, bad).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(largest_shift_lower_bound({bad, 0.1}).error().code, ErrorCode::kInvalidArgument);
  }
  for (const double bad : {0.0, -0.1, 1.0, 2.0, nan}) {
    EXPECT_EQ(smallest_epsilon_upper_bound(1, bad).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(largest_shift_lower_bound({1, bad}).error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(check_guarantee({1, bad}).ok());
  }
}

}  // namespace
}  // namespace unscatter
