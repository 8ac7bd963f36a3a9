#include "graph/readers/archive.h"

#include <gtest/gtest.h>

#include <array>

#include "support/make_archive.h"

namespace unscatter::readers {
namespace {

using testing::make_zip;
using testing::ZipMethod;

Result<std::string> read_member(const std::string& zip, std::string_view member, std::uint64_t max_bytes = 1 << 20) {
  ByteBudget budget(max_bytes);
  UNSCATTER_TRY(source, open_member(Input::memory("a.zip", zip), member, budget));
  std::string content;
  std::array<char, 7> block{};
  for (;;) {
    UNSCATTER_TRY(count, source->read(block));
    if (count == 0) return content;
    content.append(block.data(), count);
  }
}

TEST(Archive, MembersByNameInAnyOrder) {
  for (const ZipMethod method : {ZipMethod::kStored, ZipMethod::kDeflate}) {
    const std::string zip = make_zip({{"D/one.txt", "first"}, {"D//two.txt", std::string(500, 'x')}}, method);
    EXPECT_EQ(list_members(Input::memory("a.zip", zip)).value(), (std::vector<std::string>{"D/one.txt", "D//two.txt"}));
    EXPECT_EQ(read_member(zip, "D//two.txt").value(), std::string(500, 'x'));
    EXPECT_EQ(read_member(zip, "D/one.txt").value(), "first");
    EXPECT_EQ(read_member(zip, "three").error().message, "a.zip: no member 'three'");
  }
}

TEST(Archive, RefusesWhatItCannotTrust) {
  std::string zip = make_zip({{"one.txt", "some content"}}, ZipMethod::kStored);
  EXPECT_EQ(read_member("no archive", "x").error().message, "a.zip: not a whole zip archive");
  EXPECT_EQ(read_member("", "x").error().message, "a.zip: not a whole zip archive");

  std::string flipped = zip;
  flipped[zip.find("some content")] = 'S';
  EXPECT_NE(read_member(flipped, "one.txt").error().message.find("a.zip/one.txt: damaged archive"), std::string::npos);

  const std::string encrypted = testing::make_encrypted_zip({{"one.txt", "secret"}}, "key");
  EXPECT_EQ(read_member(encrypted, "one.txt").error().message, "a.zip/one.txt: the member is encrypted");

  const std::string twice = make_zip({{"one.txt", "a"}, {"one.txt", "b"}});
  EXPECT_EQ(list_members(Input::memory("a.zip", twice)).error().message, "a.zip: member 'one.txt' occurs twice");
}

// A thousand times its size, and not a byte more than the budget is handed out.
TEST(Archive, ABombStopsAtTheBudget) {
  const std::string zip =
      make_zip({{"bomb", std::string(10'000'000, '0')}});  // NOLINT(bugprone-string-constructor): large on purpose
  ASSERT_LT(zip.size(), 20'000u);
  const Result<std::string> content = read_member(zip, "bomb", 1'000'000);
  ASSERT_FALSE(content.ok());
  EXPECT_EQ(content.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(content.error().message, "a.zip/bomb: more than the 1000000 bytes that the limits allow");
}

TEST(Archive, MissingFileIsNotFound) {
  EXPECT_EQ(list_members(Input::file("/nonexistent/a.zip")).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace unscatter::readers
