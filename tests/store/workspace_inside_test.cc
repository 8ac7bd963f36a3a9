// Looking at a workspace, and several who look at the same time.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "support/temporary_folder.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

TEST(WorkspaceInside, ShowsWhatTheSessionHas) {
  testing::SampleChoice choice;
  choice.options.removal = NodeRemoval::kTombstone;
  const SampleWorkspace sample(testing::sample_setup(1, choice));
  Workspace workspace = sample.create();
  const std::vector<RemovalRequest> requests = {ForgetNode{0u, 1u}, ForgetGraph{3u}, ForgetFeatures{1u, 0u}};
  ASSERT_TRUE(workspace.forget(requests).ok());
  const Dataset expected = workspace.session().value()->remaining();
  const Dataset left = workspace.remaining().value();
  EXPECT_EQ(content_digest(left), content_digest(expected));
  EXPECT_EQ(left.numbers.size(), 13u);
  EXPECT_EQ(left.numbers[3], 4u);
  EXPECT_EQ(left.graphs[0].state(1), NodeState::kTombstone);
  EXPECT_EQ(left.graphs[1].state(0), NodeState::kFeatureless);

  EXPECT_FALSE(workspace.slot(3).value().graph.has_value());
  EXPECT_EQ(workspace.slot(3).value().number, 3u);
  EXPECT_EQ(*workspace.slot(4).value().graph, left.graphs[3]);
  EXPECT_EQ(workspace.slot(14).error().code, ErrorCode::kNotFound);
}

TEST(WorkspaceInside, TellsWhichModelsWerePublished) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  EXPECT_TRUE(workspace.published_models().value().empty());
  ASSERT_TRUE(workspace.release().ok());
  const RemovalRequest request = ForgetNode{0u, 1u};
  ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  ASSERT_TRUE(workspace.release().ok());
  const std::vector<PublishedEntry> models = workspace.published_models().value();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].sequence, 1u);
  EXPECT_EQ(models[1].sequence, 3u);
  EXPECT_EQ(models[1].number, 2u);
  EXPECT_EQ(models[0].time, workspace.entry(1).value().time);
}

class Readers : public ::testing::Test {
 protected:
  Readers() {
    sample_.fill();
    sample_.how.wait = std::chrono::milliseconds(50);
  }
  [[nodiscard]] Result<Workspace> read() const {
    WorkspaceOptions how = sample_.how;
    how.read_only = true;
    return Workspace::open(sample_.path(), how);
  }

  SampleWorkspace sample_;
};

TEST_F(Readers, DoNotLockOneAnotherOut) {
  {
    Workspace first = read().value();
    Workspace second = read().value();
    EXPECT_EQ(first.info().head, second.info().head);
    EXPECT_TRUE(first.session().ok());
    EXPECT_EQ(second.remaining().value().size(), 13u);
    const Verification verification = sample_.verify();
    EXPECT_TRUE(verification.passed) << testing::all_details(verification);
    // Who writes has to wait for them.
    const Result<Workspace> writer = Workspace::open(sample_.path(), sample_.how);
    EXPECT_EQ(writer.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(writer.error().message.find("wait longer"), std::string::npos);
  }
  // The last one takes its files along.
  EXPECT_FALSE(std::filesystem::exists(sample_.path().string() + "-shm"));
  EXPECT_FALSE(std::filesystem::exists(sample_.path().string() + "-wal"));
  EXPECT_TRUE(Workspace::open(sample_.path(), sample_.how).ok());
}

TEST_F(Readers, WaitForWhoWrites) {
  const Workspace writer = sample_.open();
  EXPECT_EQ(read().error().code, ErrorCode::kUnavailable);
}

TEST_F(Readers, ChangeNothing) {
  Workspace reader = read().value();
  const RemovalRequest request = ForgetGraph{5u};
  EXPECT_EQ(reader.forget(std::span(&request, 1)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(reader.release(true).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(reader.renew().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(reader.shred(request).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(reader.preview(std::span(&request, 1)).ok());
  // The model that is published can be had.
  EXPECT_EQ(reader.release().value().release_number, 1u);
}

// A crash left a log.  It is emptied before anybody reads, so the old pages do not stay until somebody writes.
TEST_F(Readers, FindNoLogOfACrash) {
  const std::string wal = sample_.path().string() + "-wal";
  std::string file;
  std::string log;
  {
    const Database database =
        Database::open(sample_.path(), Database::Mode::kExisting, std::chrono::milliseconds(0)).value();
    ASSERT_TRUE(database
                    .run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 0; UPDATE receipts "
                         "SET body = body || ' '")
                    .ok());
    file = sample_.bytes();
    log = testing::read_whole_file(wal);
    ASSERT_GT(log.size(), 0u);
  }
  sample_.replace(file);
  std::ofstream(wal, std::ios::binary) << log;
  const Workspace reader = read().value();
  EXPECT_EQ(std::filesystem::file_size(wal), 0u);
}

}  // namespace
}  // namespace unscatter
