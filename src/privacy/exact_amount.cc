#include "unscatter/privacy/exact_amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

namespace unscatter {
namespace {

constexpr std::uint32_t kBase = 1'000'000'000;
constexpr std::uint32_t kPowersOfTen[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

Error malformed(std::string_view text, std::string_view reason) {
  constexpr std::size_t kShown = 60;
  const std::string_view shown = text.substr(0, kShown);
  return Error{ErrorCode::kInvalidArgument, fmt::format("\"{}\" is not an amount: {}", shown, reason)};
}

// digits * 10^exponent, still as text.
struct Decimal {
  std::string digits;
  long exponent;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal decimal{{}, 0};
  std::size_t at = 0;
  for (bool after_point = false; at < text.size(); ++at) {
    if (text[at] == '.' && !after_point) {
      after_point = true;
    } else if (is_digit(text[at])) {
      decimal.digits += text[at];
      decimal.exponent -= after_point ? 1 : 0;
    } else {
      break;
    }
  }
  if (decimal.digits.empty()) return std::nullopt;
  if (at == text.size()) return decimal;
  if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
  ++at;
  const bool plus = at < text.size() && text[at] == '+';
  const char* const begin = text.data() + at + (plus ? 1 : 0);
  const char* const end = text.data() + text.size();
  if (plus && begin != end && *begin == '-') return std::nullopt;
  int written = 0;
  const auto [stopped, error] = std::from_chars(begin, end, written);
  if (error != std::errc() || stopped != end) return std::nullopt;
  decimal.exponent += written;
  return decimal;
}

}  // namespace

// With carries from the least significant limb up, and remainders from the most significant one down.
void ExactAmount::multiply(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  invariant(carry == 0, "ExactAmount overflows");
}

void ExactAmount::divide(std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    rest = rest * kBase + limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  invariant(rest == 0, "ExactAmount has too few decimals");
}

Result<ExactAmount> ExactAmount::from_double(double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("an amount must be finite and at least 0, not {}", value)};
  }
  // value = mantissa 2^exponent with an integer mantissa.  A negative exponent is at least -1074 once the mantissa is
  // odd, so that the quotient has at most 1074 decimals and divide() leaves no rest.
  int exponent = 0;
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  while (mantissa != 0 && mantissa % 2 == 0 && exponent < 0) {
    mantissa /= 2;
    ++exponent;
  }
  ExactAmount amount;
  if (mantissa == 0) return amount;
  amount.limbs_[kFractionLimbs] = static_cast<std::uint32_t>(mantissa % kBase);
  amount.limbs_[kFractionLimbs + 1] = static_cast<std::uint32_t>(mantissa / kBase);
  constexpr int kStep = 29;  // 2^29 < 10^9
  for (; exponent > 0; exponent -= std::min(exponent, kStep))
    amount.multiply(std::uint32_t{1} << std::min(exponent, kStep));
  for (; exponent < 0; exponent += std::min(-exponent, kStep))
    amount.divide(std::uint32_t{1} << std::min(-exponent, kStep));
  return amount;
}

Result<ExactAmount> ExactAmount::parse(std::string_view text) {
  const std::optional<Decimal> decimal = split_decimal(text);
  if (!decimal) return malformed(text, "expected digits, at most one point and an exponent, such as 0.25 or 1e-4");
  ExactAmount amount;
  constexpr long kDecimals = kFractionLimbs * kDigitsPerLimb;
  constexpr long kLargestExponent = 308;
  long place = decimal->exponent + static_cast<long>(decimal->digits.size());
  for (const char digit : decimal->digits) {
    --place;  // the power of ten of this digit
    if (digit == '0') continue;
    if (place > kLargestExponent) return malformed(text, "it is 1e309 or larger");
    if (place < -kDecimals) return malformed(text, fmt::format("it has more than {} decimals", kDecimals));
    const auto position = static_cast<std::size_t>(place + kDecimals);
    amount.limbs_[position / kDigitsPerLimb] +=
        static_cast<std::uint32_t>(digit - '0') * kPowersOfTen[position % kDigitsPerLimb];
  }
  return amount;
}

std::string ExactAmount::to_string() const {
  std::string integer;
  std::string fraction;
  for (std::size_t i = limbs_.size(); i-- > 0;)
    (i >= kFractionLimbs ? integer : fraction) += fmt::format("{:09}", limbs_[i]);
  integer.erase(0, std::min(integer.find_first_not_of('0'), integer.size() - 1));
  const std::size_t last = fraction.find_last_not_of('0');
  return last == std::string::npos ? integer : integer + "." + fraction.substr(0, last + 1);
}

// from_chars rounds to nearest; the exact comparison tells whether that went to the wrong side.
double ExactAmount::double_lower_bound() const {
  const std::string text = to_string();
  double nearest = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nearest);
  if (error == std::errc::result_out_of_range) {
    const bool large = text[0] != '0';
    return large ? std::numeric_limits<double>::max() : 0;
  }
  if (std::isinf(nearest)) return std::numeric_limits<double>::max();
  return from_double(nearest).value() <= *this ? nearest : std::nextafter(nearest, 0.0);
}

double ExactAmount::double_upper_bound() const {
  const double below = double_lower_bound();
  return from_double(below).value() == *this ? below : std::nextafter(below, std::numeric_limits<double>::infinity());
}

std::strong_ordering operator<=>(const ExactAmount& a, const ExactAmount& b) noexcept {
  return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(), b.limbs_.rend());
}

ExactAmount operator+(const ExactAmount& a, const ExactAmount& b) {
  ExactAmount sum;
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < sum.limbs_.size(); ++i) {
    const std::uint32_t digit = a.limbs_[i] + b.limbs_[i] + carry;  // below 2 10^9: fits
    carry = digit >= kBase ? 1 : 0;
    sum.limbs_[i] = digit - carry * kBase;
  }
  invariant(carry == 0, "ExactAmount overflows");
  return sum;
}

ExactAmount operator-(const ExactAmount& a, const ExactAmount& b) {
  ExactAmount difference;
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < difference.limbs_.size(); ++i) {
    const std::uint32_t taken = b.limbs_[i] + borrow;
    borrow = a.limbs_[i] < taken ? 1 : 0;
    difference.limbs_[i] = a.limbs_[i] + borrow * kBase - taken;
  }
  invariant(borrow == 0, "ExactAmount below zero");
  return difference;
}

}  // namespace unscatter
