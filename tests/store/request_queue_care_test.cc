// A queue and the care of its file: files without one, copies, compaction.
#include <gtest/gtest.h>

#include <filesystem>

#include "store/queue_fixture.h"
#include "store/request_queue_rows.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

class RequestQueueCare : public testing::QueueFixture {};

bool file_has_queue(const testing::SampleWorkspace& sample) {
  bool there = false;
  sample.edit([&](const Database& database) { there = has_queue(database).value(); });
  return there;
}

// Whoever uses no queue gets no tables, and programs from before can read the file.
TEST(RequestQueueTables, ComeWithTheFirstQueueOnly) {
  const testing::SampleWorkspace sample;
  sample.fill();
  EXPECT_FALSE(file_has_queue(sample));
  EXPECT_TRUE(sample.verify().passed);
  EXPECT_EQ(testing::all_details(sample.verify()).find("finished requests"), std::string::npos);
  { const Workspace workspace = sample.open(); }
  EXPECT_FALSE(file_has_queue(sample)) << "opening made them";
  {
    Workspace workspace = sample.open();
    RequestQueue queue = RequestQueue::open(workspace).value();
    EXPECT_TRUE(queue.view()->open.empty());
    EXPECT_EQ(queue.view()->policy, QueuePolicy());
  }
  EXPECT_TRUE(file_has_queue(sample));
  const Verification verified = sample.verify();
  EXPECT_TRUE(verified.passed) << testing::all_details(verified);
  EXPECT_NE(testing::all_details(verified).find("0 open and 0 finished requests"), std::string::npos);
}

TEST_F(RequestQueueCare, ABackupHasTheQueueAndNoNamesOfFinishedRequests) {
  const RequestId open = submit(ForgetSubject{"u1"});
  const RequestId gone = submit(ForgetSubject{"u2"});
  ASSERT_TRUE(queue().cancel(gone, "operator").ok());
  const testing::TemporaryFolder folder(testing::memory_folder());
  const fs::path copy = folder.path() / "copy.unscatter";
  ASSERT_TRUE(workspace_->backup(copy).ok());
  close();
  Workspace workspace = Workspace::open(copy, sample_.how).value();
  RequestQueue queue = RequestQueue::open(workspace).value();
  EXPECT_EQ(queue.find(open).value().text, request_text(ForgetSubject{"u1"}));
  EXPECT_EQ(queue.find(gone).value().state, RequestState::kCancelled);
  EXPECT_EQ(queue.process().value().done, std::vector<RequestId>{open});
  reopen();
}

// A log that submissions left is no loss: the file is complete when it is closed, and after a copy of both.
TEST_F(RequestQueueCare, SubmissionsAreInTheFileOnceItIsClosed) {
  const RequestId id = submit(ForgetSubject{"u1"});
  close();
  std::error_code none;
  EXPECT_FALSE(fs::exists(sample_.path().string() + "-wal", none));
  const std::string bytes = sample_.bytes();
  sample_.replace(bytes);
  reopen();
  EXPECT_EQ(state_of(id), RequestState::kQueued);
}

TEST_F(RequestQueueCare, CompactionKeepsTheQueueAndGivesRoomBack) {
  const RequestId open = submit(ForgetSubject{"u1"});
  std::vector<RemovalRequest> many;
  for (int i = 0; i < 2000; ++i) many.emplace_back(ForgetSubject{"somebody-" + std::to_string(i)});
  const std::vector<RequestId> ids = queue().submit(asking(many)).value().ids;
  ProcessOptions options;
  options.limit = 3000;
  ASSERT_EQ(queue().process(options).value().already_absent.size(), 2000u);
  QueuePolicy policy;
  policy.keep_days = 1;
  change_policy(policy);
  turn(2 * kDay);
  EXPECT_EQ(queue().drop_finished().value(), 2001u);
  close();
  const Compaction compaction = compact_workspace(sample_.path(), sample_.how).value();
  EXPECT_LT(compaction.bytes_after, compaction.bytes_before);
  reopen();
  EXPECT_EQ(queue().find(open).error().code, ErrorCode::kNotFound) << "it was done and dropped";
  submit(ForgetSubject{"u2"});
  expect_sound();
}

}  // namespace
}  // namespace unscatter
