// Signatures that are wrong, and a program that would sign on top of them.
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "store/chain.h"
#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

class BadSignatures : public ::testing::Test {
 protected:
  BadSignatures() { sample_.fill(); }

  void expect_refused() const {
    // What unscatter 0.1 looked at when it opened a file: hashes and links.
    sample_.edit([](const Database& database) { EXPECT_TRUE(check_links(database).ok()); });
    const Result<Workspace> workspace = Workspace::open(sample_.path(), sample_.how);
    ASSERT_FALSE(workspace.ok());
    EXPECT_NE(workspace.error().message.find("not signed"), std::string::npos) << workspace.error().message;
    EXPECT_FALSE(sample_.verify().passed);
  }

  SampleWorkspace sample_;
};

TEST_F(BadSignatures, AllZero) {
  sample_.edit("UPDATE ledger SET signature = zeroblob(64)");
  expect_refused();
}

TEST_F(BadSignatures, TheHeadOnly) {
  sample_.edit("UPDATE ledger SET signature = zeroblob(64) WHERE sequence = 4");
  expect_refused();
}

TEST_F(BadSignatures, OfAnotherKey) {
  sample_.rewrite_ledger(
      [](LedgerRecord& record) {
        if (record.sequence == 4) record.time = "2026-01-31T23:59:59Z";
      },
      *testing::sample_key(2));
  expect_refused();
}

// An entry in the middle: the head does not speak for it any more, because its hash changed or its text did not.
TEST_F(BadSignatures, InTheMiddleAreNoticedByVerify) {
  sample_.edit("UPDATE ledger SET signature = zeroblob(64) WHERE sequence = 2");
  const Verification verification = sample_.verify();
  EXPECT_EQ(testing::failed_checks(verification), std::vector<std::string>{"signatures"});
}

}  // namespace
}  // namespace unscatter
