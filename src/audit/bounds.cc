#include "audit/bounds.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Phi^-1 with its limits at 0 and 1, where Boost would throw.
double normal_quantile(double probability) {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  return boost::math::quantile(boost::math::normal(), probability);
}

// ln((one - delta) / other), what P[one] <= exp(epsilon) P[other] + delta leaves for epsilon.  At least 0.
double smallest_epsilon(double one, double other, double delta) {
  if (!(one > delta)) return 0;
  return std::max(0.0, std::log((one - delta) / other));
}

// What a computed quantile may be off by, and more.
constexpr double kWiden = 1e-10;

}  // namespace

double proportion_lower_bound(const Tally& tally, double error) {
  invariant(tally.draws > 0 && tally.above <= tally.draws && error > 0 && error < 1, "a tally and an error");
  if (tally.above == 0) return 0;
  const double bound = boost::math::binomial::find_lower_bound_on_p(static_cast<double>(tally.draws),
                                                                    static_cast<double>(tally.above), error);
  return std::max(0.0, bound * (1 - kWiden));
}

double proportion_upper_bound(const Tally& tally, double error) {
  // That p is below a bound is that 1 - p is above one.
  return 1 - proportion_lower_bound({tally.draws - tally.above, tally.draws}, error);
}

MeasuredBounds lower_bounds(const Tally& reference, const Tally& test, double delta, double error) {
  // Four bounds are used below, so each may be wrong with a quarter of the error.
  const double each = error / 4;
  const double reference_low = proportion_lower_bound(reference, each);
  const double reference_high = proportion_upper_bound(reference, each);
  const double test_low = proportion_lower_bound(test, each);
  const double test_high = proportion_upper_bound(test, each);

  MeasuredBounds bounds;
  // A shift of mu gives every test Phi^-1(hits) - Phi^-1(false alarms) <= mu, in both directions [Dong22]
  // (docs/audit.md, "The bound").
  bounds.shift = std::max({0.0, normal_quantile(test_low) - normal_quantile(reference_high),
                           normal_quantile(reference_low) - normal_quantile(test_high)});
  // The two sets "above" and "not above", each in both orders of the worlds.
  bounds.epsilon =
      std::max({smallest_epsilon(test_low, reference_high, delta), smallest_epsilon(reference_low, test_high, delta),
                smallest_epsilon(1 - reference_high, 1 - test_low, delta),
                smallest_epsilon(1 - test_high, 1 - reference_low, delta)});
  return bounds;
}

double visible_shift(std::size_t draws, double error, double promised) {
  const auto expected_bound = [&](double shift) {
    const auto half = boost::math::cdf(boost::math::normal(), shift / 2);
    const auto above = static_cast<std::size_t>(std::floor(half * static_cast<double>(draws)));
    return lower_bounds({draws - above, draws}, {above, draws}, 0.5, error).shift;
  };
  // Beyond this every tally is full, and the bound grows no more.
  double high = 64;
  if (!(expected_bound(high) > promised)) return kInfinity;
  double low = 0;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (expected_bound(middle) > promised ? high : low) = middle;
  }
  return high;
}

}  // namespace unscatter
