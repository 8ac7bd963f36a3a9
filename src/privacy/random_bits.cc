#include "privacy/random_bits.h"

#include <bit>

namespace unscatter {
namespace {

// Von Neumann's race, as in [Canonne20, Alg. 1].  True with probability exp(-gamma).
//
// Take independent events of probability gamma/1, gamma/2, gamma/3 and so on, until one fails.  The number K of the one
// that fails is above k with probability gamma^k / k!. So K is odd with probability 1 - gamma + gamma^2/2! - ... =
// exp(-gamma). gamma/k comes as two coins, one of probability gamma and one of 1/k, so that no product can overflow.
template <typename Gamma>
bool race(RandomBits& bits, Gamma gamma) {
  std::uint64_t k = 1;
  while (gamma() && bits.coin(1, k)) {
    // A fair source gets here with probability 1/64!, below 2^-295.  A source that is stuck would go on for ever.
    invariant(k < 64, "the random source is stuck");
    ++k;
  }
  return k % 2 == 1;
}

}  // namespace

RandomBits::~RandomBits() {
  // Through a pointer to volatile.  The compiler would otherwise leave out stores that nobody reads.
  volatile std::byte* bytes = buffer_.data();
  for (std::size_t i = 0; i < buffer_.size(); ++i) bytes[i] = std::byte{0};
}

bool RandomBits::next() {
  if (bits_used_ == buffer_.size() * 8) {
    source_.fill(buffer_);
    bits_used_ = 0;
  }
  const auto byte = std::to_integer<unsigned>(buffer_[bits_used_ / 8]);
  const bool bit = ((byte >> (bits_used_ % 8)) & 1u) != 0;
  ++bits_used_;
  return bit;
}

std::uint64_t RandomBits::next(int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 1 | static_cast<std::uint64_t>(next());
  return value;
}

std::uint64_t RandomBits::below(std::uint64_t bound) {
  invariant(bound >= 1, "RandomBits::below needs a positive bound");
  // Taking a remainder instead of rejecting would make small numbers more likely than large ones.
  const int width = static_cast<int>(std::bit_width(bound - 1));
  std::uint64_t draw = next(width);
  // A draw is rejected with probability below 1/2, so a fair source is never rejected 1000 times in a row.
  for (int rejections = 0; draw >= bound; ++rejections) {
    invariant(rejections < 1000, "the random source is stuck");
    draw = next(width);
  }
  return draw;
}

// Is a uniform real number below numerator / denominator? Its binary digits are drawn until one differs from the digit
// of the quotient.  Long division yields the digits of the quotient one by one.  The first digit that differs decides.
bool RandomBits::coin(Uint128 numerator, Uint128 denominator) {
  invariant(denominator >= 1 && denominator <= Uint128{1} << 126 && numerator <= denominator,
            "a probability out of range");
  if (numerator == denominator) return true;
  for (int digits = 0; numerator != 0; ++digits) {
    invariant(digits < 1000, "the random source is stuck");  // a digit agrees with probability 1/2
    numerator *= 2;
    const bool digit = numerator >= denominator;
    if (digit) numerator -= denominator;
    if (next() != digit) return digit;
  }
  return false;  // all further digits of the quotient are 0, so the real number is not below it
}

bool RandomBits::exponential_coin(Uint128 numerator, Uint128 denominator) {
  return race(*this, [&] { return coin(numerator, denominator); });
}

// With x = i + f, exp(-x^2/2) = exp(-1/2)^(i^2) exp(-f)^i exp(-f^2/2).  All factors are coins whose probabilities are
// made of f and small fractions. x^2 itself, which may not fit into 128 bits, is never formed.  If i is large, the
// first factor fails after a few coins.
bool RandomBits::gaussian_coin(Uint128 whole, Uint128 numerator, Uint128 denominator) {
  for (Uint128 i = 0; i < whole; ++i) {
    for (Uint128 j = 0; j < whole; ++j) {
      if (!exponential_coin(1, 2)) return false;
    }
  }
  for (Uint128 i = 0; i < whole; ++i) {
    if (!exponential_coin(numerator, denominator)) return false;
  }
  // gamma = f^2/2 as three coins: a fair one and two of probability f.
  return race(*this, [&] { return next() && coin(numerator, denominator) && coin(numerator, denominator); });
}

}  // namespace unscatter
