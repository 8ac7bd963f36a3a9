#include "store/unused_pages.h"

#include <gtest/gtest.h>

#include <functional>

#include "store/sqlite.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

class UnusedPagesOf : public ::testing::Test {
 protected:
  // 2,000 pages of random bytes, written and deleted; more than one page of the list holds.
  [[nodiscard]] std::filesystem::path file_with_unused_pages(const std::string& secure) const {
    const auto path = folder_.path() / ("secure-" + secure);
    const Database database = Database::open(path, Database::Mode::kCreate, std::chrono::milliseconds(0)).value();
    EXPECT_TRUE(
        database.run("PRAGMA page_size = 512; PRAGMA secure_delete = " + secure + "; CREATE TABLE t(b BLOB)").ok());
    EXPECT_TRUE(database.run("INSERT INTO t VALUES(randomblob(1000000)); DELETE FROM t").ok());
    return path;
  }
  // Overwrites four bytes, as a big-endian number.
  void set(std::string& file, std::size_t place, std::uint32_t value) const {
    for (std::size_t i = 0; i < 4; ++i) file.at(place + i) = static_cast<char>(value >> (24 - 8 * i));
  }

  [[nodiscard]] static std::size_t number_at(const std::string& file, std::size_t place) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(file.at(place + i));
    return value;
  }
  // Where the first page of the list begins.
  [[nodiscard]] static std::size_t first_trunk(const std::string& file) { return (number_at(file, 32) - 1) * 512; }

  testing::TemporaryFolder folder_{testing::memory_folder()};
};

TEST_F(UnusedPagesOf, AreEmptyAfterASecureDeletionOnly) {
  const UnusedPages clean = examine_unused_pages(file_with_unused_pages("ON")).value();
  EXPECT_GT(clean.pages, 1900u);
  EXPECT_EQ(clean.not_empty, 0u);
  const UnusedPages dirty = examine_unused_pages(file_with_unused_pages("OFF")).value();
  EXPECT_EQ(dirty.pages, clean.pages);
  EXPECT_GT(dirty.not_empty, 1800u);
}

TEST_F(UnusedPagesOf, EveryByteCounts) {
  const auto path = file_with_unused_pages("ON");
  std::string file = testing::read_whole_file(path);
  file.back() = 'x';  // of the last page, which is unused
  EXPECT_EQ(examine_unused_pages(folder_.write("one-byte", file)).value().not_empty, 1u);
}

// SQLite takes a leaf into use, shortens the list, and leaves the number where it was.
TEST_F(UnusedPagesOf, AStaleLeafNumberIsNotData) {
  const auto path = file_with_unused_pages("ON");
  {
    const Database database = Database::open(path, Database::Mode::kExisting, std::chrono::milliseconds(0)).value();
    ASSERT_TRUE(database.run("PRAGMA secure_delete = ON").ok());
    // One page after the other, so that lists become shorter by one.
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(database.run("INSERT INTO t VALUES(zeroblob(450))").ok());
  }
  const std::string file = testing::read_whole_file(path);
  const std::size_t trunk = first_trunk(file);
  const std::size_t behind = trunk + 8 + 4 * number_at(file, trunk + 4);
  ASSERT_LT(behind + 16, trunk + 512);
  EXPECT_NE(number_at(file, behind), 0u) << "no number was left behind, so this test shows nothing";
  EXPECT_EQ(examine_unused_pages(path).value().not_empty, 0u);

  // Data is found there all the same: right behind the list, in the place of the number, and after zeros.
  for (const std::size_t place : {behind, behind + 4, behind + 12, trunk + 508}) {
    std::string planted = file;
    planted.replace(place, 4, "Anna");
    EXPECT_EQ(examine_unused_pages(folder_.write("planted", planted)).value().not_empty, 1u) << place - behind;
  }
  // Numbers that no page has are data as well.
  std::string number = file;
  set(number, behind, 4000000);
  EXPECT_EQ(examine_unused_pages(folder_.write("number", number)).value().not_empty, 1u);
}

TEST_F(UnusedPagesOf, AFileWithoutAnyHasNone) {
  const auto path = folder_.path() / "full";
  {
    const Database database = Database::open(path, Database::Mode::kCreate, std::chrono::milliseconds(0)).value();
    ASSERT_TRUE(database.run("CREATE TABLE t(b BLOB)").ok());
  }
  EXPECT_EQ(examine_unused_pages(path).value().pages, 0u);
}

TEST_F(UnusedPagesOf, ABrokenListIsTold) {
  const std::string file = testing::read_whole_file(file_with_unused_pages("ON"));
  constexpr std::size_t kFirst = 32;
  constexpr std::size_t kCount = 36;
  const auto first = static_cast<std::size_t>(static_cast<unsigned char>(file[kFirst + 2])) << 8 |
                     static_cast<unsigned char>(file[kFirst + 3]);
  const std::size_t trunk = (first - 1) * 512;
  const auto code_of = [&](const std::function<void(std::string&)>& damage) {
    std::string damaged = file;
    damage(damaged);
    const Result<UnusedPages> found = examine_unused_pages(folder_.write("damaged", damaged));
    return found.ok() ? "taken" : std::string(error_code_name(found.error().code));
  };
  EXPECT_EQ(code_of([](std::string&) {}), "taken");
  EXPECT_EQ(code_of([&](std::string& f) { set(f, kCount, 5); }), "malformed-input");
  EXPECT_EQ(code_of([&](std::string& f) { set(f, kCount, 500000); }), "malformed-input");
  EXPECT_EQ(code_of([&](std::string& f) { set(f, trunk, static_cast<std::uint32_t>(first)); }), "malformed-input")
      << "a circle";
  EXPECT_EQ(code_of([&](std::string& f) { set(f, trunk + 4, 127); }), "malformed-input") << "more than a page holds";
  EXPECT_EQ(code_of([&](std::string& f) { set(f, trunk + 8, 0); }), "malformed-input") << "there is no page 0";
  EXPECT_EQ(code_of([&](std::string& f) { set(f, trunk + 8, 5000000); }), "io") << "behind the end";
  EXPECT_EQ(code_of([&](std::string& f) { f.resize(50); }), "io");
  EXPECT_EQ(examine_unused_pages(folder_.path() / "none").error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace unscatter
