// Single random bits from a RandomSource, and coins of exact rational probability made from them.  No floating point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "privacy/int128.h"
#include "unscatter/base/random.h"

namespace unscatter {

// Fetches 256 bytes at a time, since one call of the operating system's generator costs more than a sample.  Every bit
// is handed out once.  What is left is wiped on destruction.  Not thread-safe.
class RandomBits {
 public:
  explicit RandomBits(RandomSource& source) : source_(source) {}
  ~RandomBits();
  RandomBits(const RandomBits&) = delete;
  RandomBits& operator=(const RandomBits&) = delete;

  [[nodiscard]] bool next();
  // Uniform on {0, ..., 2^count - 1}; count <= 64.
  [[nodiscard]] std::uint64_t next(int count);
  // Uniform on {0, ..., bound - 1}, by rejection; bound >= 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);

  // True with probability numerator / denominator, exactly.  Needs numerator <= denominator and 1 <= denominator <=
  // 2^126.  Takes two bits on average.
  [[nodiscard]] bool coin(Uint128 numerator, Uint128 denominator);
  // True with probability exp(-numerator / denominator), exactly.  The same ranges.
  [[nodiscard]] bool exponential_coin(Uint128 numerator, Uint128 denominator);
  // True with probability exp(-x^2 / 2) for x = whole + numerator / denominator, exactly.  Needs numerator <
  // denominator <= 2^126.
  [[nodiscard]] bool gaussian_coin(Uint128 whole, Uint128 numerator, Uint128 denominator);

 private:
  RandomSource& source_;
  std::array<std::byte, 256> buffer_{};
  std::size_t bits_used_ = buffer_.size() * 8;
};

}  // namespace unscatter
