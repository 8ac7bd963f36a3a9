#include "store/expiry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "store/schema.h"

namespace unscatter {
namespace {

using testing::sample_key;
using testing::SampleWorkspace;

constexpr std::chrono::milliseconds kAtOnce(0);
using Dates = std::map<DueKey, std::int64_t>;

// A file with the tables of due dates and nothing that has one.
class DueTables : public ::testing::Test {
 protected:
  DueTables() : database_(create_database(folder_.path() / "w", kAtOnce).value()) {
    identity_.id = "0123456789abcdef0123456789abcdef";
    identity_.signer = sample_key()->public_key();
    EXPECT_TRUE(create_tables(database_).ok());
    EXPECT_TRUE(DueChange::begin(database_, identity_, true).value().finish(*sample_key()).ok());
  }

  void set(const DueKey& key, std::int64_t due) const {
    DueChange change = DueChange::begin(database_, identity_).value();
    ASSERT_TRUE(change.set(key, due).ok());
    ASSERT_TRUE(change.finish(*sample_key()).ok());
  }
  void erase(const DueKey& key) const {
    DueChange change = DueChange::begin(database_, identity_).value();
    ASSERT_TRUE(change.erase(key).ok());
    ASSERT_TRUE(change.finish(*sample_key()).ok());
  }
  [[nodiscard]] Result<Dates> dates() const {
    Dates found;
    UNSCATTER_CHECK_OK(visit_due(database_, identity_, [&](const DueKey& key, std::int64_t due) {
      found.emplace(key, due);
      return ok_status();
    }));
    return found;
  }
  // Does something behind the program's back, and takes it back afterwards.
  void expect_noticed(const std::string& sql, const std::string& part) const {
    SCOPED_TRACE(sql);
    ASSERT_TRUE(database_.run("SAVEPOINT before").ok());
    ASSERT_TRUE(database_.run(sql).ok());
    const Result<Dates> found = dates();
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(found.error().message.find(part), std::string::npos) << found.error().message;
    ASSERT_TRUE(database_.run("ROLLBACK TO before; RELEASE before").ok());
    ASSERT_TRUE(dates().ok());
  }

