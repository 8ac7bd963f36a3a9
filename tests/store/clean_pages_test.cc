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
#include <random>
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

// Names of one length, so that none is a part of another.
std::vector<std::string> many_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("person-" + std::to_string(1000000 + i * 7919 % 900001));
  return names;
}

std::size_t count_in(const fs::path& path, const std::vector<std::string>& names, std::size_t first) {
  const std::string content = content_of(path);
  return static_cast<std::size_t>(
      std::count_if(names.begin() + static_cast<std::ptrdiff_t>(first), names.end(),
                    [&](const std::string& name) { return content.find(name) != std::string::npos; }));
}

// A table of names as that of due dates, in which most names come and go one by one.  The first `kept` of them stay.
void let_names_come_and_go(const fs::path& path, const std::vector<std::string>& names, std::size_t kept,
                           bool cleaned) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  {
    const std::shared_ptr<const void> cleaning = cleaned ? clear_written_pages(database) : nullptr;
    ASSERT_EQ(cleaning != nullptr, cleaned);
    run_sql(database,
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;"
            "CREATE TABLE t(name BLOB PRIMARY KEY, due INTEGER, seal BLOB) STRICT, WITHOUT ROWID; BEGIN");
    for (const std::string& name : names) {
      run_sql(database, "INSERT INTO t VALUES(CAST('" + name + "' AS BLOB), 7, randomblob(32))");
    }
    run_sql(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    std::vector<std::string> leaving(names.begin() + static_cast<std::ptrdiff_t>(kept), names.end());
    std::shuffle(leaving.begin(), leaving.end(), std::mt19937(5));
    for (std::size_t first = 0; first < leaving.size(); first += 37) {
      run_sql(database, "BEGIN");
      for (std::size_t i = first; i < std::min(first + 37, leaving.size()); ++i) {
        run_sql(database, "DELETE FROM t WHERE name = CAST('" + leaving[i] + "' AS BLOB)");
      }
      run_sql(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    }
    EXPECT_EQ(sqlite3_close(database), SQLITE_OK);
  }
}

TEST(CleanPages, NoNameStaysInTheFile) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> names = many_names(6000);
  // As planted fault: without cleaning SQLite leaves some of them, whatever secure_delete says.
  let_names_come_and_go(folder.path() / "plain.db", names, 3000, false);
  EXPECT_GT(count_in(folder.path() / "plain.db", names, 3000), 0U);
  let_names_come_and_go(folder.path() / "cleaned.db", names, 3000, true);
  EXPECT_EQ(count_in(folder.path() / "cleaned.db", names, 3000), 0U);
}

TEST(CleanPages, WhatIsThereStaysSound) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "cleaned.db";
  const std::vector<std::string> names = many_names(2000);
  let_names_come_and_go(path, names, 900, true);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  std::string found;
  const auto append = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) += std::string(values[0]) + ";";
    return 0;
  };
  run_sql(database, "PRAGMA cell_size_check = ON");
  sqlite3_exec(database, "PRAGMA integrity_check; SELECT count(*) FROM t", append, &found, nullptr);
  EXPECT_EQ(found, "ok;900;");
  sqlite3_close(database);
}

TEST(CleanPages, AWholeFileIsClearedOfOldRows) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.path() / "plain.db";
  const std::vector<std::string> names = many_names(6000);
  let_names_come_and_go(path, names, 3000, false);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  ASSERT_TRUE(clear_pages_of_file(descriptor, path).ok());
  ::close(descriptor);
  EXPECT_EQ(count_in(path, names, 3000), 0U);
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
