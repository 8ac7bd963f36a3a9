// A compacted workspace is smaller, says the same, and holds nothing of the pages that it gave back.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "store/leftovers.h"
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
    for (std::size_t graph = 0; graph < 150; ++graph) requests.emplace_back(ForgetGraph{graph});
    static_cast<void>(workspace.forget(requests).value());
  }

  // So many that most of the file is theirs.
  testing::SampleWorkspace sample_{testing::sample_setup(1, {}, 200)};
};

TEST_F(CompactionOf, IsSmallerAndSaysTheSame) {
  const std::string before = sample_.bytes();
  const Digest replay = sample_.open().replay_digest().value();
  const Digest state = sample_.open().state_digest().value();
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
  EXPECT_EQ(workspace.state_digest().value(), state);
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
  const std::vector<std::string> leftovers = testing::plant_leftovers(sample_);
  for (const std::string& left : leftovers) ASSERT_NE(sample_.bytes().find(left), std::string::npos);
  ASSERT_FALSE(check_workspace(sample_.path(), {}).value().passed);
  ASSERT_TRUE(compact_workspace(sample_.path(), {}).ok());
  for (const std::string& left : leftovers) EXPECT_EQ(sample_.bytes().find(left), std::string::npos);
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
