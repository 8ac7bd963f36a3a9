#include "privacy/random_bits.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/testing/seeded_random.h"

namespace unscatter {
namespace {

// Distance from the promised probability in standard deviations; 5 has a probability below 1e-6.
template <typename Coin>
double deviation(double probability, Coin coin) {
  constexpr int kDraws = 60000;
  int heads = 0;
  for (int i = 0; i < kDraws; ++i) heads += coin() ? 1 : 0;
  if (probability == 0 || probability == 1) return heads == kDraws * probability ? 0 : 1000;
  return std::abs(heads - kDraws * probability) / std::sqrt(kDraws * probability * (1 - probability));
}

TEST(RandomBits, CoinsHaveTheirProbability) {
  testing::SeededRandom source(1);
  RandomBits bits(source);
  const std::array<std::pair<unsigned, unsigned>, 8> fractions{
      {{0, 1}, {1, 1}, {1, 2}, {1, 3}, {2, 3}, {5, 8}, {1, 1000}, {999, 1000}}};
  for (const auto& [n, d] : fractions) {
    SCOPED_TRACE(::testing::Message() << n << "/" << d);
    const double p = static_cast<double>(n) / d;
    EXPECT_LT(deviation(p, [&, n = n, d = d] { return bits.coin(n, d); }), 5);
    EXPECT_LT(deviation(std::exp(-p), [&, n = n, d = d] { return bits.exponential_coin(n, d); }), 5);
    // The same fraction with 120 binary digits.
    const Uint128 large = Uint128{1} << 110;
    EXPECT_LT(deviation(p, [&, n = n, d = d] { return bits.coin(n * large, d * large); }), 5);
  }
  EXPECT_THROW((void)bits.coin(3, 2), InvariantViolation);
  EXPECT_THROW((void)bits.coin(0, 0), InvariantViolation);
}

TEST(RandomBits, GaussianCoinsHaveTheirProbability) {
  testing::SeededRandom source(2);
  RandomBits bits(source);
  for (const unsigned whole : {0u, 1u, 2u, 3u}) {
    for (const unsigned tenths : {0u, 3u, 9u}) {
      const double x = whole + tenths / 10.0;
      EXPECT_LT(deviation(std::exp(-x * x / 2), [&] { return bits.gaussian_coin(whole, tenths, 10); }), 5) << x;
    }
  }
}

TEST(RandomBits, BelowIsUniform) {
  testing::SeededRandom source(3);
  RandomBits bits(source);
  constexpr int kDraws = 70000;
  std::array<int, 7> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts.at(bits.below(7));
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - kDraws / 7.0) * (count - kDraws / 7.0) / (kDraws / 7.0);
  EXPECT_LT(chi_square, 35);  // 6 degrees of freedom: probability below 1e-5
  EXPECT_EQ(bits.below(1), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(bits.below(0x8000000000000001ULL), 0x8000000000000001ULL);
}

// Every bit of the source is used once, in order.
TEST(RandomBits, HandsOutTheSourceAsItIs) {
  class Counter final : public RandomSource {
   public:
    void fill(std::span<std::byte> bytes) override {
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(next_++ & 0xff);
    }

   private:
    unsigned next_ = 0;
  };
  Counter source;
  RandomBits bits(source);
  for (unsigned value = 0; value < 600; ++value) {
    unsigned read = 0;
    for (unsigned bit = 0; bit < 8; ++bit) read |= static_cast<unsigned>(bits.next()) << bit;
    EXPECT_EQ(read, value & 0xff);
  }
}

}  // namespace
}  // namespace unscatter
