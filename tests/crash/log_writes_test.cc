// Writes of the log that go out together: fewer calls, and the same file.
#include "store/log_writes.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "crash/plain_database.h"
#include "store/log_syncs.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"

namespace unscatter::testing {
namespace {

void run_gathered_sql(sqlite3* database, const std::string& sql) {
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message << ": " << sql;
  sqlite3_free(message);
}

// As a workspace is opened, with few pages in memory: large transactions go to the log in parts, and are read from it.
sqlite3* open_gathered(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  run_gathered_sql(database,
                   "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                   "PRAGMA cache_size=5;");
  return database;
}

struct CountedWrites {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* original;
};
std::size_t counted_writes = 0;
const CountedWrites* counting_writes = nullptr;
int count_write(sqlite3_file* file, const void* content, int size, sqlite3_int64 offset) {
  ++counted_writes;
  return counting_writes->original->xWrite(file, content, size, offset);
}

TEST(LogWrites, ATransactionIsOneCall) {
  const TemporaryFolder folder;
  sqlite3* database = open_gathered(folder.path() / "w");
  run_gathered_sql(database,
                   "CREATE TABLE t(id INTEGER PRIMARY KEY, number, padding); PRAGMA wal_checkpoint(TRUNCATE)");
  for (int i = 0; i < 4; ++i) {
    run_gathered_sql(database, "INSERT INTO t VALUES(" + std::to_string(i) + ", 0, zeroblob(3000))");
  }
  run_gathered_sql(database, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size=100");
  sqlite3_file* log = nullptr;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  CountedWrites counting{*log->pMethods, log->pMethods};
  counting.methods.xWrite = count_write;
  counting_writes = &counting;
  log->pMethods = &counting.methods;
  const auto calls_of_update = [&] {
    counted_writes = 0;
    run_gathered_sql(database, "UPDATE t SET number = number + 1; PRAGMA wal_checkpoint(TRUNCATE)");
    return counted_writes;
  };
  EXPECT_EQ(calls_of_update(), 9);  // SQLite alone: a header, and four frames with a header each
  const std::shared_ptr<const void> sparing = spare_log_syncs(database, LogBefore::kUnknown);
  ASSERT_NE(sparing, nullptr);
  EXPECT_EQ(calls_of_update(), 2);  // what was before is not known: the header is made durable by itself
  EXPECT_EQ(calls_of_update(), 1);
  EXPECT_EQ(calls_of_update(), 1);
  sqlite3_close(database);
}

// Random transactions, some of which are rolled back in whole or in part, beside a database that writes as SQLite does.
TEST(LogWrites, TheFileIsTheSame) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    SCOPED_TRACE(seed);
    const TemporaryFolder folder;
    sqlite3* database = open_gathered(folder.path() / "gathered");
    PlainDatabase plain(folder.path() / "plain");
    Sequence random(seed);
    const auto both = [&](const std::string& sql) {
      run_gathered_sql(database, sql);
      EXPECT_TRUE(plain.execute(sql)) << plain.error();
    };
    both("CREATE TABLE t(id INTEGER PRIMARY KEY, padding TEXT)");
    const std::shared_ptr<const void> sparing = spare_log_syncs(database, LogBefore::kUnknown);
    ASSERT_NE(sparing, nullptr);
    for (std::size_t turn = 0; turn < 60; ++turn) {
      both("BEGIN");
      for (std::size_t i = random.below(200); i > 0; --i) {
        if (random.chance(0.05)) both("SAVEPOINT part");
        const std::string id = std::to_string(random.below(500));
        both(random.chance(0.3) ? "DELETE FROM t WHERE id = " + id
                                : "INSERT OR REPLACE INTO t VALUES(" + id + ", '" +
                                      std::string(random.below(900), static_cast<char>('a' + random.below(26))) + "')");
        if (random.chance(0.03)) both("SAVEPOINT other; ROLLBACK TO other");
      }
      both(random.chance(0.2) ? "ROLLBACK" : "COMMIT");
      if (random.chance(0.3)) run_gathered_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
    EXPECT_EQ(sqlite3_close(database), SQLITE_OK);
    PlainDatabase after(folder.path() / "gathered");
    EXPECT_EQ(after.column("PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    for (const char* column : {"id", "padding"}) {
      const std::string rows = std::string("SELECT ") + column + " FROM t ORDER BY id";
      EXPECT_EQ(after.column(rows), plain.column(rows));
    }
  }
}

}  // namespace
}  // namespace unscatter::testing
