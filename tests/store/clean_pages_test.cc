#include "store/clean_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

void run_sql(sqlite3* database, const std::string& sql) {
  char* message = nullptr;
  ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message << ": " << sql;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::size_t kNames = 3000;

// Of several lengths; none is a part of another.
std::string name_of(std::size_t i) {
  return "person-" + std::to_string(100000 + i) + "-" + std::string(10 + i * 7919 % 47, 'x');
}
bool stays(std::size_t i) { return name_of(i).size() % 3 == 0; }

// A table of names, most of which go again.
void let_names_come_and_go(const fs::path& path, bool cleaned) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  const std::shared_ptr<const void> cleaning = cleaned ? clear_written_pages(database) : nullptr;
  ASSERT_EQ(cleaning != nullptr, cleaned);
  run_sql(database,
          "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;"
          "CREATE TABLE t(key TEXT PRIMARY KEY, name TEXT) STRICT, WITHOUT ROWID; BEGIN");
  for (std::size_t i = 0; i < kNames; ++i) {
    const std::string key = std::to_string(i * 1103515245 % 65536) + "-" + std::to_string(i);
    run_sql(database, "INSERT INTO t VALUES('" + key + "', '" + name_of(i) + "')");
  }
  run_sql(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  run_sql(database, "DELETE FROM t WHERE length(name) % 3 > 0; PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_EQ(sqlite3_close(database), SQLITE_OK);
}

// Names that went and are still there.
std::size_t leftovers_in(const fs::path& path) {
  const std::string content = content_of(path);
  std::size_t left = 0;
  for (std::size_t i = 0; i < kNames; ++i) {
    if (!stays(i) && content.find(name_of(i).substr(0, 14)) != std::string::npos) ++left;
  }
  return left;
}

TEST(CleanPages, NoNameStaysInTheFile) {
  const testing::TemporaryFolder folder;
  // As planted fault: without cleaning SQLite leaves some of them, whatever secure_delete says.
  let_names_come_and_go(folder.path() / "plain.db", false);
  EXPECT_GT(leftovers_in(folder.path() / "plain.db"), 0U);
  let_names_come_and_go(folder.path() / "cleaned.db", true);
  EXPECT_EQ(leftovers_in(folder.path() / "cleaned.db"), 0U);
}

TEST(CleanPages, WhatIsThereStaysSound) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "cleaned.db";
  let_names_come_and_go(path, true);
  std::size_t expected = 0;
  for (std::size_t i = 0; i < kNames; ++i) expected += stays(i) ? 1U : 0U;
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  std::string found;
  const auto append = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) += std::string(values[0]) + ";";
    return 0;
  };
  run_sql(database, "PRAGMA cell_size_check = ON");
  sqlite3_exec(database, "PRAGMA integrity_check; SELECT count(*) FROM t", append, &found, nullptr);
  EXPECT_EQ(found, "ok;" + std::to_string(expected) + ";");
  sqlite3_close(database);
}

TEST(CleanPages, AWholeFileIsClearedOfOldRows) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "plain.db";
  let_names_come_and_go(path, false);
  ASSERT_GT(leftovers_in(path), 0U);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  ASSERT_TRUE(clear_pages_of_file(descriptor, path).ok());
  ::close(descriptor);
  EXPECT_EQ(leftovers_in(path), 0U);
}

TEST(CleanPages, OtherPagesAndNonsenseAreLeftAlone) {
  std::vector<unsigned char> page(4096, 0xee);
  const auto unchanged = [&](std::array<unsigned char, 8> header) {
    std::copy(header.begin(), header.end(), page.begin());
    const std::vector<unsigned char> before = page;
    return !clear_unallocated(page, false) && page == before;
  };
  EXPECT_TRUE(unchanged({0x00, 0, 0, 9, 0, 0, 0, 0}));        // an overflow page
  EXPECT_TRUE(unchanged({0x0d, 0, 0, 0xff, 0xff, 1, 0, 0}));  // more cells than fit
  EXPECT_TRUE(unchanged({0x0d, 0, 0, 0, 0, 0xff, 0xff, 0}));  // content behind the end
  EXPECT_TRUE(unchanged({0x0d, 0, 0, 0, 1, 0x0f, 0x00, 0}));  // a cell that lies elsewhere (0xeeee)
  std::vector<unsigned char> tiny(100, 0x0d);
  EXPECT_FALSE(clear_unallocated(tiny, false));
}

}  // namespace
}  // namespace unscatter
