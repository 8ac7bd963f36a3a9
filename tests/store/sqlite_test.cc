#include "store/sqlite.h"

#include <gtest/gtest.h>

#include <array>

#include "support/temporary_folder.h"

namespace unscatter {
namespace {

class Sqlite : public ::testing::Test {
 protected:
  [[nodiscard]] Database connect(std::chrono::milliseconds wait = std::chrono::milliseconds(0)) const {
    return Database::open(folder_.path() / "a.db", Database::Mode::kCreate, wait).value();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Sqlite, WritesAndReadsEveryType) {
  const Database database = connect();
  ASSERT_TRUE(database.run("CREATE TABLE t(i INTEGER, s TEXT, b BLOB, n TEXT) STRICT").ok());
  const std::array<std::byte, 3> bytes = {std::byte{0}, std::byte{255}, std::byte{7}};
  const std::string text("a\0b", 3);
  ASSERT_TRUE(database.prepare("INSERT INTO t VALUES(?, ?, ?, ?)")
                  .bind(1, INT64_MIN)
                  .bind(2, text)
                  .bind(3, bytes)
                  .bind_null(4)
                  .run()
                  .ok());
  Statement row = database.prepare("SELECT i, s, b, n FROM t");
  ASSERT_TRUE(row.step().value());
  EXPECT_EQ(row.integer(0).value(), INT64_MIN);
  EXPECT_EQ(row.text(1).value(), text);
  EXPECT_EQ(row.blob(2).value(), std::vector<std::byte>(bytes.begin(), bytes.end()));
  EXPECT_TRUE(row.is_null(3));
  EXPECT_FALSE(row.is_null(0));
  EXPECT_FALSE(row.step().value());
}

// Nothing of length zero is not the same as nothing.
TEST_F(Sqlite, AnEmptyBlobIsNoNull) {
  const Database database = connect();
  ASSERT_TRUE(database.run("CREATE TABLE t(b BLOB NOT NULL) STRICT").ok());
  ASSERT_TRUE(database.prepare("INSERT INTO t VALUES(?)").bind(1, std::span<const std::byte>()).run().ok());
  Statement row = database.prepare("SELECT b FROM t");
  ASSERT_TRUE(row.step().value());
  EXPECT_FALSE(row.is_null(0));
  EXPECT_TRUE(row.blob(0).value().empty());
}

TEST_F(Sqlite, AnotherTypeIsDamage) {
  const Database database = connect();
  Statement row = database.prepare("SELECT 1, 'one', x'01', NULL, 1.5");
  ASSERT_TRUE(row.step().value());
  for (int column = 0; column < 5; ++column) {
    SCOPED_TRACE(column);
    EXPECT_EQ(row.integer(column).ok(), column == 0);
    EXPECT_EQ(row.text(column).ok(), column == 1);
    EXPECT_EQ(row.blob(column).ok(), column == 2);
  }
  EXPECT_EQ(row.integer(1).error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(row.integer(1).error().message.find("a.db is damaged"), std::string::npos);
  EXPECT_EQ(database.integer("SELECT 'one'").error().code, ErrorCode::kMalformedInput);
  EXPECT_EQ(database.text("SELECT 1 WHERE 0").error().code, ErrorCode::kMalformedInput);
  EXPECT_EQ(database.integer("SELECT 1 WHERE 0").error().code, ErrorCode::kMalformedInput);
}

TEST_F(Sqlite, ErrorsNameTheFile) {
  const auto missing = Database::open(folder_.path() / "none.db", Database::Mode::kExisting, {});
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("none.db"), std::string::npos);
  const auto directory = Database::open(folder_.path(), Database::Mode::kExisting, {});
  EXPECT_EQ(directory.error().code, ErrorCode::kIo);
  const Database database = connect();
  const Status wrong = database.prepare("SELECT i FROM nowhere").run();
  EXPECT_EQ(wrong.error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(wrong.error().message.find("a.db is not as a workspace is written"), std::string::npos)
      << wrong.error().message;
  EXPECT_EQ(database.run("NO SQL").error().code, ErrorCode::kMalformedInput);
  ASSERT_TRUE(database.run("CREATE TABLE t(i INTEGER PRIMARY KEY); INSERT INTO t VALUES(1)").ok());
  EXPECT_EQ(database.run("INSERT INTO t VALUES(1)").error().code, ErrorCode::kMalformedInput);
  const auto text = folder_.write("text.db", std::string(1000, 'x'));
  EXPECT_EQ(Database::open(text, Database::Mode::kExisting, {}).value().run("SELECT * FROM sqlite_schema").error().code,
            ErrorCode::kMalformedInput);
}

TEST_F(Sqlite, ATransactionIsAllOrNothing) {
  const Database database = connect();
  ASSERT_TRUE(database.run("CREATE TABLE t(i INTEGER)").ok());
  {
    Transaction abandoned = Transaction::begin(database).value();
    ASSERT_TRUE(database.run("INSERT INTO t VALUES(1)").ok());
    const Transaction moved = std::move(abandoned);
  }
  EXPECT_EQ(database.integer("SELECT count(*) FROM t").value(), 0);
  {
    Transaction kept = Transaction::begin(database).value();
    EXPECT_FALSE(Transaction::begin(database).ok());
    ASSERT_TRUE(database.run("INSERT INTO t VALUES(1)").ok());
    ASSERT_TRUE(kept.commit().ok());
  }
  EXPECT_EQ(database.integer("SELECT count(*) FROM t").value(), 1);
}

TEST_F(Sqlite, AnotherUserIsNamedAsSuch) {
  const Database first = connect();
  const Database second = connect();
  ASSERT_TRUE(first.run("CREATE TABLE t(i INTEGER)").ok());
  const Transaction held = Transaction::begin(first).value();
  const Result<Transaction> refused = Transaction::begin(second);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message.find("in use"), std::string::npos);
}

TEST_F(Sqlite, TheLogCanBeEmptied) {
  const Database database = connect();
  ASSERT_EQ(database.text("PRAGMA journal_mode = WAL").value(), "wal");
  ASSERT_TRUE(database.run("CREATE TABLE t(i INTEGER); INSERT INTO t VALUES(1)").ok());
  const auto log = folder_.path() / "a.db-wal";
  EXPECT_GT(std::filesystem::file_size(log), 0u);
  ASSERT_TRUE(database.empty_log().ok());
  EXPECT_EQ(std::filesystem::file_size(log), 0u);
  // Not while somebody reads an older state from it.
  const Database reader = connect();
  ASSERT_TRUE(database.run("INSERT INTO t VALUES(2)").ok());
  Statement open_read = reader.prepare("SELECT i FROM t");
  ASSERT_TRUE(open_read.step().value());
  ASSERT_TRUE(database.run("INSERT INTO t VALUES(3)").ok());
  EXPECT_FALSE(database.empty_log().ok());
}

// A file beside which nothing can be written: it is read, and nothing appears beside it.
TEST_F(Sqlite, AFrozenFileIsReadAndLocked) {
  const auto path = folder_.path() / "a ?#%.db";  // as addresses must not read it
  {
    const Database database = Database::open(path, Database::Mode::kCreate, std::chrono::milliseconds(0)).value();
    ASSERT_EQ(database.text("PRAGMA locking_mode = EXCLUSIVE").value(), "exclusive");
    ASSERT_EQ(database.text("PRAGMA journal_mode = WAL").value(), "wal");
    ASSERT_TRUE(database.run("CREATE TABLE t(i INTEGER); INSERT INTO t VALUES(5)").ok());
    ASSERT_TRUE(database.empty_log().ok());
    // Who writes keeps readers out, frozen or not.
    const auto refused = Database::open(path, Database::Mode::kFrozen, std::chrono::milliseconds(0));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  }
  {
    const Database frozen = Database::open(path, Database::Mode::kFrozen, std::chrono::milliseconds(0)).value();
    EXPECT_EQ(frozen.integer("SELECT i FROM t").value(), 5);
    EXPECT_FALSE(frozen.run("INSERT INTO t VALUES(6)").ok());
    EXPECT_FALSE(std::filesystem::exists(path.string() + "-wal"));
    EXPECT_FALSE(std::filesystem::exists(path.string() + "-shm"));
    // And a reader keeps out who writes.
    const Database writer = Database::open(path, Database::Mode::kExisting, std::chrono::milliseconds(0)).value();
    ASSERT_TRUE(writer.run("PRAGMA locking_mode = EXCLUSIVE").ok());
    const Status refused = writer.run("INSERT INTO t VALUES(7)");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  }
  const auto none = Database::open(folder_.path() / "none", Database::Mode::kFrozen, std::chrono::milliseconds(0));
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
}

TEST_F(Sqlite, BytesAreReadAsTheyLie) {
  const Database database = connect();
  ASSERT_TRUE(database.run("CREATE TABLE t(i INTEGER)").ok());
  const std::string whole = testing::read_whole_file(folder_.path() / "a.db");
  const std::vector<unsigned char> some = database.read(90, 500).value();
  EXPECT_EQ(std::string(some.begin(), some.end()), whole.substr(90, 500));
  EXPECT_EQ(database.read(whole.size(), 10).error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace unscatter
