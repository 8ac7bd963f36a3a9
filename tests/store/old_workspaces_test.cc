// Workspaces that version 0.1 made (tests/store/version_0_1): they open, verify, go on and verify again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "support/temporary_folder.h"
#include "unscatter/base/random.h"
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

TEST_P(OldWorkspace, HoldsWhatWasDone) {
  const Workspace workspace = open();
  const WorkspaceInfo& info = workspace.info();
  EXPECT_EQ(info.signer, signer_);
  EXPECT_EQ(info.slots, 16u);
  EXPECT_EQ(info.graphs, 15u);
  EXPECT_EQ(info.published, 3u);
  EXPECT_EQ(info.entries, 1 + info.updates + info.published);
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

INSTANTIATE_TEST_SUITE_P(OfVersion01, OldWorkspace, ::testing::Values("release", "objective", "paper", "data-bound"),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace unscatter
