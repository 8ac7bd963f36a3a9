#include "store/member_index.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "store/schema.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

Graph people(const std::vector<std::string>& ids) {
  GraphParts parts;
  parts.node_count = ids.size();
  parts.node_ids = ids;
  return Graph::create(std::move(parts)).value();
}

class MemberIndexTest : public ::testing::Test {
 protected:
  MemberIndexTest() : database_(create_database(folder_.path() / "index", std::chrono::seconds(1)).value()) {
    EXPECT_TRUE(create_tables(database_).ok());
    key_.bytes[3] = 7;
  }
  void make(std::size_t graphs) { ASSERT_TRUE(write(graphs, std::size_t{1} << 30).ok()); }
  // With so many bytes of memory.
  Status write(std::size_t graphs, std::size_t memory) {
    visits_ = 0;
    return MemberIndex::write_new(database_, graphs * 3, key_, memory, [&](const MemberIndex::Take& take) -> Status {
      ++visits_;
      for (std::size_t slot = 0; slot < graphs; ++slot) {
        const Graph graph = people({"a" + std::to_string(slot), "b" + std::to_string(slot / 10), "everybody"});
        UNSCATTER_CHECK_OK(take(slot, subjects_of(&graph), "graph" + std::to_string(slot)));
      }
      return ok_status();
    });
  }
  std::size_t visits_ = 0;
  testing::TemporaryFolder folder_{testing::memory_folder()};
  Database database_;
  Salt key_;
};

TEST_F(MemberIndexTest, FindsWhatWasAddedAndNothingElse) {
  make(300);
  MemberIndex index = MemberIndex::open(WorkspaceTables(database_), key_).value();
  EXPECT_EQ(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "a17").value(),
            std::vector<std::size_t>{17});
  EXPECT_EQ(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "b2").value().size(), 10u);
  EXPECT_EQ(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "everybody").value().size(), 300u);
  EXPECT_EQ(index.slots_of(WorkspaceTables(database_), MemberKind::kGraphId, "graph4").value(),
            std::vector<std::size_t>{4});
  EXPECT_TRUE(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "graph4").value().empty());
  EXPECT_TRUE(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "nobody").value().empty());
}

TEST_F(MemberIndexTest, FollowsEditsAndLeavesNoIdBehind) {
  make(100);
  {
    MemberIndex index = MemberIndex::open(WorkspaceTables(database_), key_).value();
    const Graph before = people({"a17", "b1", "everybody"});
    const Graph after = people({"b1", "everybody"});
    ASSERT_TRUE(index.replace(WorkspaceTables(database_), 17, &before, &after, "graph17").ok());
    ASSERT_TRUE(index.write(WorkspaceTables(database_)).ok());
  }
  MemberIndex index = MemberIndex::open(WorkspaceTables(database_), key_).value();
  EXPECT_TRUE(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "a17").value().empty());
  EXPECT_EQ(index.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "b1").value().size(), 10u);
  EXPECT_EQ(index.slots_of(WorkspaceTables(database_), MemberKind::kGraphId, "graph17").value(),
            std::vector<std::size_t>{17});
  EXPECT_EQ(database_.integer("SELECT count(*) FROM members WHERE instr(entries, CAST('a17' AS BLOB))").value(), 0);
}

// Little memory costs visits, and the table is the same.
TEST_F(MemberIndexTest, DoesNotDependOnMemory) {
  const char* const table =
      "SELECT group_concat(line, ';') FROM (SELECT hex(entries) || hex(seal) AS line FROM members ORDER BY bucket)";
  make(3000);
  EXPECT_EQ(visits_, 1u);
  const std::string whole = database_.text(table).value();
  for (const std::size_t memory : {std::size_t{100000}, std::size_t{20000}, std::size_t{1}}) {
    ASSERT_TRUE(database_.run("DELETE FROM members").ok());
    ASSERT_TRUE(write(3000, memory).ok());
    EXPECT_GT(visits_, 1u);
    EXPECT_EQ(database_.text(table).value(), whole) << memory;
  }
}

// The answer "nowhere" must not come from a damaged bucket.
TEST_F(MemberIndexTest, NobodyIsMissedBecauseOfDamage) {
  make(300);
  const std::int64_t buckets = database_.integer("SELECT count(*) FROM members").value();
  ASSERT_GT(buckets, 8);
  Sequence random(5);
  for (std::size_t trial = 0; trial < 40; ++trial) {
    const std::string subject = "a" + std::to_string(random.below(300));
    ASSERT_TRUE(database_.run("SAVEPOINT before").ok());
    // One of: a flipped byte, a bucket that is gone, two that changed places, the last one lost.
    const std::string where =
        " WHERE instr(entries, CAST('" + subject + "' AS BLOB)) OR bucket = " + std::to_string(buckets - 1);
    const std::string flip =
        "UPDATE members SET entries = CAST(substr(entries, 1, 20) || x'41' || substr(entries, 22) AS BLOB)";
    const std::string damage[] = {flip, "DELETE FROM members", "UPDATE members SET seal = zeroblob(32)",
                                  "UPDATE members SET entries = x''"};
    ASSERT_TRUE(database_.run(damage[trial % 4] + where).ok());
    Result<MemberIndex> index = MemberIndex::open(WorkspaceTables(database_), key_);
    const bool told = !index.ok() || !index->slots_of(WorkspaceTables(database_), MemberKind::kSubject, subject).ok();
    EXPECT_TRUE(told) << subject << ", trial " << trial;
    ASSERT_TRUE(database_.run("ROLLBACK TO before; RELEASE before").ok());
  }
  MemberIndex intact = MemberIndex::open(WorkspaceTables(database_), key_).value();
  EXPECT_TRUE(intact.slots_of(WorkspaceTables(database_), MemberKind::kSubject, "a5").ok());
}

}  // namespace
}  // namespace unscatter
