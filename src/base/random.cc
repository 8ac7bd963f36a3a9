#include "unscatter/base/random.h"

#include <sodium.h>

#include <limits>

namespace unscatter {

SecureRandom::SecureRandom() {
  // sodium_init() may be called any number of times, from any thread.
  if (sodium_init() < 0) throw InvariantViolation("libsodium could not be initialised");
}

void SecureRandom::fill(std::span<std::byte> bytes) { randombytes_buf(bytes.data(), bytes.size()); }

std::uint64_t Sequence::below(std::uint64_t bound) {
  invariant(bound >= 1, "Sequence::below needs a positive bound");
  // 2^64 need not be a multiple of `bound`.  Draws from the incomplete last block are rejected, so that every remainder
  // is equally likely.
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMax - (kMax % bound + 1) % bound;
  std::uint64_t draw = engine_();
  while (draw > limit) draw = engine_();
  return draw % bound;
}

}  // namespace unscatter
