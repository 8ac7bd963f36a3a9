// The simulated disk below plain SQLite: what a correct program survives on it, and that it catches an incorrect one.
#include "crash/simulated_disk.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "crash/plain_database.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

constexpr std::size_t kTransactions = 6;
constexpr PowerLoss kLosses[] = {PowerLoss::kPrefix, PowerLoss::kSubset, PowerLoss::kNothing};

// A table whose rows span several pages and all carry the number of the last transaction.
class PlainTable {
 public:
  explicit PlainTable(const std::string& synchronous) : disk_(folder_.path(), 11), synchronous_(synchronous) {
    PlainDatabase database(path());
    prepare(database);
    EXPECT_TRUE(database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, filling BLOB)"))
        << database.error();
    for (int row = 0; row < 4; ++row) {
      EXPECT_TRUE(database.execute("INSERT INTO t (number, filling) VALUES (0, randomblob(3000))")) << database.error();
    }
  }

  // Restores the table as it was, with `fault` ahead.  Returns how many transactions were acknowledged.
  std::size_t run(const DiskContent& start, const Fault& fault) {
    disk_.restore(start);
    disk_.arm(fault);
    PlainDatabase database(path());
    prepare(database);
    std::size_t acknowledged = 0;
    for (std::size_t i = 1; i <= kTransactions; ++i) {
      if (!advance(database, i)) break;
      acknowledged = i;
    }
    return acknowledged;
  }

  // The number in all rows; -1 if they differ or the file is damaged.
  int number() {
    PlainDatabase database(path());
    prepare(database);
    if (database.column("PRAGMA integrity_check") != std::vector<std::string>{"ok"}) return -1;
    const std::vector<std::string> numbers = database.column("SELECT DISTINCT number FROM t");
    if (numbers.size() != 1 || database.column("SELECT count(*) FROM t") != std::vector<std::string>{"4"}) return -1;
    return std::stoi(numbers.front());
  }

  SimulatedDisk& disk() { return disk_; }

 private:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "plain.db"; }

  void prepare(PlainDatabase& database) const {
    database.execute(
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA temp_store=MEMORY; PRAGMA synchronous=" +
        synchronous_);
  }

  // One transaction, then an empty log, as a workspace does.
  static bool advance(PlainDatabase& database, std::size_t number) {
    const bool committed = database.execute(
        "BEGIN; UPDATE t SET filling = randomblob(3000); UPDATE t SET number = " + std::to_string(number) + "; COMMIT");
    if (!committed) database.execute("ROLLBACK");
    return committed && database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  TemporaryFolder folder_;
  SimulatedDisk disk_;
  std::string synchronous_;
};

// Sweeps a power loss over every operation of the run.  Returns after how many of them a transaction was lost or
// halved.
std::size_t losses_found(PlainTable& table) {
  const DiskContent start = table.disk().content();
  EXPECT_EQ(table.run(start, {FaultKind::kPowerLoss, SIZE_MAX}), kTransactions);
  const std::size_t operations = table.disk().operations(FaultKind::kPowerLoss);
  EXPECT_GT(operations, 10 * kTransactions);
  std::size_t found = 0;
  for (std::size_t k = 0; k < operations; ++k) {
    const PowerLoss loss = kLosses[k % 3];
    const auto acknowledged = static_cast<int>(table.run(start, {FaultKind::kPowerLoss, k}));
    EXPECT_TRUE(table.disk().struck());
    table.disk().reboot(loss);
    const int number = table.number();
    if (number != acknowledged && number != acknowledged + 1) ++found;
  }
  return found;
}

TEST(SimulatedDisk, CommittedTransactionsSurviveAPowerLossAtAnyOperation) {
  PlainTable table("FULL");
  EXPECT_EQ(losses_found(table), 0);
}

// The planted fault: a program that does not sync must be caught.
TEST(SimulatedDisk, CatchesAProgramThatDoesNotSync) {
  PlainTable table("OFF");
  EXPECT_GT(losses_found(table), 10);
}

