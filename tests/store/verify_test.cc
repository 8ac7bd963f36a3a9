// Every check of verify_workspace() passes on good workspaces, and each is shown a fault that it alone can notice.
// Where an entry commits to what is changed, the forger has the right key and signs anew.  Here: file, constants,
// chain, head and signatures.
#include "unscatter/store/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "store/verify_fixture.h"

namespace unscatter {
namespace {

using testing::Names;
using testing::SampleWorkspace;
using testing::Verify;

TEST_F(Verify, NamesItsChecksInOrder) {
  Names names;
  for (const Check& check : sample_.verify({.retrain = true}).checks) {
    EXPECT_TRUE(check.passed) << check.detail;
    EXPECT_FALSE(check.detail.empty());
    names.push_back(check.name);
  }
  EXPECT_EQ(names, (Names{"file", "constants", "chain", "signatures", "data", "model", "budget", "other", "erasure",
                          "residual", "kept", "retrain"}));
}

TEST_F(Verify, StartsAsAFailure) {
  EXPECT_FALSE(Verification{}.passed);
  EXPECT_FALSE(Check{}.passed);
}

// The forger's tools themselves: what they write is as good as what the program writes.
TEST_F(Verify, ARewrittenLedgerPassesIfNothingIsWrongWithIt) {
  sample_.rewrite_ledger([](LedgerRecord& record) { record.time = "2026-01-31T23:59:59Z"; }, key());
  sample_.rewrite_model([](StoredModel&) {}, key());
  expect_passed({.retrain = true, .signer = key().public_key()});
  Workspace workspace = sample_.open();
  const RemovalRequest request = ForgetNode{5u, 0u};
  EXPECT_TRUE(workspace.forget(std::span(&request, 1)).ok());
}

TEST_F(Verify, FileWithAnotherTable) {
  sample_.edit("CREATE TABLE notes(text)");
  expect_failed({"file"}, "tables");
}

TEST_F(Verify, ConstantsChanged) {
  sample_.edit(R"(UPDATE workspace SET constants = replace(constants, '"epsilon":1.0', '"epsilon":2.0'))");
  expect_failed({"constants"}, "not what was written");
}

// A seal tells damage, not forgery: the ledger knows better.
TEST_F(Verify, ConstantsChangedAndSealedAgain) {
  sample_.edit([](const Database& database) {
    Identity identity = read_identity(database).value();
    const std::string good = R"("epsilon":1.0)";
    identity.constants.replace(identity.constants.find(good), good.size(), R"("epsilon":2.0)");
    ASSERT_TRUE(database.run("DELETE FROM workspace").ok());
    ASSERT_TRUE(write_identity(database, identity).ok());
  });
  expect_failed({"chain"}, "entry 0: it knows other constants");
}

TEST_F(Verify, ChainWithAChangedEntry) {
  sample_.edit(R"(UPDATE ledger SET body = replace(body, '"nodes":1', '"nodes":2') WHERE sequence = 1)");
  expect_failed({"chain"}, "entry 1: its hash does not fit");
}

TEST_F(Verify, ChainWithABrokenLink) {
  sample_.edit([&](const Database& database) {
    LedgerRecord record = parse_ledger_text(read_entry(database, 2).value().body).value();
    record.time = "2026-01-31T23:59:59Z";
    ASSERT_TRUE(database.run("DELETE FROM ledger WHERE sequence = 2").ok());
    ASSERT_TRUE(append_entry(database, 2, make_entry(record, key())).ok());
  });
  expect_failed({"chain"}, "entry 3: it does not follow");
}

TEST_F(Verify, ChainWithoutOneEntry) {
  sample_.edit("DELETE FROM ledger WHERE sequence = 2");
  expect_failed({"chain"}, "entry 2 of the ledger is missing");
}

TEST_F(Verify, ChainWithTheRestMovedUp) {
  sample_.edit("DELETE FROM ledger WHERE sequence = 2; UPDATE ledger SET sequence = sequence - 1 WHERE sequence > 2");
  expect_failed({"chain"}, "entry 2: it does not follow");
}

TEST_F(Verify, ChainWithTwoEntriesSwapped) {
  sample_.edit(
      "UPDATE ledger SET sequence = 99 WHERE sequence = 1; UPDATE ledger SET sequence = 1 WHERE sequence = 2;"
      "UPDATE ledger SET sequence = 2 WHERE sequence = 99");
  expect_failed({"chain"}, "entry 1: it does not follow");
}

TEST_F(Verify, ChainWithNoEntry) {
  sample_.edit("DELETE FROM ledger");
  expect_failed({"chain"}, "its ledger is empty");
}

// The end cut off: what is left is a good chain, but graphs, model and receipts are of a later time.
TEST_F(Verify, ChainCutShort) {
  sample_.edit("DELETE FROM ledger WHERE sequence >= 3");
  expect_failed({"signatures", "data", "model", "other"}, "4 receipts for 2 removals and releases");
}

struct Rule {
  const char* says;
  std::function<void(LedgerRecord&)> break_it;
};

// What an entry may not say, whoever signs it.
TEST_F(Verify, ChainWithEntriesThatCannotBe) {
  const auto at = [](std::size_t sequence, const std::function<void(LedgerRecord&)>& change) {
    return [=](LedgerRecord& record) {
      if (record.sequence == sequence) change(record);
    };
  };
  const std::vector<Rule> rules = {
      {"entry 2: it bears another number", at(2, [](LedgerRecord& r) { r.sequence = 7; })},
      {"entry 1: it belongs to another workspace", at(1, [](LedgerRecord& r) { r.workspace = std::string(32, '0'); })},
      {"entry 4: it knows other constants", at(4, [](LedgerRecord& r) { r.constants = {}; })},
      {"entry 3: it does not meet its guarantee", at(3, [](LedgerRecord& r) { r.satisfied = false; })},
      {"entry 3: its shift is above the limit",
       at(3, [](LedgerRecord& r) { r.shift_upper_bound = 2 * r.promise.shift_limit; })},
      {"entry 1: requests and commitments differ", at(1, [](LedgerRecord& r) { r.commitments.clear(); })},
      {"entry 0: a ledger begins with its creation", at(0, [](LedgerRecord& r) { r.kind = EntryKind::kForgotten; })},
      {"entry 2: a ledger begins with its creation", at(2, [](LedgerRecord& r) { r.kind = EntryKind::kCreated; })},
      {"entry 0: a creation changes no data", at(0, [](LedgerRecord& r) { r.data_before = {}; })},
      {"entry 2: the data changed between", at(2, [](LedgerRecord& r) { r.data_before = {}; })},
      {"entry 4: published models were not counted", at(4, [](LedgerRecord& r) { r.published = 2; })},
      {"entry 3: published models were not counted", at(3, [](LedgerRecord& r) { r.published = 1; })},
      {"entry 4: a release changes no data", at(4, [](LedgerRecord& r) { r.data_after = {}; })},
      {"entry 4: a release changes no data", at(4, [](LedgerRecord& r) { ++r.graphs; })},
      {"entry 3: a removal without a request", at(3,
                                                  [](LedgerRecord& r) {
                                                    r.requests = {};
                                                    r.commitments.clear();
                                                  })},
      {"entry 4: requests without a removal", at(4,
                                                 [](LedgerRecord& r) {
                                                   r.requests.nodes = 1;
                                                   r.commitments.emplace_back();
                                                 })},
      {"entry 2: its version is older", at(2, [](LedgerRecord& r) { r.version = 1; })},
      {"entry 2: an upgrade stands between two versions",
       at(2, [](LedgerRecord& r) { r.kind = EntryKind::kUpgraded; })},
      {"entry 4: a release, and nothing else, commits", at(4, [](LedgerRecord& r) { r.published_model.reset(); })},
      {"entry 3: a release, and nothing else, commits", at(3, [](LedgerRecord& r) { r.published_model = Digest{}; })},
      {"entry 3: a replay, and nothing else,", at(3, [](LedgerRecord& r) { r.supersedes = Digest{}; })},
      {"entry 3: a replay, and nothing else,", at(3, [](LedgerRecord& r) { r.kind = EntryKind::kReplayed; })},
      {"entry 2: graphs were not counted", at(2, [](LedgerRecord& r) { r.graphs_removed = 0; })},
      {"entry 2: an addition adds graphs and does nothing else",
       at(2, [](LedgerRecord& r) { r.kind = EntryKind::kAdded; })},
      {"entry 2: corrections change graphs and do nothing else",
       at(2, [](LedgerRecord& r) { r.kind = EntryKind::kCorrected; })},
      {"entry 1: corrections change graphs and do nothing else",
       at(1, [](LedgerRecord& r) { r.kind = EntryKind::kCorrected; })},
      {"entry 1: an addition adds graphs and does nothing else", at(1,
                                                                    [](LedgerRecord& r) {
                                                                      r.kind = EntryKind::kAdded;
                                                                      r.graphs_added = 1;
                                                                    })},
  };
  const std::string good = sample_.bytes();
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.says);
    sample_.rewrite_ledger(rule.break_it, key());
    expect_failed({"chain"}, rule.says);
    sample_.replace(good);
  }
}

