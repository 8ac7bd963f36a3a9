// Non-negative amounts without any rounding, for budgets.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

// A multiple of 10^-1080 below 10^315.  That holds every finite double (whose exact value has at most 1074 decimals)
// and every decimal that a person would write, so that both can be added and compared with no rounding at all.  A value
// of 620 bytes.
class ExactAmount {
 public:
  // Zero.
  ExactAmount() = default;

  // The double exactly as it is: from_double(0.1) is 0.1000000000000000055511151231257827...
  // Errors: kInvalidArgument unless value is finite and >= 0 (-0 is 0).
  [[nodiscard]] static Result<ExactAmount> from_double(double value);

  // The decimal as written: parse("0.1") is one tenth.  Digits, one point, an exponent: "1", "0.25", ".5", "1e-4",
  // "2.5E+3". Errors: kInvalidArgument for anything else, for decimals beyond the 1080th, and from 10^309 on.
  [[nodiscard]] static Result<ExactAmount> parse(std::string_view text);

  // All decimals, no trailing zeros: parse(to_string()) gives the same amount.
  [[nodiscard]] std::string to_string() const;
  // The nearest doubles on either side; equal if the amount is a double.
  [[nodiscard]] double double_lower_bound() const;
  [[nodiscard]] double double_upper_bound() const;

  friend std::strong_ordering operator<=>(const ExactAmount& a, const ExactAmount& b) noexcept;
  friend bool operator==(const ExactAmount& a, const ExactAmount& b) noexcept = default;

  // A sum of 10^315 or more, or a difference below zero, is a broken invariant.
  friend ExactAmount operator+(const ExactAmount& a, const ExactAmount& b);
  friend ExactAmount operator-(const ExactAmount& a, const ExactAmount& b);

 private:
  static constexpr std::size_t kDigitsPerLimb = 9;
  static constexpr std::size_t kFractionLimbs = 120;  // 1080 decimals
  static constexpr std::size_t kIntegerLimbs = 35;    // 315 digits: two amounts below 10^309 and their sum

  void multiply(std::uint32_t factor);
  void divide(std::uint32_t divisor);

  // Digits in base 10^9, the least significant first; the first kFractionLimbs are behind the point.
  std::array<std::uint32_t, kFractionLimbs + kIntegerLimbs> limbs_{};
};

}  // namespace unscatter