  testing::TemporaryFolder folder_;
  Database database_;
  Identity identity_;
};

TEST_F(DueTables, KeepWhatIsSetUntilItIsErased) {
  EXPECT_EQ(dates().value(), Dates());
  Dates expected;
  Sequence random(5);
  for (int round = 0; round < 200; ++round) {
    const DueKey key = random.chance(0.5) ? DueKey(random.below(10)) : DueKey(fmt::format("user-{}", random.below(10)));
    if (random.chance(0.4)) {
      erase(key);
      expected.erase(key);
    } else {
      const auto due = static_cast<std::int64_t>(random.below(1'000'000));
      set(key, due);
      expected[key] = due;
    }
    ASSERT_EQ(dates().value(), expected);
    const auto one = read_due(database_, key).value();
    ASSERT_EQ(one.has_value(), expected.contains(key));
  }
  // The summary depends on the rows that are there, and not on the way to them.
  for (const auto& [key, due] : expected) erase(key);
  EXPECT_EQ(dates().value(), Dates());
  EXPECT_EQ(database_.integer("SELECT rows FROM expiry_summary").value(), 0);
  EXPECT_EQ(database_.integer("SELECT digest = zeroblob(2048) FROM expiry_summary").value(), 1);
}

TEST_F(DueTables, CountByTheIndex) {
  set(std::size_t{4}, 100);
  set("ann", 200);
  set(std::size_t{2}, 300);
  set("bob", 300);
  const DueCounts before = count_due(database_, identity_, 99).value();
  EXPECT_EQ(before.rows, 4u);
  EXPECT_EQ(before.overdue, 0u);
  EXPECT_FALSE(before.oldest.has_value());
  EXPECT_EQ(before.next, (std::pair<DueKey, std::int64_t>(std::size_t{4}, 100)));
  // Due from that second on.
  const DueCounts some = count_due(database_, identity_, 200).value();
  EXPECT_EQ(some.overdue, 2u);
  EXPECT_EQ(some.oldest, 100);
  EXPECT_EQ(some.next, (std::pair<DueKey, std::int64_t>("bob", 300)));
  const DueCounts all = count_due(database_, identity_, 300).value();
  EXPECT_EQ(all.overdue, 4u);
  EXPECT_FALSE(all.next.has_value());
  const std::string plan = [&] {
    Statement statement = database_.prepare("EXPLAIN QUERY PLAN SELECT count(*), min(due) FROM expiry WHERE due <= 5");
    static_cast<void>(statement.step().value());
    return statement.text(3).value();
  }();
  EXPECT_NE(plan.find("INDEX expiry_due"), std::string::npos) << plan;
}

// What a hand, or a program that knows the format but not the key, could do to dates.
TEST_F(DueTables, EveryChangeIsNoticed) {
  set(std::size_t{4}, 100);
  set(std::size_t{5}, 100);
  set("ann", 200);
  set("bob", 300);
  const std::string gone = "3 due dates, and they are not the 4 that were written";
  expect_noticed("DELETE FROM expiry WHERE slot = 4", gone);
  expect_noticed("DELETE FROM expiry WHERE subject = CAST('ann' AS BLOB)", gone);
  expect_noticed("DELETE FROM expiry", "0 due dates, and they are not the 4");
  expect_noticed("UPDATE expiry SET due = 999 WHERE slot = 4", "a due date is not what was written");
  expect_noticed("UPDATE expiry SET slot = 6 WHERE slot = 4", "a due date is not what was written");
  expect_noticed("UPDATE expiry SET subject = CAST('eve' AS BLOB) WHERE due = 200", "not what was written");
  expect_noticed("UPDATE expiry SET seal = x'00' WHERE slot = 4", "a due date is not what was written");
  expect_noticed("UPDATE expiry SET subject = CAST('ann' AS BLOB) WHERE slot = 4", "a due date is about nothing");
  expect_noticed("UPDATE expiry SET slot = -2 WHERE slot = 4", "a due date is about nothing");
  expect_noticed("UPDATE expiry_summary SET rows = 3", "is not signed by its key");
  expect_noticed("UPDATE expiry_summary SET digest = zeroblob(2048)", "is not signed by its key");
  expect_noticed("UPDATE expiry_summary SET signature = zeroblob(64)", "is not signed by its key");
  expect_noticed("UPDATE expiry_summary SET signature = x'00'", "has the wrong length");
  expect_noticed("DELETE FROM expiry_summary", "the summary of the due dates is missing");
  expect_noticed("DELETE FROM expiry; DELETE FROM expiry_summary", "the summary of the due dates is missing");

  // With seals that fit, but without the key.
  const Digest later = Hasher()
                           .add(std::string_view("unscatter expiry 1"))
                           .add(std::uint64_t{4})
                           .add(std::string_view(""))
                           .add(std::uint64_t{999})
                           .finish();
  expect_noticed(fmt::format("UPDATE expiry SET due = 999, seal = x'{}' WHERE slot = 4", later.hex()),
                 "4 due dates, and they are not the 4 that were written");
  // A summary that fits, signed by somebody else.
  ASSERT_TRUE(database_.run("SAVEPOINT before").ok());
  ASSERT_TRUE(database_.run("DELETE FROM expiry; DELETE FROM expiry_summary").ok());
  ASSERT_TRUE(DueChange::begin(database_, identity_, true).value().finish(*sample_key(2)).ok());
  EXPECT_NE(dates().error().message.find("is not signed by its key"), std::string::npos);
  // Nothing is signed on top of it, and nothing is counted.
  EXPECT_FALSE(DueChange::begin(database_, identity_).ok());
  EXPECT_FALSE(count_due(database_, identity_, 0).ok());
  // A summary of another workspace.
  Identity other = identity_;
  other.id = std::string(32, '7');
  ASSERT_TRUE(database_.run("ROLLBACK TO before").ok());
  EXPECT_TRUE(dates().ok());
  EXPECT_FALSE(visit_due(database_, other, [](const DueKey&, std::int64_t) { return ok_status(); }).ok());
}

// The digest must tell apart what a plain sum of rows would not: rows that swap their dates.
TEST_F(DueTables, RowsThatSwapDatesHaveAnotherSum) {
  set("ann", 100);
  set("bob", 200);
  const std::string before = database_.text("SELECT hex(digest) FROM expiry_summary").value();
  set("ann", 200);
  set("bob", 100);
  EXPECT_NE(database_.text("SELECT hex(digest) FROM expiry_summary").value(), before);
  set("ann", 100);
  set("bob", 200);
  EXPECT_EQ(database_.text("SELECT hex(digest) FROM expiry_summary").value(), before);
}

TEST(DueDatesOfOldFiles, AreMadeWithTheKeyOnly) {
  const SampleWorkspace sample;
  static_cast<void>(sample.create());
  sample.edit("DROP TABLE expiry; DROP TABLE expiry_summary");
  const auto tables = [&] {
    std::int64_t count = 0;
    sample.edit([&](const Database& database) {
      count = database.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'expiry%'").value();
    });
    return count;
  };
  WorkspaceOptions reading = sample.how;
  reading.key = nullptr;
  {
    const Workspace workspace = Workspace::open(sample.path(), reading).value();
    EXPECT_TRUE(workspace.due(1'000'000'000'000).value().empty());
    EXPECT_EQ(workspace.due_summary(0).value().dates, 0u);
    EXPECT_FALSE(workspace.subject("u0").value().due.has_value());
  }
  EXPECT_TRUE(sample.verify().passed);
  EXPECT_EQ(tables(), 0);
  {
    Workspace workspace = sample.open();
    EXPECT_TRUE(workspace.set_due(ForgetGraph{2u}, 77).ok());
  }
  EXPECT_EQ(tables(), 3);
  EXPECT_EQ(sample.open().due(77).value().size(), 1u);
  EXPECT_TRUE(sample.verify().passed);
  // A part of them is damage.
  sample.edit("DROP TABLE expiry_summary");
  EXPECT_NE(Workspace::open(sample.path(), reading).error().message.find("its tables are not those"),
            std::string::npos);
}

}  // namespace
}  // namespace unscatter
