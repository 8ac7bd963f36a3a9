// exp(-x) in plain arithmetic, so that a loop over it becomes SIMD code and gives the same numbers on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace unscatter {

inline constexpr double kLargestExponent = 700;

// For x from 0 to kLargestExponent.  The relative error is below 10^-15.
inline double exp_minus(double x) {
  constexpr double kLog2e = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fefa0000p-1;  // the product with a whole number up to 2^11 is exact
  constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
  constexpr double kRounder = 0x1.8p52;  // added to a small number it leaves the nearest whole number in the last bits
  const double rounded = x * kLog2e + kRounder;
  const double k = rounded - kRounder;
  const double r = (k * kLn2High - x) + k * kLn2Low;  // -x = r - k ln 2, |r| <= 0.35
  // The Taylor series to order 12; the next term is below 2 * 10^-16.
  double p = 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  const std::uint64_t whole = std::bit_cast<std::uint64_t>(rounded) - std::bit_cast<std::uint64_t>(kRounder);
  return p * std::bit_cast<double>((1023 - whole) << 52);
}

// The same for `count` numbers >= 0, in place.  Beyond kLargestExponent it is the value there.
inline void exp_minus(double* x, std::size_t count) {
  // A loop of its own: a comparison would keep the next one from becoming SIMD code.
  for (std::size_t i = 0; i < count; ++i) x[i] = x[i] < kLargestExponent ? x[i] : kLargestExponent;
  for (std::size_t i = 0; i < count; ++i) x[i] = exp_minus(x[i]);
}

}  // namespace unscatter
