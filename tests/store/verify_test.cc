// Every check of verify_workspace() passes on good workspaces, and each is shown a fault that it alone can notice.
// Where an entry commits to what is changed, the forger has the right key and signs anew.
#include "unscatter/store/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "store/sample_workspace.h"
#include "store/tables.h"

namespace unscatter {
namespace {

using testing::failed_checks;
using testing::sample_setup;
using testing::SampleChoice;
using testing::SampleWorkspace;
using Names = std::vector<std::string>;

// A filled workspace; entries: 0 created, 1 node, 2 graph, 3 edge, 4 released.
class Verify : public ::testing::Test {
 protected:
  void SetUp() override { sample_.fill(); }

  [[nodiscard]] const SigningKey& key() const { return *sample_.how.key; }

  // Exactly these fail, the last of them saying `part`.
  void expect_failed(const Names& names, const std::string& part, const VerifyOptions& options = {}) const {
    const Verification verification = sample_.verify(options);
    EXPECT_FALSE(verification.passed);
    EXPECT_EQ(failed_checks(verification), names) << testing::all_details(verification);
    bool said = false;
    for (const Check& check : verification.checks)
      said = said || (!check.passed && check.detail.find(part) != std::string::npos);
    EXPECT_TRUE(said) << part << "\n" << testing::all_details(verification);
  }
  void expect_passed(const VerifyOptions& options = {}) const {
    const Verification verification = sample_.verify(options);
    EXPECT_TRUE(verification.passed) << testing::all_details(verification);
  }

  SampleWorkspace sample_;
};

TEST_F(Verify, NamesItsChecksInOrder) {
  Names names;
  for (const Check& check : sample_.verify({.retrain = true}).checks) {
    EXPECT_TRUE(check.passed) << check.detail;
    EXPECT_FALSE(check.detail.empty());
    names.push_back(check.name);
  }
  EXPECT_EQ(names, (Names{"file", "constants", "chain", "signatures", "data", "model", "budget", "other", "erasure",
                          "residual", "retrain"}));
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

TEST_F(Verify, DataChanged) {
  const std::string good = sample_.bytes();
  for (const char* sql :
       {"UPDATE graphs SET label = 1 - label WHERE slot = 5", "UPDATE graphs SET number = 99 WHERE slot = 13",
        "UPDATE graphs SET graph_id = x'41' WHERE slot = 5", "UPDATE graphs SET nodes_at_creation = 99 WHERE slot = 5",
        "UPDATE graphs SET node_numbers = x'00000000' WHERE slot = 5",
        "UPDATE graphs SET content = (SELECT content FROM graphs WHERE slot = 6) WHERE slot = 5",
        "UPDATE graphs SET salt = zeroblob(32) WHERE slot = 5", "DELETE FROM graphs WHERE slot = 13",
        "DELETE FROM graphs WHERE slot = 5", "UPDATE graphs SET label = NULL WHERE slot = 5",
        "INSERT INTO graphs SELECT 14, 14, label, graph_id, nodes_at_creation, node_numbers, content, salt FROM graphs "
        "WHERE "
        "slot = 5",
        "UPDATE graphs SET label = NULL, graph_id = NULL, nodes_at_creation = NULL, node_numbers = NULL, content = "
        "NULL, salt "
        "= "
        "NULL WHERE slot = 5",
        "UPDATE graphs SET slot = 99 WHERE slot = 5; UPDATE graphs SET slot = 5 WHERE slot = 6; UPDATE graphs SET slot "
        "= 6 "
        "WHERE slot = 99"}) {
    SCOPED_TRACE(sql);
    sample_.edit(sql);
    expect_failed({"data"}, "damaged");
    EXPECT_FALSE(Workspace::open(sample_.path(), sample_.how).ok());
    sample_.replace(good);
  }
}

TEST_F(Verify, DataThatTheLedgerCountsOtherwise) {
  sample_.rewrite_ledger(
      [](LedgerRecord& record) {
        ++record.graphs;  // in every entry, so that the chain holds
      },
      key());
  expect_failed({"data"}, "13 graphs are there, and the ledger says 14");
}

TEST_F(Verify, ModelChanged) {
  const std::string good = sample_.bytes();
  for (const char* sql : {"UPDATE model SET weights = zeroblob(length(weights))",
                          "UPDATE model SET residuals = zeroblob(length(residuals))",
                          "UPDATE model SET salt = zeroblob(32)", "UPDATE model SET perturbation = weights",
                          "UPDATE model SET details = replace(details, '3', '4')", "DELETE FROM model"}) {
    SCOPED_TRACE(sql);
    sample_.edit(sql);
    expect_failed({"model"}, "damaged");
    EXPECT_FALSE(Workspace::open(sample_.path(), sample_.how).ok());
    sample_.replace(good);
  }
}

TEST_F(Verify, ModelThatCountsOtherwise) {
  const std::string good = sample_.bytes();
  for (const auto& change : {std::function<void(StoredModel&)>([](StoredModel& m) { m.published = 0; }),
                             std::function<void(StoredModel&)>([](StoredModel& m) { ++m.rungs[Rung::kFast]; })}) {
    sample_.rewrite_model(change, key());
    expect_failed({"model"}, "counts other removals");
    sample_.replace(good);
  }
}

TEST_F(Verify, BudgetThatWasNotPromised) {
  const std::string good = sample_.bytes();
  for (const auto& change :
       {std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.promise.guarantee.epsilon = 2; }),
        std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.promise.guarantee.delta = 0.5; }),
        std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.promise.mechanism = Mechanism::kObjective; }),
        std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.promise.noise_stddev = 1; }),
        std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.promise.shift_limit *= 1 + 1e-15; }),
        std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.promise.delta_for_shift *= 1 + 1e-15; })}) {
    for (const std::size_t sequence : {4u, 2u}) {
      sample_.rewrite_ledger(
          [&](LedgerRecord& record) {
            if (record.sequence == sequence) change(record);
          },
          key());
      expect_failed({"budget"}, "promises something else");
      sample_.replace(good);
    }
  }
}

