#include "privacy/grid_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privacy/discrete_gaussian.h"
#include "privacy/int128.h"
#include "privacy/interval.h"

namespace unscatter {
namespace {

// sigma/g lies in [2^32, 2^33).  A finer grid costs less privacy: with 32 bits an entry adds at most 2^-68 to delta.
constexpr int kGridBits = 32;
// 33 binary digits before the point and 20 behind it hold the 53 digits of any double.
constexpr int kScaleBits = 20;
// Neither g nor a value on the grid leaves the range of normal numbers.
constexpr double kSmallest = 0x1p-900, kLargest = 0x1p900;
// In units of sigma.  A value is then below 2^93 on the grid, which leaves room for the noise in 128 bits.
constexpr double kLargestValue = 0x1p60;

// W / g is exact, since g is a power of two.  From 2^53 on it is an integer already; below that nearbyint() rounds to
// nearest.
Int128 nearest_grid_point(double value, double grid) { return static_cast<Int128>(std::nearbyint(value / grid)); }

}  // namespace

Result<GridNoise> GridNoise::create(double noise_stddev) {
  if (!(noise_stddev >= kSmallest && noise_stddev <= kLargest)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the noise must be between {} and {}, not {}", kSmallest, kLargest, noise_stddev)};
  }
  const int exponent = std::ilogb(noise_stddev);
  const double grid = std::ldexp(1.0, exponent - kGridBits);
  // An integer: the 53 digits of the mantissa.  So sigma/g is rational without any rounding, and sigma is honoured
  // exactly.
  const auto scale_numerator = static_cast<std::uint64_t>(std::ldexp(noise_stddev, kGridBits + kScaleBits - exponent));
  return GridNoise(noise_stddev, grid, scale_numerator);
}

double GridNoise::rounding_error_upper_bound(std::size_t count) const { return shift_surcharge_upper_bound(count) / 2; }

double GridNoise::shift_surcharge_upper_bound(std::size_t count) const {
  if (count == 0) return 0;
  // The conversion of a count above 2^53 rounds too.  So the count itself is widened before the root is.
  const double root = square_root(outwards(static_cast<double>(count), static_cast<double>(count))).hi;
  return root * grid_;  // exact, since grid_ is a power of two
}

Result<double> GridNoise::shift_upper_bound(double distance, std::size_t count) const {
  if (!(distance >= 0)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("a distance must be at least 0, not {}", distance)};
  }
  const double surcharge = shift_surcharge_upper_bound(count);
  // Nothing to widen: two equal models without entries have the shift 0, not a step above it.
  if (distance == 0 && surcharge == 0) return 0.0;
  return over(point(distance) + point(surcharge), point(noise_stddev_)).hi;
}

Result<double> GridNoise::delta_surcharge_upper_bound(std::size_t count, double epsilon) const {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("epsilon must be finite and at least 0, not {}", epsilon)};
  }
  if (count == 0) return 0.0;
  const Interval entries = outwards(static_cast<double>(count), static_cast<double>(count));
  const Interval factor = point(1) + library_result(std::exp(epsilon), std::exp(epsilon));
  const Interval scale = point(noise_stddev_ / grid_);  // exact, since grid_ is a power of two
  const Interval per_entry = over(point(1), times(point(16), square(scale)));
  return std::min(1.0, times(times(factor, entries), per_entry).hi);
}

Status GridNoise::add_to(std::span<double> values, RandomSource& source) const {
  // All values are checked before the first one is changed: an error must leave the model and the source as they were.
  const double limit = kLargestValue * noise_stddev_;
  const auto bad =
      std::find_if(values.begin(), values.end(), [&](double value) { return !(std::abs(value) <= limit); });
  if (bad != values.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("value {} at {} is too large for noise of {}", *bad, bad - values.begin(), noise_stddev_)};
  }
  UNSCATTER_TRY(noise, DiscreteGaussian::create(scale_numerator_, std::uint64_t{1} << kScaleBits, source));
  for (double& value : values) {
    // The sum is one of integers.  No floating point is involved between the noise and the grid point that is
    // published.
    const Int128 noisy = nearest_grid_point(value, grid_) + noise.sample();
    value = static_cast<double>(noisy) * grid_;
  }
  return ok_status();
}

}  // namespace unscatter
