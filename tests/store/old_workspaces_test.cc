// Workspaces that version 0.1 made (tests/store/version_0_1): they open, verify, go on and verify again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "store/sqlite.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"
#include "unscatter/store/request_queue.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/verify.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// The same bytes in every run, so that a failure comes again.
class SameBytes final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(sequence_.below(256));
  }

 private:
  Sequence sequence_{1};
};

class OldWorkspace : public ::testing::TestWithParam<const char*> {
 protected:
  OldWorkspace() {
    const fs::path folder = UNSCATTER_OLD_WORKSPACES;
    fs::copy_file(folder / (std::string(GetParam()) + ".unscatter"), path_);
    // A key that others may read is refused, and a checked-out file is one.
    const fs::path key = copies_.path() / "signing.key";
    fs::copy_file(folder / "signing.key", key);
    fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
    how_.key = std::make_shared<const SigningKey>(SigningKey::load(key).value());
    how_.threads = 1;
    how_.random = [] { return std::make_unique<SameBytes>(); };
    signer_ = read_public_key((folder / "signing.pub").string()).value();
    list_ = read_requests(folder / "list.jsonl").value().requests;
  }

  [[nodiscard]] Workspace open() const { return Workspace::open(path_, how_).value(); }

  // All claims, the distance from a model trained from scratch among them.
  void expect_verified() const {
    const Verification verification =
        verify_workspace(path_, {.retrain = true, .signer = signer_}, {.threads = 1}).value();
    EXPECT_TRUE(verification.passed) << testing::all_details(verification);
    EXPECT_EQ(verification.checks.back().name, "retrain");
  }

  testing::TemporaryFolder copies_;
  fs::path path_ = copies_.path() / "old.unscatter";
  WorkspaceOptions how_;
  PublicKey signer_;
  std::vector<RemovalRequest> list_;
};

TEST_P(OldWorkspace, Verifies) { expect_verified(); }

// Without the key a file of format 1 is read as it is.
TEST_P(OldWorkspace, IsReadWithoutChangingIt) {
  const std::string before = testing::read_whole_file(path_);
  {
    WorkspaceOptions reading = how_;
    reading.key = nullptr;
    Workspace workspace = Workspace::open(path_, reading).value();
    EXPECT_EQ(workspace.info().format, 1u);
    EXPECT_EQ(workspace.entry(0).value().version, 1u);
    ASSERT_TRUE(workspace.session().ok());
    // What it published is not handed out: no entry says that it is the right model.
    EXPECT_EQ(workspace.release().error().code, ErrorCode::kInvalidArgument);
  }
  expect_verified();
  EXPECT_EQ(testing::read_whole_file(path_), before);
}

// With the key it is upgraded when it is opened: one signed entry, and every old one as it was.
TEST_P(OldWorkspace, IsUpgradedByItsKey) {
  std::vector<std::string> bodies;
  std::string receipt;
  {
    WorkspaceOptions reading = how_;
    reading.key = nullptr;
    const Workspace workspace = Workspace::open(path_, reading).value();
    for (std::size_t i = 0; i < workspace.info().entries; ++i) {
      bodies.push_back(ledger_text(workspace.entry(i).value()));
    }
    receipt = receipt_text(workspace.receipt(1).value());
  }
  const Workspace workspace = open();
  const WorkspaceInfo info = workspace.info();
  EXPECT_EQ(info.format, 2u);
  ASSERT_EQ(info.entries, bodies.size() + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_EQ(ledger_text(workspace.entry(i).value()), bodies[i]);
    EXPECT_EQ(workspace.hash_of_entry(i).value(), entry_hash(bodies[i]));
  }
  EXPECT_EQ(receipt_text(workspace.receipt(1).value()), receipt);
  const LedgerRecord last = workspace.entry(bodies.size()).value();
  EXPECT_EQ(last.kind, EntryKind::kUpgraded);
  EXPECT_EQ(last.version, 2u);
  EXPECT_EQ(last.data_after, workspace.entry(bodies.size() - 1).value().data_after);
  EXPECT_EQ(info.published, 3u);
}

