#include "store/statement_cache.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>

namespace unscatter {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};

class Statements : public ::testing::Test {
 protected:
  Statements() {
    sqlite3* database = nullptr;
    sqlite3_open(":memory:", &database);
    database_.reset(database);
    sqlite3_exec(database, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)", nullptr, nullptr, nullptr);
  }
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
    return statement;
  }

  std::unique_ptr<sqlite3, Close> database_;
  StatementCache cache_;  // goes before the connection
};

TEST_F(Statements, AreTakenOnceAndByTheirText) {
  EXPECT_EQ(cache_.take("SELECT a FROM t"), nullptr);
  sqlite3_stmt* statement = prepare("SELECT a FROM t");
  cache_.give_back(statement);
  EXPECT_EQ(cache_.take("SELECT b FROM t"), nullptr);
  EXPECT_EQ(cache_.take("SELECT a FROM t"), statement);
  EXPECT_EQ(cache_.take("SELECT a FROM t"), nullptr);
  cache_.give_back(statement);
}

TEST_F(Statements, ForgetWhatWasBoundAndWhereTheyWere) {
  sqlite3_exec(database_.get(), "INSERT INTO t VALUES(1, 'x'), (2, 'y')", nullptr, nullptr, nullptr);
  const std::string sql = "SELECT b FROM t WHERE a >= coalesce(?1, 0) ORDER BY a";
  sqlite3_stmt* statement = prepare(sql);
  sqlite3_bind_int64(statement, 1, 2);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  cache_.give_back(statement);
  // A statement that still read would keep the table from being dropped.
  ASSERT_EQ(sqlite3_exec(database_.get(), "CREATE TABLE u(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database_.get(), "DROP TABLE u", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_EQ(cache_.take(sql), statement);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)), "x");
  cache_.give_back(statement);
}

TEST_F(Statements, OneThatFailedIsAsGoodAsNew) {
  const std::string sql = "INSERT INTO t VALUES(?1, 'z')";
  sqlite3_stmt* statement = prepare(sql);
  sqlite3_bind_int64(statement, 1, 7);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_reset(statement);
  ASSERT_NE(sqlite3_step(statement), SQLITE_DONE);  // there is a 7 already
  cache_.give_back(statement);
  ASSERT_EQ(cache_.take(sql), statement);
  sqlite3_bind_int64(statement, 1, 8);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE);
  cache_.give_back(statement);
}

TEST_F(Statements, ThatActWhenPreparedAreNotKept) {
  cache_.give_back(prepare("PRAGMA user_version"));
  EXPECT_EQ(cache_.take("PRAGMA user_version"), nullptr);
}

TEST_F(Statements, DoNotFillTheMemory) {
  for (int i = 0; i < 1000; ++i) cache_.give_back(prepare("SELECT " + std::to_string(i)));
  int kept = 0;
  for (int i = 0; i < 1000; ++i) {
    sqlite3_stmt* statement = cache_.take("SELECT " + std::to_string(i));
    if (statement == nullptr) continue;
    ++kept;
    sqlite3_finalize(statement);
  }
  EXPECT_GT(kept, 0);
  EXPECT_LE(kept, 200);
}

}  // namespace
}  // namespace unscatter
