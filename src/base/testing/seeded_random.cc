#include "base/testing/seeded_random.h"

#include <sodium.h>

#include "unscatter/base/invariant.h"

namespace unscatter::testing {

SeededRandom::SeededRandom(std::uint64_t seed) : seed_(seed) {
  if (sodium_init() < 0) throw InvariantViolation("libsodium could not be initialised");
}

void SeededRandom::fill(std::span<std::byte> bytes) {
  // ChaCha20 under a key made of (seed, number of the call): calls do not repeat one another.
  unsigned char key[randombytes_SEEDBYTES] = {};
  for (unsigned i = 0; i < 8; ++i) {
    key[i] = static_cast<unsigned char>(seed_ >> (8 * i));
    key[8 + i] = static_cast<unsigned char>(calls_ >> (8 * i));
  }
  ++calls_;
  randombytes_buf_deterministic(bytes.data(), bytes.size(), key);
}

}  // namespace unscatter::testing