TEST(SimulatedDisk, ErrorsReachTheProgramAndNothingIsHalved) {
  PlainTable table("FULL");
  const DiskContent start = table.disk().content();
  for (const FaultKind kind : {FaultKind::kError, FaultKind::kDiskFull, FaultKind::kReadError}) {
    ASSERT_EQ(table.run(start, {kind, SIZE_MAX}), kTransactions);
    const std::size_t operations = table.disk().operations(kind);
    ASSERT_GT(operations, 0);
    for (std::size_t k = 0; k < operations; ++k) {
      SCOPED_TRACE(std::string(name(kind)) + " at operation " + std::to_string(k));
      const auto acknowledged = static_cast<int>(table.run(start, {kind, k, k % 2 == 0}));
      EXPECT_TRUE(table.disk().struck());
      table.disk().disarm();
      const int number = table.number();
      EXPECT_TRUE(number == acknowledged || number == acknowledged + 1) << number << " after " << acknowledged;
    }
  }
}

TEST(SimulatedDisk, KnowsWhatEveryFileHolds) {
  PlainTable table("FULL");
  table.run(table.disk().content(), {FaultKind::kPowerLoss, SIZE_MAX});
  EXPECT_EQ(table.disk().names(), (std::set<std::string>{"plain.db", "plain.db-journal", "plain.db-wal"}));
  EXPECT_EQ(table.disk().open_files(), 0);
  // Closing emptied and removed the log; everything that is left was synced, but for the name of the log.
  DiskContent left = table.disk().after(PowerLoss::kNothing);
  left.erase("plain.db-wal");
  EXPECT_EQ(left, table.disk().content());
}

TEST(SimulatedDisk, SeesTemporaryFiles) {
  const TemporaryFolder folder;
  SimulatedDisk disk(folder.path(), 1);
  PlainDatabase database(folder.path() / "plain.db");
  ASSERT_TRUE(database.execute("PRAGMA temp_store=FILE; PRAGMA cache_size=1; CREATE TEMP TABLE t (x)"));
  disk.record_writes();
  ASSERT_TRUE(database.execute(
      "PRAGMA temp.cache_size=1; WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c LIMIT 999) "
      "INSERT INTO t SELECT 'telltale' || hex(randomblob(200)) FROM c"))
      << database.error();
  EXPECT_TRUE(disk.names().contains(""));
  std::size_t telling = 0;
  for (const std::string& bytes : disk.writes()) telling += bytes.find("telltale") != std::string::npos ? 1U : 0U;
  EXPECT_GT(telling, 0);
}

// What keeps two processes apart is also what makes the log work without shared memory.
TEST(SimulatedDisk, WriteAheadLogNeedsExclusiveLocking) {
  const TemporaryFolder folder;
  SimulatedDisk disk(folder.path(), 1);
  PlainDatabase database(folder.path() / "plain.db");
  EXPECT_NE(database.column("PRAGMA journal_mode=WAL"), std::vector<std::string>{"wal"});
  EXPECT_EQ(database.column("PRAGMA locking_mode=EXCLUSIVE"), std::vector<std::string>{"exclusive"});
  EXPECT_EQ(database.column("PRAGMA journal_mode=WAL"), std::vector<std::string>{"wal"});
}

TEST(SimulatedDisk, LeavesSqliteAsItWas) {
  const TemporaryFolder elsewhere;
  {
    const TemporaryFolder folder;
    const SimulatedDisk disk(folder.path(), 1);
    PlainDatabase database(elsewhere.path() / "plain.db");
    EXPECT_FALSE(database.execute("CREATE TABLE t (x)"));
  }
  PlainDatabase database(elsewhere.path() / "plain.db");
  EXPECT_TRUE(database.execute("CREATE TABLE t (x)")) << database.error();
}

}  // namespace
}  // namespace unscatter::testing
