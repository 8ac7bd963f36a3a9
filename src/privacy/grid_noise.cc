#include "privacy/grid_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privacy/discrete_gaussian.h"
#include "privacy/int128.h"
#include "privacy/interval.h"

namespace unscatter {
namespace {

constexpr int kGridBits = 32;                               // sigma/g in [2^32, 2^33)
constexpr int kScaleBits = 20;                              // 32 + 20 + 1 binary digits hold any double's mantissa
constexpr double kSmallest = 0x1p-900, kLargest = 0x1p900;  // neither g nor a value on the grid leaves the normal range
constexpr double kLargestValue = 0x1p60;                    // in units of sigma: below 2^93 on the grid

// W / g is exact, g being a power of two, and an integer from 2^53 on; below that nearbyint rounds to nearest.
Int128 nearest_grid_point(double value, double grid) { return static_cast<Int128>(std::nearbyint(value / grid)); }

}  // namespace

Result<GridNoise> GridNoise::create(double noise_stddev) {
  if (!(noise_stddev >= kSmallest && noise_stddev <= kLargest)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the noise must be between {} and {}, not {}", kSmallest, kLargest, noise_stddev)};
  }
  const int exponent = std::ilogb(noise_stddev);
  const double grid = std::ldexp(1.0, exponent - kGridBits);
  // An integer: the mantissa with its 53 digits.
  const auto scale_numerator = static_cast<std::uint64_t>(std::ldexp(noise_stddev, kGridBits + kScaleBits - exponent));
  return GridNoise(noise_stddev, grid, scale_numerator);
}

double GridNoise::rounding_error_upper_bound(std::size_t count) const { return shift_surcharge_upper_bound(count) / 2; }

double GridNoise::shift_surcharge_upper_bound(std::size_t count) const {
  if (count == 0) return 0;
  // Two steps outwards: the conversion of a count above 2^53 rounds too.
  const double root = square_root(outwards(static_cast<double>(count), static_cast<double>(count))).hi;
  return root * grid_;  // exact
}

Result<double> GridNoise::shift_upper_bound(double distance, std::size_t count) const {
  if (!(distance >= 0)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("a distance must be at least 0, not {}", distance)};
  }
  const double surcharge = shift_surcharge_upper_bound(count);
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
  const Interval scale = point(noise_stddev_ / grid_);  // exact
  const Interval per_entry = over(point(1), times(point(16), square(scale)));
  return std::min(1.0, times(times(factor, entries), per_entry).hi);
}

Status GridNoise::add_to(std::span<double> values, RandomSource& source) const {
  const double limit = kLargestValue * noise_stddev_;
  const auto bad =
      std::find_if(values.begin(), values.end(), [&](double value) { return !(std::abs(value) <= limit); });
  if (bad != values.end()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("value {} at {} is too large for noise of {}", *bad, bad - values.begin(), noise_stddev_)};
  }
  UNSCATTER_TRY(noise, DiscreteGaussian::create(scale_numerator_, std::uint64_t{1} << kScaleBits, source));
  for (double& value : values) {
    const Int128 noisy = nearest_grid_point(value, grid_) + noise.sample();
    value = static_cast<double>(noisy) * grid_;
  }
  return ok_status();
}

}  // namespace unscatter
