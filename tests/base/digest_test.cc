#include "unscatter/base/digest.h"

#include <gtest/gtest.h>

#include "base/testing/seeded_random.h"

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

TEST(Digest, HexIsReadBackInOneSpellingOnly) {
  const Digest digest = Hasher().add(std::string_view("x")).finish();
  EXPECT_EQ(parse_digest(digest.hex()).value(), digest);
  std::string upper = digest.hex();
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  for (const std::string& bad :
       {upper, digest.hex() + "0", digest.hex().substr(1), "g" + digest.hex().substr(1), std::string()}) {
    EXPECT_EQ(parse_digest(bad).error().code, ErrorCode::kMalformedInput) << bad;
  }
}

TEST(Salt, ChangesTheDigestAndIsReadBack) {
  testing::SeededRandom random(1);
  const Salt a = Salt::random(random);
  const Salt b = Salt::random(random);
  const auto of = [](const Salt& salt) { return Hasher(salt).add(std::string_view("x")).finish(); };
  EXPECT_NE(a, b);
  EXPECT_EQ(of(a), of(a));
  EXPECT_NE(of(a), of(b));
  EXPECT_NE(of(a), Hasher().add(std::string_view("x")).finish());
  EXPECT_EQ(parse_salt(a.hex()).value(), a);
}

}  // namespace
}  // namespace unscatter
