#include "store/log_syncs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <memory>
#include <string>

#include "crash/plain_database.h"
#include "crash/simulated_disk.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

void run_log_sql(sqlite3* database, const std::string& sql) {
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message << ": " << sql;
  sqlite3_free(message);
}

// As a workspace is opened.
sqlite3* open_with_log(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  run_log_sql(database, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
  return database;
}

constexpr int kRows = 6;  // on a page each

void make_rows(sqlite3* database) {
  run_log_sql(database, "CREATE TABLE t(id INTEGER PRIMARY KEY, number, padding); BEGIN");
  for (int i = 0; i < kRows; ++i) {
    run_log_sql(database, "INSERT INTO t VALUES(" + std::to_string(i) + ", 0, zeroblob(3000))");
  }
  run_log_sql(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
}

sqlite3_file* log_of(sqlite3* database) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  return file;
}

// Counts the calls that reach the disk.
struct CountedSyncs {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* original;
};
std::size_t counted = 0;
int count_sync(sqlite3_file* /*file*/, int /*flags*/) {
  ++counted;
  return SQLITE_OK;
}

TEST(LogSyncs, OneCallPerTransactionReachesTheDisk) {
  const TemporaryFolder folder;
  sqlite3* database = open_with_log(folder.path() / "w");
  make_rows(database);
  sqlite3_file* log = log_of(database);
  CountedSyncs counting{*log->pMethods, log->pMethods};
  counting.methods.xSync = count_sync;
  log->pMethods = &counting.methods;
  const auto syncs_of_update = [&](int times = 1) {
    counted = 0;
    for (int i = 0; i < times; ++i) run_log_sql(database, "UPDATE t SET number = number + 1");
    run_log_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    return counted;
  };
  EXPECT_EQ(syncs_of_update(), 3);  // SQLite alone: header, commit, before the pages are written back
  const std::shared_ptr<const void> sparing = spare_log_syncs(database, LogBefore::kUnknown);
  ASSERT_NE(sparing, nullptr);
  EXPECT_EQ(syncs_of_update(), 2);  // what was before is not known: the header keeps its call
  EXPECT_EQ(syncs_of_update(), 1);
  EXPECT_EQ(syncs_of_update(), 1);
  EXPECT_EQ(syncs_of_update(3), 3);
  EXPECT_EQ(syncs_of_update(), 2);  // after a log of three commits
  EXPECT_EQ(syncs_of_update(), 1);
  sqlite3_close(database);
}

// A log of `commits` commits, each of which writes the same row, is written back and cut.  Then all rows change, and at
// one of the operations from there on the power goes.  Returns how often the file lost what was durable.
std::size_t lost_commits(int commits, LogBefore told) {
  std::size_t lost = 0;
  constexpr std::array<PowerLoss, 3> kKinds = {PowerLoss::kSubset, PowerLoss::kPrefix, PowerLoss::kNothing};
  for (std::size_t round = 0; round < 400; ++round) {
    const TemporaryFolder folder;
    SimulatedDisk disk(folder.path(), round);
    sqlite3* database = open_with_log(folder.path() / "w");
    make_rows(database);
    for (int k = 1; k <= commits; ++k) {
      run_log_sql(database, "UPDATE t SET number = " + std::to_string(k) + " WHERE id = 0");
    }
    run_log_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    const std::shared_ptr<const void> sparing = spare_log_syncs(database, told);
    disk.arm({FaultKind::kPowerLoss, round % 40});
    static_cast<void>(sqlite3_exec(database, "UPDATE t SET number = 100; PRAGMA wal_checkpoint(TRUNCATE)", nullptr,
                                   nullptr, nullptr));
    sqlite3_close(database);
    disk.reboot(kKinds[round % kKinds.size()]);
    PlainDatabase after(folder.path() / "w");
    EXPECT_TRUE(after.execute("PRAGMA locking_mode=EXCLUSIVE")) << after.error();
    const std::string number = std::to_string(commits);
    const bool whole = after.column("PRAGMA integrity_check") == std::vector<std::string>{"ok"};
    std::vector<std::string> before(kRows, "0");
    before.front() = number;
    const std::vector<std::string> found = after.column("SELECT number FROM t ORDER BY id");
    if (!whole || (found != before && found != std::vector<std::string>(kRows, "100"))) ++lost;
  }
  return lost;
}

TEST(LogSyncs, NoPowerLossTakesWhatWasDurable) {
  EXPECT_EQ(lost_commits(1, LogBefore::kUnknown), 0);
  EXPECT_EQ(lost_commits(3, LogBefore::kUnknown), 0);
  // One commit, and it is known: the header waits.
  EXPECT_EQ(lost_commits(1, LogBefore::kNone), 0);
}

// The planted fault: the header waits although the log before had three commits.
TEST(LogSyncs, WithoutTheRuleCommitsAreLost) { EXPECT_GT(lost_commits(3, LogBefore::kNone), 0); }

}  // namespace
}  // namespace unscatter::testing
