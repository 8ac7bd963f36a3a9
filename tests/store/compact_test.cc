// A compacted workspace is smaller, says the same, and holds nothing of the pages that it gave back.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "store/unused_pages.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

class CompactionOf : public ::testing::Test {
 protected:
  CompactionOf() {
    Workspace workspace = sample_.create();
    std::vector<RemovalRequest> requests;
    for (std::size_t graph = 0; graph < 150; ++graph) requests.push_back(ForgetGraph{graph});
    static_cast<void>(workspace.forget(requests).value());
  }

  // So many that most of the file is theirs.
  testing::SampleWorkspace sample_{testing::sample_setup(1, {}, 200)};
};

TEST_F(CompactionOf, IsSmallerAndSaysTheSame) {
  const std::string before = sample_.bytes();
  const Digest replay = sample_.open().replay_digest().value();
  const Digest head = sample_.open().info().head;
  const Compaction done = compact_workspace(sample_.path(), {}).value();
  EXPECT_EQ(done.bytes_before, before.size());
  EXPECT_EQ(done.bytes_after, sample_.bytes().size());
  EXPECT_LT(done.bytes_after, done.bytes_before);
  EXPECT_EQ(examine_unused_pages(sample_.path()).value().pages, 0u);
  EXPECT_FALSE(std::filesystem::exists(sample_.path().string() + "-wal"));
  EXPECT_TRUE(sample_.verify().passed) << testing::all_details(sample_.verify());
  Workspace workspace = sample_.open();
  EXPECT_EQ(workspace.info().head, head);
  EXPECT_EQ(workspace.replay_digest().value(), replay);
  const RemovalRequest request = ForgetGraph{160u};
  EXPECT_TRUE(workspace.forget(std::span(&request, 1)).ok());
}

TEST_F(CompactionOf, ChangesNothingTheSecondTime) {
  ASSERT_TRUE(compact_workspace(sample_.path(), {}).ok());
  const Compaction again = compact_workspace(sample_.path(), {}).value();
  EXPECT_EQ(again.bytes_before, again.bytes_after);
}

// What a careless program left beside the rows and in unused pages goes.
TEST_F(CompactionOf, ClearsWhatNothingUses) {
  const std::string trace(60, 'T');
  const std::string large(9000, 'L');
  {
    const Database database = Database::open(sample_.path(), Database::Mode::kExisting, sample_.how.wait).value();
    ASSERT_TRUE(database.run("PRAGMA secure_delete = OFF").ok());
    for (const std::string& left : {large, trace}) {
      ASSERT_TRUE(
          database.run("INSERT INTO receipts VALUES(99, '" + left + "'); DELETE FROM receipts WHERE sequence = 99")
              .ok());
    }
    ASSERT_TRUE(database.empty_log().ok());
  }
  ASSERT_NE(sample_.bytes().find(trace), std::string::npos);
  ASSERT_NE(sample_.bytes().find(large.substr(0, 100)), std::string::npos);
  ASSERT_FALSE(check_workspace(sample_.path(), {}).value().passed);
  ASSERT_TRUE(compact_workspace(sample_.path(), {}).ok());
  EXPECT_EQ(sample_.bytes().find(trace), std::string::npos);
  EXPECT_EQ(sample_.bytes().find(large.substr(0, 100)), std::string::npos);
  EXPECT_TRUE(check_workspace(sample_.path(), {}).value().passed);
}

TEST_F(CompactionOf, AFileThatIsNotSoundStaysAsItIs) {
  sample_.edit("UPDATE graphs SET label = 1 - label WHERE slot = 180");
  const std::string before = sample_.bytes();
  const Result<Compaction> refused = compact_workspace(sample_.path(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(refused.error().message.find("data"), std::string::npos) << refused.error().message;
  EXPECT_EQ(sample_.bytes(), before);
}

TEST_F(CompactionOf, WaitsForWhoeverUsesTheFile) {
  const Workspace user = sample_.open();
  WorkspaceOptions impatient;
  impatient.wait = std::chrono::milliseconds(0);
  EXPECT_EQ(compact_workspace(sample_.path(), impatient).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace unscatter
