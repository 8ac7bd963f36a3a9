#include "unscatter/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/testing/seeded_random.h"

namespace unscatter {
namespace {

TEST(Sequence, IsFixedByTheStandard) {
  // The 10000th draw of mt19937_64 under its default seed is stated in the C++ standard [rand.predef].
  Sequence sequence(5489);
  std::uint64_t last = 0;
  for (int i = 0; i < 10000; ++i) last = sequence.next();
  EXPECT_EQ(last, 9981545732273789042ull);
}

TEST(Sequence, BoundedDrawsAreUniform) {
  Sequence sequence(7);
  std::array<int, 6> counts{};
  constexpr int kDraws = 60000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(sequence.below(6));
  // Chi-square with 5 degrees of freedom: 30 has a probability near 1e-5.
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - kDraws / 6.0) * (count - kDraws / 6.0) / (kDraws / 6.0);
  EXPECT_LT(chi_square, 30);
}

TEST(Sequence, ShuffleIsAPermutationAndRepeats) {
  std::vector<int> a(100);
  std::iota(a.begin(), a.end(), 0);
  std::vector<int> b = a;
  Sequence(3).shuffle(std::span(a));
  Sequence(3).shuffle(std::span(b));
  EXPECT_EQ(a, b);
  EXPECT_FALSE(std::is_sorted(a.begin(), a.end()));
  std::sort(a.begin(), a.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], i);
}

TEST(Sequence, UnitStaysBelowOne) {
  Sequence sequence(11);
  for (int i = 0; i < 10000; ++i) {
    const double u = sequence.unit();
    EXPECT_GE(u, 0.0);
    EXPECT_LT(u, 1.0);
  }
}

TEST(SecureRandom, DoesNotRepeat) {
  SecureRandom source;
  std::array<std::byte, 32> a{};
  std::array<std::byte, 32> b{};
  source.fill(a);
  source.fill(b);
  EXPECT_NE(a, b);
}

TEST(SeededRandom, RepeatsPerSeedButNotPerCall) {
  testing::SeededRandom one(1);
  testing::SeededRandom same(1);
  testing::SeededRandom other(2);
  std::array<std::byte, 32> a{};
  std::array<std::byte, 32> b{};
  one.fill(a);
  same.fill(b);
  EXPECT_EQ(a, b);
  one.fill(a);
  EXPECT_NE(a, b);
  other.fill(a);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace unscatter
