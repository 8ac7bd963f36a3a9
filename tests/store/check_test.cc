// check_workspace() passes good files without a key, and each of its checks is shown a fault that it notices.
#include "store/check.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

// Does no reader keep it out?  Asked by a child, because locks of the asking process do not count.
bool another_process_could_write(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int descriptor = ::open(path.c_str(), O_RDWR);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000002;  // what SQLite locks to write
    lock.l_len = 510;
    ::_exit(descriptor >= 0 && ::fcntl(descriptor, F_SETLK, &lock) == 0 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class QuickCheckOf : public ::testing::Test {
 protected:
  QuickCheckOf() { sample_.fill(); }

  [[nodiscard]] Verification check() const {
    WorkspaceOptions without_key;
    without_key.record = sample_.how.record;
    return check_workspace(sample_.path(), without_key).value();
  }
  // Exactly these fail, one of them saying `part`.
  void expect_unsound(const std::vector<std::string>& names, const std::string& part) const {
    const Verification found = check();
    EXPECT_FALSE(found.passed);
    EXPECT_EQ(testing::failed_checks(found), names) << testing::all_details(found);
    EXPECT_NE(testing::all_details(found).find(part), std::string::npos) << testing::all_details(found);
  }

  SampleWorkspace sample_;
};

TEST_F(QuickCheckOf, AGoodFilePassesAndIsNotChanged) {
  const std::string before = sample_.bytes();
  const Verification found = check();
  EXPECT_TRUE(found.passed) << testing::all_details(found);
  std::vector<std::string> names;
  for (const Check& made : found.checks) names.push_back(made.name);
  EXPECT_EQ(names, (std::vector<std::string>{"file", "constants", "chain", "signature", "data", "model", "certificate",
                                             "published", "seals", "kept", "erasure"}));
  EXPECT_EQ(sample_.bytes(), before);
}

TEST_F(QuickCheckOf, TellsAFileThatIsMissingFromOneThatIsDamaged) {
  EXPECT_EQ(check_workspace(sample_.path().string() + "-none", {}).error().code, ErrorCode::kNotFound);
  const std::string good = sample_.bytes();
  sample_.replace(good.substr(0, good.size() / 2));
  expect_unsound({"file"}, "damaged");
  sample_.replace("no workspace");
  expect_unsound({"file"}, "not a workspace");
}

TEST_F(QuickCheckOf, EveryPartIsLookedAt) {
  const std::string good = sample_.bytes();
  struct Planted {
    std::string sql;
    std::vector<std::string> names;
  };
  for (const Planted& planted : std::vector<Planted>{
           {"UPDATE workspace SET created = '2020-01-01T00:00:00Z'", {"constants"}},
           {"UPDATE ledger SET body = replace(body, 'forgotten', 'forgottem') WHERE sequence = 1", {"chain"}},
           {"DELETE FROM ledger WHERE sequence = 2", {"chain"}},
           {"UPDATE ledger SET signature = zeroblob(64) WHERE sequence = 4", {"signature"}},
           {"UPDATE graphs SET label = 1 - label WHERE slot = 5", {"data"}},
           {"DELETE FROM graphs WHERE slot = 13", {"data"}},
           {"UPDATE model SET salt = zeroblob(32)", {"model"}},
           {"UPDATE published SET seal = zeroblob(32)", {"published"}},
           {"DELETE FROM published; INSERT INTO published SELECT 1, weights, details, zeroblob(32) FROM model",
            {"published"}},
           {"UPDATE salts SET salts = zeroblob(32) WHERE sequence = 1", {"seals"}},
       }) {
    SCOPED_TRACE(planted.sql);
    sample_.edit(planted.sql);
    const Verification found = check();
    EXPECT_FALSE(found.passed);
    EXPECT_EQ(testing::failed_checks(found), planted.names) << testing::all_details(found);
    sample_.replace(good);
  }
  EXPECT_TRUE(check().passed);
}

// What it leaves to verify_workspace(), so that nobody takes the one for the other.
TEST_F(QuickCheckOf, LeavesEarlierSignaturesAndReceiptsToVerify) {
  const std::string good = sample_.bytes();
  for (const char* sql : {"UPDATE ledger SET signature = zeroblob(64) WHERE sequence = 1",
                          "UPDATE receipts SET body = replace(body, '1', '2') WHERE sequence = 2"}) {
    SCOPED_TRACE(sql);
    sample_.edit(sql);
    EXPECT_TRUE(check().passed);
    EXPECT_FALSE(sample_.verify().passed);
    sample_.replace(good);
  }
}

TEST_F(QuickCheckOf, AModelThatDoesNotMeetItsGuaranteeIsNoticed) {
  sample_.rewrite_model([](StoredModel& model) { model.residuals *= 1e9; }, *sample_.how.key);
  expect_unsound({"certificate"}, "guarantee");
}

TEST_F(QuickCheckOf, AnOlderCopyDoesNotPassItsRecord) {
  sample_.keep_record();
  const std::string old = sample_.bytes();
  {
    Workspace workspace = sample_.open();
    const RemovalRequest request = ForgetGraph{5u};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  }
  EXPECT_TRUE(check().passed);
  sample_.replace(old);
  expect_unsound({"record"}, "older than the record");
}

TEST_F(QuickCheckOf, APageThatNothingUsesMustBeEmpty) {
  {
    const Database database = Database::open(sample_.path(), Database::Mode::kExisting, sample_.how.wait).value();
    ASSERT_TRUE(database
                    .run("PRAGMA secure_delete = OFF; INSERT INTO salts VALUES(99, randomblob(20000), x'00'); "
                         "DELETE FROM salts WHERE sequence = 99")
                    .ok());
    ASSERT_TRUE(database.empty_log().ok());
  }
  expect_unsound({"erasure"}, "unused pages are not empty");
}

// Of the function itself: an opening may look at the pages or not.
TEST_F(QuickCheckOf, PagesThatDoNotHangTogetherAreNoticed) {
  const auto structure = [&] {
    const Database database = Database::open(sample_.path(), Database::Mode::kExisting, sample_.how.wait).value();
    return check_structure(WorkspaceTables(database), sample_.path());
  };
  EXPECT_TRUE(structure().ok());
  sample_.edit("PRAGMA application_id = 5");  // of no concern to pages
  EXPECT_TRUE(structure().ok());
  std::string file = sample_.bytes();
  file[39] = static_cast<char>(file[39] + 1);  // one more unused page than there are
  sample_.replace(file);
  ASSERT_FALSE(structure().ok());
  EXPECT_EQ(structure().error().code, ErrorCode::kMalformedInput);
}

// Looking at the unused pages must not cost the lock: on Unix, closing a file gives up all locks of the process on it.
TEST_F(QuickCheckOf, KeepsTheLockOfWhoeverChecks) {
  const Workspace reader = [&] {
    WorkspaceOptions reading = sample_.how;
    reading.read_only = true;
    return Workspace::open(sample_.path(), reading).value();
  }();
  ASSERT_TRUE(check().passed);
  EXPECT_FALSE(another_process_could_write(sample_.path()));
  // The planted fault: a look at the file by other means.
  static_cast<void>(sample_.bytes());
  EXPECT_TRUE(another_process_could_write(sample_.path()));
}

}  // namespace
}  // namespace unscatter
