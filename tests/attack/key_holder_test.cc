// The operator lies: whoever has the signing key puts a model back that was never updated, and signs for it.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "store/contents.h"
#include "store/sample_workspace.h"
#include "store/tables.h"

namespace unscatter {
namespace {

using testing::failed_checks;
using testing::SampleChoice;
using testing::SampleWorkspace;

StoredModel kept_model(const SampleWorkspace& sample) {
  StoredModel model;
  sample.edit([&](const Database& database) {
    const Contents contents = read_contents(WorkspaceTables(database)).value();
    model = model_from_row(read_model(database).value(), weight_rows(contents), class_count(contents)).value();
  });
  return model;
}

// What unscatter 0.1 compared for bounds other than `exact`: each number with the next one that the same person wrote.
bool old_checks_pass(const Verification& verification, const StoredModel& model, const LedgerRecord& last) {
  for (const Check& check : verification.checks) {
    const bool asked =
        check.name == "chain" || check.name == "signatures" || check.name == "data" || check.name == "model";
    if (asked && !check.passed) return false;
  }
  return model.certificate.residual_upper_bound <= last.residual_upper_bound &&
         last.shift_upper_bound <= last.promise.shift_limit;
}

class NeverUpdated : public ::testing::TestWithParam<ResidualBound> {
 protected:
  NeverUpdated() : sample_(testing::sample_setup(1, choice())) {
    { const Workspace created = sample_.create(); }
    before_ = kept_model(sample_);
    Workspace workspace = sample_.open();
    // Half of the graphs, so that the weights have to move.
    std::vector<RemovalRequest> requests;
    for (std::size_t g = 0; g < 7; ++g) requests.emplace_back(ForgetGraph{g});
    static_cast<void>(workspace.forget(requests).value());
  }

  static SampleChoice choice() {
    SampleChoice choice;
    choice.options.bound = GetParam();
    choice.options.distance_limit = 1;
    return choice;
  }

  [[nodiscard]] const SigningKey& key() const { return *sample_.how.key; }

  // Neither a removal nor a model comes on top of it.
  void expect_refused() const {
    Result<Workspace> workspace = Workspace::open(sample_.path(), sample_.how);
    if (!workspace.ok()) return;
    const std::size_t entries = workspace->info().entries;
    // Few rows are read whenever something is removed, and the weights are held against them.
    for (const RemovalRequest& request : {RemovalRequest(ForgetNode{8u, 0u}), RemovalRequest(ForgetGraph{8u})}) {
      EXPECT_FALSE(workspace->forget(std::span(&request, 1)).ok());
    }
    EXPECT_FALSE(workspace->release().ok());
    EXPECT_EQ(workspace->info().entries, entries);
  }

  SampleWorkspace sample_;
  StoredModel before_;
};

TEST_P(NeverUpdated, WithNumbersThatAreInflated) {
  ASSERT_TRUE(sample_.verify().passed);
  sample_.rewrite_model(
      [&](StoredModel& model) {
        model.weights = before_.weights;
        model.residuals.setConstant(1e10);
        model.certificate.residual_upper_bound = 1e11;
        model.certificate.distance_upper_bound = 1e11;
        model.certificate.shift_upper_bound = 1e10;
        model.certificate.promise.shift_limit = 1e11;
      },
      key());
  sample_.rewrite_ledger(
      [](LedgerRecord& record) {
        if (record.sequence != 1) return;
        record.residual_upper_bound = record.distance_upper_bound = 1e11;
        record.shift_upper_bound = 1e10;
        record.promise.shift_limit = 1e11;
      },
      key());
  const Verification verification = sample_.verify({.signer = key().public_key()});
  LedgerRecord last;
  sample_.edit(
      [&](const Database& database) { last = parse_ledger_text(read_entry(database, 1).value().body).value(); });
  StoredModel claimed = before_;
  claimed.certificate.residual_upper_bound = 1e11;
  EXPECT_TRUE(old_checks_pass(verification, claimed, last)) << testing::all_details(verification);
  EXPECT_EQ(failed_checks(verification), (std::vector<std::string>{"budget", "residual"}))
      << testing::all_details(verification);
  EXPECT_FALSE(Workspace::open(sample_.path(), sample_.how).ok());
}

// The old weights behind the honest numbers of the new ones.  Nothing that is written contradicts anything else.
TEST_P(NeverUpdated, WithTheNumbersOfTheUpdate) {
  sample_.rewrite_model([&](StoredModel& model) { model.weights = before_.weights; }, key());
  const Verification verification = sample_.verify({.signer = key().public_key()});
  EXPECT_EQ(failed_checks(verification), std::vector<std::string>{"residual"}) << testing::all_details(verification);
  expect_refused();
}

INSTANTIATE_TEST_SUITE_P(ForEveryBound, NeverUpdated,
                         ::testing::Values(ResidualBound::kWorst, ResidualBound::kData, ResidualBound::kTight,
                                           ResidualBound::kExact),
                         [](const auto& chosen) { return std::string(name(chosen.param)); });

}  // namespace
}  // namespace unscatter