// What the last entry says of the model is its certificate, rounded up and no further.
TEST_F(Verify, BudgetOfALastEntryThatSaysMoreThanTheCertificate) {
  const std::string good = sample_.bytes();
  for (const auto& change : {std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.residual_upper_bound *= 2; }),
                             std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.distance_upper_bound /= 2; }),
                             std::function<void(LedgerRecord&)>([](LedgerRecord& r) { r.shift_upper_bound /= 2; }),
                             std::function<void(LedgerRecord&)>([](LedgerRecord& r) { ++r.newton_steps; })}) {
    sample_.rewrite_ledger(
        [&](LedgerRecord& record) {
          if (record.sequence == 4) change(record);
        },
        key());
    expect_failed({"budget"}, "something else of the model");
    sample_.replace(good);
  }
}

// Numbers of the certificate that do not follow from the residuals, and residuals that do not meet the limit.
TEST_F(Verify, BudgetOfACertificateThatDoesNotFollow) {
  const std::string good = sample_.bytes();
  struct Fault {
    const char* says;
    std::function<void(StoredModel&)> change;
  };
  const std::vector<Fault> faults = {
      {"says so itself", [](StoredModel& m) { m.certificate.satisfied = false; }},
      {"its residuals give", [](StoredModel& m) { m.certificate.residual_upper_bound *= 1.5; }},
      {"its residuals give", [](StoredModel& m) { m.certificate.distance_upper_bound = 0; }},
      {"its residuals give", [](StoredModel& m) { m.certificate.shift_upper_bound *= 0.5; }},
      {"about 14 graphs", [](StoredModel& m) { ++m.certificate.graphs; }},
      {"times what the constants allow", [](StoredModel& m) { m.residuals.setConstant(1e9); }},
      {"no numbers", [](StoredModel& m) { m.residuals(0) = -1; }},
      {"promises something else", [](StoredModel& m) { m.certificate.promise.shift_limit *= 2; }},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.says);
    sample_.rewrite_model(fault.change, key());
    expect_failed({"budget"}, fault.says);
    // Neither forget nor release gets that far.
    const Result<Workspace> opened = Workspace::open(sample_.path(), sample_.how);
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find(fault.says), std::string::npos) << opened.error().message;
    sample_.replace(good);
  }
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

// One model more than the guarantee covers, recorded as if nothing were wrong with it.
TEST(VerifyBudget, MorePublishedThanAllowed) {
  SampleChoice choice;
  choice.options.releases = 1;
  const SampleWorkspace sample(sample_setup(1, choice));
  sample.fill();
  sample.edit([&](const Database& database) {
    const LedgerRow last = read_entry(database, 4).value();
    LedgerRecord record = parse_ledger_text(last.body).value();
    record.sequence = 5;
    record.previous = last.hash;
    record.published = 2;
    const LedgerRow row = make_entry(record, *sample.how.key);
    ASSERT_TRUE(append_entry(database, 5, row).ok());
    Receipt receipt = parse_receipt(read_receipt(database, 4).value()).value();
    receipt.sequence = 5;
    receipt.previous = last.hash;
    receipt.entry = row.hash;
    sign(receipt, *sample.how.key);
    ASSERT_TRUE(write_receipt(database, 5, receipt_text(receipt)).ok());
  });
  sample.rewrite_model([](StoredModel& model) { model.published = 2; }, *sample.how.key);
  const Verification verification = sample.verify();
  EXPECT_EQ(failed_checks(verification), Names{"budget"}) << testing::all_details(verification);
}

