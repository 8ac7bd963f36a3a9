// Random bytes.  Two worlds that must not meet:
//
//  * RandomSource: noise that protects people.  The library has one implementation, SecureRandom (libsodium).  Tests
//    have a seeded one, which is not installed.
//  * Sequence: explicit seeds, for splits and synthetic data, the same on every machine.  It is deliberately not a
//    RandomSource, so that a seeded generator cannot be handed to anything that adds protective noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

#include "unscatter/base/invariant.h"

namespace unscatter {

class RandomSource {
 public:
  RandomSource() = default;
  RandomSource(const RandomSource&) = delete;
  RandomSource& operator=(const RandomSource&) = delete;
  virtual ~RandomSource() = default;
  virtual void fill(std::span<std::byte> bytes) = 0;
};

// The operating system's generator through libsodium.  Thread-safe.
class SecureRandom final : public RandomSource {
 public:
  SecureRandom();
  void fill(std::span<std::byte> bytes) override;
};

// A reproducible stream of integers: mt19937_64, whose output the C++ standard fixes.  Draws below a bound are made by
// rejection.  The distributions of the standard library are not used, because they differ between libraries.  Not
// thread-safe.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::uint64_t next() { return engine_(); }
  // Uniform on {0, ..., bound - 1}; bound >= 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  // Uniform on [0, 1), a multiple of 2^-53.
  [[nodiscard]] double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  [[nodiscard]] bool chance(double probability) { return unit() < probability; }

  // Fisher-Yates, in place.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace unscatter