TEST_P(OldWorkspace, IsUpgradedOnce) {
  std::size_t entries = 0;
  {
    const Workspace workspace = open();
    entries = workspace.info().entries;
  }
  EXPECT_EQ(open().info().entries, entries);
  expect_verified();
}

// An upgrade is signed.  So it looks at every entry, and not at the head alone.
TEST_P(OldWorkspace, IsNotUpgradedIfAnOldSignatureIsWrong) {
  {
    const Database database = Database::open(path_, Database::Mode::kExisting, how_.wait).value();
    ASSERT_TRUE(database.run("UPDATE ledger SET signature = zeroblob(64) WHERE sequence = 1").ok());
    ASSERT_TRUE(database.empty_log().ok());
  }
  const std::string before = testing::read_whole_file(path_);
  const Result<Workspace> opened = Workspace::open(path_, how_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("entry 1 is not signed"), std::string::npos) << opened.error().message;
  EXPECT_EQ(testing::read_whole_file(path_), before);
}

// The same by hand: check, upgrade, check, verify, and on with removals.
TEST_P(OldWorkspace, IsUpgradedOnRequestAndSaysSo) {
  const std::string before = testing::read_whole_file(path_);
  EXPECT_TRUE(check_workspace(path_, {}).value().passed);
  const FormatUpgrade planned = upgrade_workspace(path_, how_, true).value();
  EXPECT_EQ(planned.from, 1u);
  EXPECT_EQ(planned.to, 2u);
  EXPECT_FALSE(planned.done);
  WorkspaceOptions without_key = how_;
  without_key.key = nullptr;
  EXPECT_EQ(upgrade_workspace(path_, without_key).error().code, ErrorCode::kInvalidArgument);
  WorkspaceOptions other_key = how_;
  other_key.key = testing::sample_key();
  EXPECT_EQ(upgrade_workspace(path_, other_key).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::read_whole_file(path_), before);

  const FormatUpgrade done = upgrade_workspace(path_, how_).value();
  EXPECT_EQ(done.from, 1u);
  EXPECT_EQ(done.to, 2u);
  EXPECT_TRUE(done.done);
  EXPECT_EQ(done.entries, planned.entries + 1);
  const Verification found = check_workspace(path_, {}).value();
  EXPECT_TRUE(found.passed) << testing::all_details(found);
  expect_verified();
  // Nothing to do, and no key needed to hear it.
  const FormatUpgrade again = upgrade_workspace(path_, without_key).value();
  EXPECT_EQ(again.from, 2u);
  EXPECT_FALSE(again.done);
  EXPECT_EQ(again.head, done.head);
  {
    Workspace workspace = open();
    EXPECT_EQ(workspace.entry(done.entries - 1).value().kind, EntryKind::kUpgraded);
    const std::vector<RemovalRequest> requests = {ForgetNode{12u, 1u}};
    ASSERT_TRUE(workspace.forget(requests).ok());
  }
  ASSERT_TRUE(compact_workspace(path_, how_).ok());
  expect_verified();
}

// A dry run promises that the upgrade would work, so it looks at every entry too.
TEST_P(OldWorkspace, ADryRunSeesWhatWouldStopTheUpgrade) {
  {
    const Database database = Database::open(path_, Database::Mode::kExisting, how_.wait).value();
    ASSERT_TRUE(database.run("UPDATE ledger SET signature = zeroblob(64) WHERE sequence = 1").ok());
    ASSERT_TRUE(database.empty_log().ok());
  }
  EXPECT_EQ(upgrade_workspace(path_, how_, true).error().code, ErrorCode::kMalformedInput);
  EXPECT_EQ(upgrade_workspace(path_, how_).error().code, ErrorCode::kMalformedInput);
}

