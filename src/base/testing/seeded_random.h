// A reproducible RandomSource.  FOR TESTS ONLY: noise drawn from it protects nobody.
#pragma once

#include <cstdint>

#include "unscatter/base/random.h"

namespace unscatter::testing {

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(std::uint64_t seed);
  void fill(std::span<std::byte> bytes) override;

 private:
  std::uint64_t seed_;
  std::uint64_t calls_ = 0;
};

}  // namespace unscatter::testing
