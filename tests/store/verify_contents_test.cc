// Every check of verify_workspace() passes on good workspaces, and each is shown a fault that it alone can notice.
// Where an entry commits to what is changed, the forger has the right key and signs anew.  Here: data, model, budget,
// other rows, erasure, residual.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "store/sample_workspace.h"
#include "store/tables.h"
#include "store/verify_fixture.h"
#include "unlearn/limit.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

using testing::failed_checks;
using testing::Names;
using testing::sample_setup;
using testing::SampleChoice;
using testing::SampleWorkspace;
using testing::Verify;

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
    // An opening looks at no graph.  Whoever does look refuses.
    Result<Workspace> workspace = Workspace::open(sample_.path(), sample_.how);
    if (workspace.ok()) {
      EXPECT_FALSE(workspace->session().ok());
      const std::vector<RemovalRequest> requests = {ForgetGraph{5u}, ForgetGraph{13u}};
      EXPECT_FALSE(workspace->forget(requests).ok());
    }
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

// No check of the opening sees it.  The session of all graphs evaluates once and refuses to go on.
TEST_F(Verify, ResidualIsEvaluatedBeforeAnythingIsSignedOnTop) {
  sample_.rewrite_model([](StoredModel& model) { model.weights(0, 0) += 1e-3; }, key());
  Workspace workspace = sample_.open();
  const Result<const Session*> session = workspace.session();
  ASSERT_FALSE(session.ok());
  EXPECT_NE(session.error().message.find("the guarantee is not met"), std::string::npos) << session.error().message;
  const RemovalRequest request = ForgetNode{5u, 0u};
  EXPECT_FALSE(workspace.forget(std::span(&request, 1)).ok());
  EXPECT_FALSE(workspace.release(true).ok());
  EXPECT_EQ(workspace.info().entries, 5u);
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

// A label or a class that leaves makes the model smaller, and the grid is then charged for fewer weights.  Entries from
// before stay what they were: their limit is that of a larger power of two, and of nothing else.
TEST_F(Verify, BudgetOfEntriesFromBeforeTheModelGotSmaller) {
  const WorkspaceInfo info = sample_.open().info();
  SessionOptions options = info.options;
  options.constants = info.certificate.promise.constants;
  const std::string good = sample_.bytes();
  const auto promise_of = [&](std::size_t weights) {
    return Limit::create(options, weights, info.class_names.size()).value().promise();
  };
  const auto claim = [&](const Promise& promise, double factor) {
    sample_.replace(good);
    sample_.rewrite_ledger(
        [&](LedgerRecord& record) {
          if (record.sequence > 2) return;
          record.promise.delta_for_shift = promise.delta_for_shift;
          record.promise.shift_limit = promise.shift_limit * factor;
        },
        key());
  };
  for (const std::size_t weights : {std::size_t{1} << 21, std::size_t{1} << 24}) {
    ASSERT_NE(promise_of(weights).shift_limit, info.certificate.promise.shift_limit);
    claim(promise_of(weights), 1);
    expect_passed();
    claim(promise_of(weights), 1 + 1e-9);
    expect_failed({"budget"}, "promises something else");
  }
}

}  // namespace
}  // namespace unscatter