TEST_F(Verify, OtherRowsChanged) {
  {
    Workspace workspace = sample_.open();
    const std::vector<RemovalRequest> list = {ForgetNode{5u, 0u}};
    ASSERT_TRUE(workspace.forget_list(list, {}).ok());
    ASSERT_TRUE(workspace.release().ok());
  }
  expect_passed();
  const std::string good = sample_.bytes();
  for (const char* sql :
       {"UPDATE salts SET salts = zeroblob(32) WHERE sequence = 1",
        "UPDATE salts SET seal = zeroblob(32) WHERE sequence = 2", "UPDATE salts SET sequence = 4 WHERE sequence = 2",
        "UPDATE lists SET done = zeroblob(32)", "UPDATE lists SET seal = zeroblob(32)",
        "UPDATE lists SET done = zeroblob(31)", "UPDATE lists SET entries = x''",
        "UPDATE lists SET entries = zeroblob(16)", "UPDATE published SET weights = zeroblob(length(weights))",
        R"(UPDATE published SET details = replace(details, '"release_number":2', '"release_number":1'))",
        "UPDATE published SET seal = x''"}) {
    SCOPED_TRACE(sql);
    sample_.edit(sql);
    expect_failed({"other"}, "damaged");
    sample_.replace(good);
  }
}

TEST_F(Verify, OtherSaltsThanRequests) {
  sample_.edit([](const Database& database) {
    const std::vector<Salt> two(2);
    ASSERT_TRUE(write_salts(database, 1, two).ok());
  });
  expect_failed({"other"}, "entry 1 has other requests");
}

TEST_F(Verify, OtherSaltsOfAnEntryThatIsNotThere) {
  sample_.edit([](const Database& database) {
    const std::vector<Salt> one(1);
    ASSERT_TRUE(write_salts(database, 17, one).ok());
  });
  expect_failed({"other"}, "no entry 17");
}

// A page that was freed without being overwritten.
TEST_F(Verify, ErasureThatLeftAPageBehind) {
  const auto insert_and_delete = [&](const std::string& secure) {
    sample_.edit(
        "PRAGMA secure_delete = " + secure +
        "; INSERT INTO lists VALUES(randomblob(20000), x'', x''); DELETE FROM lists WHERE length(done) = 20000");
  };
  insert_and_delete("ON");
  expect_passed();
  insert_and_delete("OFF");
  expect_failed({"erasure"}, "unused pages are not empty");
}

// Other weights, and everything says so: only the gradient at them tells.
TEST_F(Verify, ResidualOfWeightsThatWereNeverLearned) {
  sample_.rewrite_model([](StoredModel& model) { model.weights(0, 0) += 1e-3; }, key());
  expect_failed({"residual"}, "the residual is at least");
  // The same with a certificate that says so: the limit is not the certificate's to choose.
  sample_.rewrite_model([](StoredModel& model) { model.certificate.residual_upper_bound = 1e6; }, key());
  sample_.rewrite_ledger([](LedgerRecord& record) { record.residual_upper_bound = 1e6; }, key());
  expect_failed({"budget", "residual"}, "does not meet the guarantee");
}

// No check of the opening sees it.  The session evaluates once and refuses to go on.
TEST_F(Verify, ResidualIsEvaluatedBeforeAnythingIsSignedOnTop) {
  sample_.rewrite_model([](StoredModel& model) { model.weights(0, 0) += 1e-3; }, key());
  Workspace workspace = sample_.open();
  const RemovalRequest request = ForgetNode{5u, 0u};
  const Result<Forgotten> forgotten = workspace.forget(std::span(&request, 1));
  ASSERT_FALSE(forgotten.ok());
  EXPECT_NE(forgotten.error().message.find("the guarantee is not met"), std::string::npos) << forgotten.error().message;
  Workspace again = [&] {
    { const Workspace closed = std::move(workspace); }
    return sample_.open();
  }();
  EXPECT_FALSE(again.release(true).ok());
  EXPECT_EQ(again.info().entries, 5u);
}

TEST_F(Verify, ResidualOfAModelThatDoesNotFit) {
  sample_.rewrite_model([](StoredModel& model) { model.weights(0, 0) = std::numeric_limits<double>::quiet_NaN(); },
                        key());
  expect_failed({"budget", "residual"}, "do not fit");
}

// A distance that is claimed to be zero and is not; the residual is honest and within the guarantee.
TEST(VerifyRetrain, TellsADistanceThatIsTooSmall) {
  SampleChoice choice;
  choice.options.distance_limit = 1;
  const SampleWorkspace sample(sample_setup(1, choice));
  sample.fill();
  EXPECT_TRUE(sample.verify({.retrain = true}).passed);
  sample.rewrite_model(
      [](StoredModel& model) {
        model.weights(0, 0) += 2e-8;
        model.certificate.distance_upper_bound = 0;
        model.certificate.residual_upper_bound = 1e-5;
        model.residuals.setConstant(1e-5);
      },
      *sample.how.key);
  sample.rewrite_ledger([](LedgerRecord& record) { record.residual_upper_bound = 1e-5; }, *sample.how.key);
  const Verification verification = sample.verify({.retrain = true});
  // A distance follows from the residual.  One that does not is noticed without training, and by training too.
  EXPECT_EQ(failed_checks(verification), (Names{"budget", "retrain"})) << testing::all_details(verification);
}

}  // namespace
}  // namespace unscatter
