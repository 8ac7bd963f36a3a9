// Copies of a workspace: complete, sound, for their owner only, and without a trace of what was removed.
#include "store/backup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "store/leftovers.h"
#include "store/sample_workspace.h"
#include "store/schema.h"
#include "support/temporary_folder.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::read_whole_file;

class BackupOf : public ::testing::Test {
 protected:
  BackupOf() { sample_.fill(); }

  [[nodiscard]] fs::path to() const { return copies_.path() / "copy.unscatter"; }
  [[nodiscard]] Workspace reader() const {
    WorkspaceOptions reading = sample_.how;
    reading.read_only = true;
    return Workspace::open(sample_.path(), reading).value();
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(copies_.path())) found.insert(entry.path().filename().string());
    return found;
  }
  void expect_verified(const fs::path& path) const {
    const Verification found = verify_workspace(path, {}, {.threads = 1}).value();
    EXPECT_TRUE(found.passed) << testing::all_details(found);
  }

  testing::SampleWorkspace sample_;
  testing::TemporaryFolder copies_{testing::memory_folder()};
};

TEST_F(BackupOf, SaysWhatTheWorkspaceSays) {
  Digest replay;
  Digest state;
  {
    Workspace workspace = reader();
    const Backup backup = workspace.backup(to()).value();
    EXPECT_EQ(backup.head, workspace.info().head);
    EXPECT_EQ(backup.entries, workspace.info().entries);
    EXPECT_EQ(backup.bytes, fs::file_size(to()));
    replay = workspace.replay_digest().value();
    state = workspace.state_digest().value();
  }
  EXPECT_EQ(names(), std::set<std::string>{"copy.unscatter"});
  struct stat file = {};
  ASSERT_EQ(::stat(to().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777u, 0600u);
  expect_verified(to());
  expect_verified(sample_.path());
  Workspace copy = Workspace::open(to(), sample_.how).value();
  EXPECT_EQ(copy.replay_digest().value(), replay);
  EXPECT_EQ(copy.state_digest().value(), state);
  const RemovalRequest request = ForgetGraph{5u};
  EXPECT_TRUE(copy.forget(std::span(&request, 1)).ok());
}

// Who writes need not close the file for a copy.
TEST_F(BackupOf, IsMadeBetweenTwoRemovals) {
  Workspace workspace = sample_.open();
  const RemovalRequest first = ForgetGraph{5u};
  ASSERT_TRUE(workspace.forget(std::span(&first, 1)).ok());
  const Digest head = workspace.info().head;
  EXPECT_EQ(workspace.backup(to()).value().head, head);
  const RemovalRequest second = ForgetGraph{6u};
  ASSERT_TRUE(workspace.forget(std::span(&second, 1)).ok());
  expect_verified(to());
  WorkspaceOptions looking;
  looking.read_only = true;
  EXPECT_EQ(Workspace::open(to(), looking).value().info().head, head);
}

// A copy page by page would have it: what a careless program left in the file, beside the rows and in unused pages.
TEST_F(BackupOf, HoldsNothingButWhatIsThere) {
  const std::vector<std::string> leftovers = testing::plant_leftovers(sample_);
  for (const std::string& left : leftovers) ASSERT_NE(sample_.bytes().find(left), std::string::npos);
  ASSERT_TRUE(reader().backup(to()).ok());
  const std::string copy = read_whole_file(to());
  for (const std::string& left : leftovers) EXPECT_EQ(copy.find(left), std::string::npos);
  EXPECT_TRUE(check_workspace(to(), {}).value().passed);
}

TEST_F(BackupOf, ReplacesNothingUnlessToldAndNothingButAWorkspace) {
  Workspace workspace = reader();
  const fs::path other = copies_.write("copy.unscatter", "a key, perhaps");
  EXPECT_EQ(workspace.backup(to()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(workspace.backup(to(), {.replace = true}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_whole_file(other), "a key, perhaps");
  fs::remove(other);
  fs::create_symlink(sample_.path(), to());
  EXPECT_EQ(workspace.backup(to(), {.replace = true}).error().code, ErrorCode::kInvalidArgument);
  fs::remove(to());
  EXPECT_EQ(workspace.backup(sample_.path(), {.replace = true}).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(workspace.backup(to()).ok());
  EXPECT_EQ(workspace.backup(to()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(workspace.backup(to(), {.replace = true}).ok());
  EXPECT_EQ(names(), std::set<std::string>{"copy.unscatter"});
  expect_verified(sample_.path());
}

// The log of the old copy must not be taken for that of the new one.
TEST_F(BackupOf, ReplacesACopyThatACrashLeftWithALog) {
  ASSERT_TRUE(reader().backup(to()).ok());
  {
    const Database database = open_database(to(), std::chrono::milliseconds(0)).value();
    ASSERT_TRUE(database.run("DELETE FROM receipts").ok());
    copies_.write("kept-wal", read_whole_file(to().string() + "-wal"));
  }
  fs::rename(copies_.path() / "kept-wal", to().string() + "-wal");
  ASSERT_GT(fs::file_size(to().string() + "-wal"), 0u);
  ASSERT_TRUE(reader().backup(to(), {.replace = true}).ok());
  EXPECT_EQ(names(), std::set<std::string>{"copy.unscatter"});
  expect_verified(to());
}

TEST_F(BackupOf, DoesNotPullAwayACopyThatIsInUse) {
  ASSERT_TRUE(reader().backup(to()).ok());
  const Workspace user = Workspace::open(to(), sample_.how).value();
  sample_.how.wait = std::chrono::milliseconds(0);
  EXPECT_EQ(reader().backup(to(), {.replace = true}).error().code, ErrorCode::kUnavailable);
}

TEST_F(BackupOf, PutsAwayWhatAKilledProcessLeft) {
  const fs::path left = unfinished_copy(to());
  const auto leave = [&] {
    copies_.write(left.filename().string(), std::string(100000, 'x'));
    copies_.write(left.filename().string() + "-journal", "half a page");
  };
  leave();
  ASSERT_TRUE(reader().backup(to()).ok());
  EXPECT_EQ(names(), std::set<std::string>{"copy.unscatter"});
  expect_verified(to());
  // Not that of a process that still writes.
  leave();
  const int held = ::open(left.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(reader().backup(to(), {.replace = true}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(read_whole_file(left), std::string(100000, 'x'));
  ::close(held);
}

// A copy is read before it gets its name.
TEST_F(BackupOf, ADamagedWorkspaceIsNotCopied) {
  const Digest head = reader().info().head;
  sample_.edit("UPDATE graphs SET label = 1 - label WHERE slot = 5");
  const Database damaged = open_database(sample_.path(), sample_.how.wait, Access::kReader).value();
  const Result<Backup> refused = copy_database(damaged, sample_.path(), to(), {}, head, sample_.how.wait);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(refused.error().message.find("not sound: data"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(names().empty());
}

TEST_F(BackupOf, AFolderThatIsNotThereIsNamed) {
  const Result<Backup> refused = reader().backup(copies_.path() / "none" / "copy");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_NE(refused.error().message.find("none"), std::string::npos) << refused.error().message;
}

// What a restored copy means: it is an older copy.  It is looked at, and takes nothing until it is brought up to date.
TEST_F(BackupOf, ARestoredCopyIsOldUntilItIsReplayed) {
  sample_.keep_record();
  std::vector<Opening> openings;
  {
    Workspace workspace = sample_.open();
    ASSERT_TRUE(workspace.backup(to()).ok());
    const std::vector<RemovalRequest> requests = {ForgetGraph{5u}};
    const Forgotten done = workspace.forget(requests).value();
    openings.push_back({done.entry.sequence, done.entry.commitments[0], requests[0], done.salts[0]});
  }
  fs::remove(sample_.path());
  fs::copy_file(to(), sample_.path());
  {
    Workspace restored = sample_.open();
    ASSERT_TRUE(restored.info().outdated.has_value());
    EXPECT_EQ(restored.backup(copies_.path() / "second").error().code, ErrorCode::kOutdated);
    ASSERT_TRUE(restored.replay(openings).ok());
  }
  Workspace now = sample_.open();
  EXPECT_FALSE(now.info().outdated.has_value());
  EXPECT_TRUE(now.backup(copies_.path() / "second").ok());
}

}  // namespace
}  // namespace unscatter
