// What each opening checks of the ledger.  The rules for single entries are broken one by one in verify_test.cc.
#include "store/chain.h"

#include <gtest/gtest.h>

#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

TEST(Chain, EndsWhereTheWorkspaceSays) {
  const SampleWorkspace sample;
  sample.fill();
  const WorkspaceInfo info = sample.open().info();
  sample.edit([&](const Database& database) {
    const ChainEnd end = check_links(database).value();
    EXPECT_EQ(end.entries, info.entries);
    EXPECT_EQ(end.head, info.head);
    EXPECT_EQ(end.last.kind, EntryKind::kReleased);
    const ChainTotals totals = check_entries(database, read_identity(database).value()).value();
    EXPECT_EQ(totals.forgotten, 3u);
    EXPECT_EQ(totals.released, 1u);
    EXPECT_EQ(totals.rungs, info.rungs);
  });
}

// An opening looks at the end of the chain, and a session of all graphs at every link.
TEST(Chain, ABrokenOneServesNobody) {
  const SampleWorkspace sample;
  sample.fill();
  const std::string good = sample.bytes();
  for (const char* sql : {"DELETE FROM ledger WHERE sequence = 2", "DELETE FROM ledger WHERE sequence = 0",
                          "DELETE FROM ledger", "UPDATE ledger SET hash = zeroblob(32) WHERE sequence = 1",
                          "UPDATE ledger SET hash = zeroblob(31) WHERE sequence = 1",
                          "UPDATE ledger SET signature = zeroblob(63) WHERE sequence = 1",
                          "UPDATE ledger SET body = body || ' ' WHERE sequence = 3"}) {
    SCOPED_TRACE(sql);
    sample.edit(sql);
    Result<Workspace> opened = Workspace::open(sample.path(), sample.how);
    const Result<const Session*> session =
        opened.ok() ? opened->session() : Result<const Session*>(std::move(opened).error());
    ASSERT_FALSE(session.ok());
    EXPECT_EQ(session.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(session.error().message.find("damaged"), std::string::npos) << session.error().message;
    sample.replace(good);
  }
}

// The link is part of what is hashed: pointing elsewhere needs another hash, which the next entry does not know.
TEST(Chain, AnEntryPinsEverythingBefore) {
  const SampleWorkspace sample;
  sample.fill();
  const WorkspaceInfo before = sample.open().info();
  sample.rewrite_ledger(
      [](LedgerRecord& record) {
        if (record.sequence == 0) record.time = "2026-01-31T23:59:59Z";
      },
      *sample.how.key);
  EXPECT_NE(sample.open().info().head, before.head);
}

}  // namespace
}  // namespace unscatter
