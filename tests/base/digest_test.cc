#include "unscatter/base/digest.h"

#include <gtest/gtest.h>

namespace unscatter {
namespace {

TEST(Digest, IsBlake2b256) {
  // BLAKE2b-256 of the empty string, as published in the BLAKE2 test vectors.
  EXPECT_EQ(Hasher().finish().hex(), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST(Digest, PiecesDoNotRunTogether) {
  const auto of = [](std::string_view a, std::string_view b) { return Hasher().add(a).add(b).finish(); };
  EXPECT_NE(of("ab", "c"), of("a", "bc"));
  EXPECT_EQ(of("ab", "c"), of("ab", "c"));
}

TEST(Digest, ZerosOfBothSignsAreOneNumber) {
  EXPECT_EQ(Hasher().add(0.0).finish(), Hasher().add(-0.0).finish());
  EXPECT_NE(Hasher().add(0.0).finish(), Hasher().add(1e-300).finish());
}

}  // namespace
}  // namespace unscatter
