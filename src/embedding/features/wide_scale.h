// A number of any size as shares of fixed channels: where it lies on a signed logarithmic scale, and its digits there.
//
//   place = sign(a) ln(1 + |a| / 10^-6), cut to [-42, 42]: 10^-6 and 10^12 are told apart, and so is everything between
//
// Channels 0 .. 84 are centres -42, -41, ..., 42.  The place is shared between the two next to it (half of the mass).
// Four levels of digits follow, with four channels each (an eighth of the mass per level).  Level r looks at the
// remainder of the place modulo 4^(1-r), on four centres of a circle.  So two numbers that differ by the factor
// exp(4^-4) = 1.004 still differ, whatever their size: amounts, ages, flags and seconds since 1970 alike.  No constant
// is fitted (docs/constants.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace unscatter {

inline constexpr double kWideEnd = 42;
inline constexpr std::size_t kWideCentres = 85;
inline constexpr std::size_t kDigitLevels = 4;
inline constexpr std::size_t kDigitCentres = 4;
inline constexpr std::size_t kWideChannels = kWideCentres + kDigitLevels * kDigitCentres;

// Calls add(channel, share) for the shares that are not 0.  They are > 0 and sum to 1, up to rounding.  `value` is not
// NaN.
template <typename Add>
void on_wide_scale(double value, Add add) {
  // 10^6 |a| may be infinite, which is cut off like any number beyond the end.
  const double size = std::min(std::log1p(std::abs(value) * 1e6), kWideEnd);
  const double place = (value < 0 ? -size : size) + kWideEnd;  // in [0, 84]
  const auto share = [&](std::size_t first, std::size_t channel, double part) {
    if (part > 0) add(first + channel, part);
  };
  const std::size_t left = std::min(static_cast<std::size_t>(place), kWideCentres - 2);
  const double right_share = place - static_cast<double>(left);
  share(0, left, 0.5 * (1 - right_share));
  share(0, left + 1, 0.5 * right_share);
  double scaled = place;
  for (std::size_t level = 0; level < kDigitLevels; ++level) {
    // Exact: a product with a power of two, and the remainder of a division by 1.
    const double around = (scaled - std::floor(scaled)) * static_cast<double>(kDigitCentres);
    const std::size_t digit = std::min(static_cast<std::size_t>(around), kDigitCentres - 1);
    const double next_share = around - static_cast<double>(digit);
    const std::size_t first = kWideCentres + level * kDigitCentres;
    share(first, digit, 0.125 * (1 - next_share));
    share(first, (digit + 1) % kDigitCentres, 0.125 * next_share);
    scaled *= 4;
  }
}

}  // namespace unscatter