// Everything fits together, but whoever made it has another key.
TEST_F(Verify, SignaturesOfSomebodyElse) {
  sample_.rewrite_ledger([](LedgerRecord& record) { record.time = "2026-01-31T23:59:59Z"; }, *testing::sample_key(2));
  expect_failed({"signatures"}, "entry 0 is not signed by");
}

TEST_F(Verify, SignatureOfAnotherEntry) {
  sample_.edit("UPDATE ledger SET signature = (SELECT signature FROM ledger WHERE sequence = 1) WHERE sequence = 4");
  expect_failed({"signatures"}, "entry 4 is not signed by");
}

TEST_F(Verify, SignaturesByTheNamedKeyOnly) {
  expect_passed({.signer = key().public_key()});
  expect_failed({"signatures"}, "not the one that was given", {.signer = testing::sample_key(2)->public_key()});
}

TEST_F(Verify, SignaturesWithoutAReceipt) {
  sample_.edit("DELETE FROM receipts WHERE sequence = 2");
  expect_failed({"signatures"}, "entry 2 has no receipt");
}

TEST_F(Verify, SignaturesWithTheReceiptOfAnotherEntry) {
  sample_.edit("UPDATE receipts SET body = (SELECT body FROM receipts WHERE sequence = 1) WHERE sequence = 2");
  expect_failed({"signatures"}, "the receipt of entry 2 is about something else");
}

TEST_F(Verify, SignaturesWithOneReceiptTooMany) {
  sample_.edit("INSERT INTO receipts SELECT 9, body FROM receipts WHERE sequence = 1");
  expect_failed({"signatures"}, "5 receipts for 4 removals and releases");
}

TEST_F(Verify, SignaturesWithAChangedReceipt) {
  sample_.edit(R"(UPDATE receipts SET body = replace(body, '"nodes": 1', '"nodes": 2') WHERE sequence = 1)");
  expect_failed({"signatures"}, "");
}

TEST_F(Verify, ExpectedHead) {
  const Digest head = sample_.open().info().head;
  const std::string good = sample_.bytes();
  expect_passed({.expected_head = head});
  {
    Workspace workspace = sample_.open();
    ASSERT_TRUE(workspace.release(true).ok());
  }
  // A head that somebody wrote down stays in the ledger.
  expect_passed({.expected_head = head});
  const Digest later = sample_.open().info().head;
  sample_.replace(good);
  expect_failed({"head"}, "an older copy", {.expected_head = later});
}

}  // namespace
}  // namespace unscatter