// A copy of the time before the upgrade is put back.  It is an older copy like any other, and can be brought up to
// date.
TEST_P(OldWorkspace, IsRefusedAndReplayedAsAnOlderCopy) {
  how_.record = copies_.path() / "signing.key";
  const std::string copy = testing::read_whole_file(path_);
  std::vector<Opening> openings;
  {
    Workspace workspace = open();
    const std::vector<RemovalRequest> requests = {ForgetNode{12u, 1u}};
    const Forgotten done = workspace.forget(requests).value();
    openings.push_back({done.entry.sequence, done.entry.commitments[0], requests[0], done.salts[0]});
    ASSERT_TRUE(workspace.release().ok());
  }
  fs::remove(path_);
  copies_.write("old.unscatter", copy);
  {
    Workspace workspace = open();
    ASSERT_TRUE(workspace.info().outdated.has_value());
    EXPECT_EQ(workspace.release().error().code, ErrorCode::kOutdated);
    EXPECT_EQ(workspace.replay({}).error().code, ErrorCode::kInvalidArgument);
  }
  {
    // It was upgraded by the opening before, and is still an older copy.
    Workspace workspace = open();
    ASSERT_TRUE(workspace.info().outdated.has_value());
    ASSERT_TRUE(workspace.replay(openings).ok());
    EXPECT_EQ(workspace.release().value().release_number, 5u);
  }
  EXPECT_FALSE(open().info().outdated.has_value());
  expect_verified();
}

TEST_P(OldWorkspace, HoldsWhatWasDone) {
  const Workspace workspace = open();
  const WorkspaceInfo& info = workspace.info();
  EXPECT_EQ(info.signer, signer_);
  EXPECT_EQ(info.slots, 16u);
  EXPECT_EQ(info.graphs, 15u);
  EXPECT_EQ(info.published, 3u);
  EXPECT_EQ(info.entries, 1 + info.updates + info.published + 1);  // the last one is the upgrade
  EXPECT_EQ(info.rungs.total(), info.updates);
  EXPECT_TRUE(info.certificate.satisfied);
  std::size_t receipts = 0;
  for (std::size_t i = 0; i < info.entries; ++i) {
    if (workspace.entry(i).value().kind != EntryKind::kForgotten) continue;
    const Receipt receipt = workspace.receipt(i).value();
    EXPECT_TRUE(check_signature(receipt, signer_).ok());
    EXPECT_TRUE(find_receipt(receipt, workspace).value().passed);
    ++receipts;
  }
  EXPECT_EQ(receipts, info.updates);
}

TEST_P(OldWorkspace, ForgetsAndPublishesOnceMore) {
  {
    Workspace workspace = open();
    const std::size_t entries = workspace.info().entries;
    const std::vector<RemovalRequest> requests = {ForgetNode{12u, 1u}};
    const Forgotten forgotten = workspace.forget(requests).value();
    EXPECT_TRUE(forgotten.certificate.satisfied);
    EXPECT_EQ(forgotten.receipt.commitments, std::vector{commitment(requests[0], forgotten.salts.at(0))});
    EXPECT_EQ(workspace.release().value().release_number, 4u);
    EXPECT_EQ(workspace.info().entries, entries + 2);
  }
  expect_verified();
}

TEST_P(OldWorkspace, GoesOnWithTheListThatWasInterrupted) {
  {
    Workspace workspace = open();
    const Workspace::ListOutcome outcome = workspace.forget_list(list_, {.batch = 5, .skip_refused = true}).value();
    EXPECT_GT(outcome.done_before, 0u);
    EXPECT_GT(outcome.honoured, outcome.done_before);
    EXPECT_EQ(outcome.done_before + outcome.honoured + outcome.refused.size(), list_.size());
    // Edges of the subject, which went with it.
    for (const Error& refusal : outcome.refused) {
      EXPECT_EQ(refusal.code, ErrorCode::kInvalidArgument) << refusal.message;
    }
  }
  expect_verified();
}

TEST_P(OldWorkspace, TakesRequestsIntoAQueue) {
  {
    Workspace workspace = open();
    RequestQueue queue = RequestQueue::open(workspace).value();
    ASSERT_EQ(queue.submit({{ForgetNode{12u, 1u}}, "token-1"}).value().outcome, Submitted::Outcome::kTaken);
  }
  expect_verified();
  {
    Workspace workspace = open();
    RequestQueue queue = RequestQueue::open(workspace).value();
    EXPECT_EQ(queue.process().value().done.size(), 1u);
  }
  expect_verified();
}

INSTANTIATE_TEST_SUITE_P(OfVersion01, OldWorkspace, ::testing::Values("release", "objective", "paper", "data-bound"),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace unscatter
