#include "base/hex.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unscatter {
namespace {

TEST(Hex, EveryByteIsReadBack) {
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const std::string digits = to_hex(bytes);
  EXPECT_EQ(digits.substr(0, 6), "000102");
  EXPECT_EQ(digits.substr(508), "feff");
  std::vector<std::uint8_t> read(256);
  ASSERT_TRUE(from_hex(digits, read));
  EXPECT_EQ(read, bytes);
}

TEST(Hex, NothingIsTheEmptyText) {
  EXPECT_EQ(to_hex({}), "");
  EXPECT_TRUE(from_hex("", {}));
  EXPECT_FALSE(from_hex("00", {}));
}

TEST(Hex, RefusesEverythingElseAndLeavesZeros) {
  for (const std::string_view bad :
       {"", "0", "000", "0000000", "00000", "00FF", "00fg", "g000", "0x00", " 000", "000\n"}) {
    std::array<std::uint8_t, 2> bytes = {1, 2};
    EXPECT_FALSE(from_hex(bad, bytes)) << bad;
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 2>{})) << bad;
  }
}

}  // namespace
}  // namespace unscatter
