// Another count of published models: in the same workspace, and in one that is trained again.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "unscatter/privacy/gaussian_profile.h"
#include "unscatter/store/verify.h"

namespace unscatter {
namespace {

using testing::sample_setup;
using testing::SampleChoice;
using testing::SampleWorkspace;

SampleChoice two_releases() {
  SampleChoice choice;
  choice.options.releases = 2;
  return choice;
}

void publish(Workspace& workspace, std::size_t models) {
  for (std::size_t i = 0; i < models; ++i) ASSERT_TRUE(workspace.release(true).ok());
}

TEST(WorkspaceRenew, GivesAnotherCountAndStatesThePromiseForAll) {
  SampleWorkspace sample(sample_setup(1, two_releases()));
  sample.keep_record();
  Promise before;
  {
    Workspace workspace = sample.create();
    publish(workspace, 2);
    EXPECT_NE(workspace.release(true).error().message.find("unscatter renew"), std::string::npos);
    before = workspace.info().certificate.promise;
    const SessionSnapshot kept = workspace.session().value()->snapshot();

    const LedgerRecord entry = workspace.renew().value();
    EXPECT_EQ(entry.kind, EntryKind::kRenewed);
    EXPECT_EQ(entry.published, 2u);
    EXPECT_EQ(entry.data_before, entry.data_after);
    // Nothing is trained and nothing comes back.
    const SessionSnapshot after = workspace.session().value()->snapshot();
    EXPECT_EQ(after.weights, kept.weights);
    EXPECT_EQ(after.residuals, kept.residuals);
    for (std::size_t i = 0; i < kept.slots.size(); ++i) EXPECT_EQ(after.slots[i].graph, kept.slots[i].graph);
    EXPECT_EQ(workspace.info().published, 2u);
    EXPECT_EQ(workspace.info().published_in_count, 0u);
    EXPECT_EQ(workspace.published_document().error().code, ErrorCode::kNotFound);

    EXPECT_EQ(workspace.release(true).value().release_number, 3u);
  }
  Workspace workspace = sample.open();
  EXPECT_FALSE(workspace.info().outdated.has_value());
  publish(workspace, 1);
  EXPECT_EQ(workspace.release(true).error().code, ErrorCode::kLimitExceeded);

  // mu adds up as the root of the sum of squares: twice the same count is sqrt(2) of it.
  const Promise promise = workspace.info().certificate.promise;
  ASSERT_EQ(promise.earlier.size(), 1u);
  EXPECT_EQ(promise.earlier[0].published, 2u);
  EXPECT_EQ(promise.earlier[0].releases, 2u);
  EXPECT_EQ(promise.guarantee.epsilon, before.guarantee.epsilon);
  EXPECT_EQ(promise.shift_limit, before.shift_limit);
  ASSERT_TRUE(promise.together.has_value());
  EXPECT_EQ(promise.together->delta, 2 * before.guarantee.delta);
  const double shift = largest_shift_lower_bound(before.guarantee).value() * std::sqrt(2.0);
  EXPECT_NEAR(promise.together->epsilon, smallest_epsilon_upper_bound(shift, 2 * before.guarantee.delta).value(), 1e-4);
  EXPECT_GT(promise.together->epsilon, before.guarantee.epsilon);

  // Whoever asks later reads it in the receipt, and whoever gets a model in the model.
  const RemovalRequest request = ForgetGraph{4u};
  const Forgotten done = workspace.forget(std::span(&request, 1)).value();
  EXPECT_EQ(done.receipt.promise.earlier, promise.earlier);
  EXPECT_EQ(parse_receipt(receipt_text(done.receipt)).value().promise.together->epsilon, promise.together->epsilon);
  EXPECT_EQ(done.exposure.models, 4u);  // all counts of this training
  ASSERT_TRUE(workspace.renew().ok());
  EXPECT_EQ(workspace.release().value().release_number, 5u);
  const PublishedDocument document = workspace.published_document().value();
  EXPECT_EQ(parse_published_model(published_model_text(document)).value().model.promise.earlier.size(), 2u);
  { const Workspace closed = std::move(workspace); }
  const Verification verification = sample.verify({.retrain = true});
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

TEST(WorkspaceRenew, NeedsTheKeyAndFreshNoise) {
  SampleChoice choice;
  choice.options = paper_options(1e-2, 2);
  SampleWorkspace sample(sample_setup(1, choice));
  {
    Workspace workspace = sample.create();
    EXPECT_EQ(workspace.renew().error().code, ErrorCode::kInvalidArgument);
  }
  sample.how.key = nullptr;
  EXPECT_EQ(sample.open().renew().error().code, ErrorCode::kInvalidArgument);
}

// The holder of the key writes another history.
TEST(WorkspaceRenew, AForgedCountIsNoticed) {
  const SampleWorkspace sample(sample_setup(1, two_releases()));
  {
    Workspace workspace = sample.create();
    publish(workspace, 2);
    ASSERT_TRUE(workspace.renew().ok());
    publish(workspace, 1);
  }
  ASSERT_TRUE(sample.verify().passed) << testing::all_details(sample.verify());
  const std::string good = sample.bytes();
  struct Forgery {
    const char* what;
    std::function<void(LedgerRecord&)> change;
  };
  const auto with_earlier = [](const std::function<void(LedgerRecord&)>& change) {
    return [change](LedgerRecord& record) {
      if (!record.promise.earlier.empty()) change(record);
    };
  };
  const std::vector<Forgery> forgeries = {
      {"do not follow", with_earlier([](LedgerRecord& r) { r.promise.earlier.clear(); })},
      {"do not follow", with_earlier([](LedgerRecord& r) {
         if (r.kind == EntryKind::kReleased) r.promise.earlier.clear();
       })},
      {"do not follow", with_earlier([](LedgerRecord& r) { r.promise.earlier[0].published = 1; })},
      {"do not follow", with_earlier([](LedgerRecord& r) { r.promise.earlier.push_back(r.promise.earlier[0]); })},
      {"ends a count", with_earlier([](LedgerRecord& r) {
         r.promise.earlier[0].shift /= 2;
         Promise whole = r.promise;
         whole.releases = 2;  // which an entry does not show
         r.promise.together = guarantee_together(whole);
       })},
      {"for all counts together", with_earlier([](LedgerRecord& r) { r.promise.together->epsilon /= 2; })},
      {"for all counts together", with_earlier([](LedgerRecord& r) { r.promise.together.reset(); })},
      {"do not follow", with_earlier([](LedgerRecord& r) {
         if (r.kind == EntryKind::kRenewed) --r.published;
       })},
      {"continues another", with_earlier([](LedgerRecord& r) { r.continues = Digest{}; })},
      {"a renewal changes no data", with_earlier([](LedgerRecord& r) {
         if (r.kind == EntryKind::kRenewed) r.data_after = {};
       })},
      {"not those of a workspace that was trained again",
       [](LedgerRecord& r) {
         if (r.kind == EntryKind::kCreated) r.continues = Digest{};
       }},
  };
  for (const Forgery& forgery : forgeries) {
    sample.replace(good);
    sample.rewrite_ledger(forgery.change, *testing::sample_key());
    const Verification verification = sample.verify();
    EXPECT_FALSE(verification.passed) << forgery.what;
    EXPECT_NE(testing::all_details(verification).find(forgery.what), std::string::npos)
        << forgery.what << '\n'
        << testing::all_details(verification);
  }
}

// A copy from before the renewal is restored.  It has lost the renewal, and counts all models all the same.
TEST(WorkspaceRenew, ACopyFromBeforeIsChargedForAllModels) {
  SampleWorkspace sample(sample_setup(1, two_releases()));
  sample.keep_record();
  { const Workspace created = sample.create(); }
  const std::string backup = sample.bytes();
  {
    Workspace workspace = sample.open();
    publish(workspace, 2);
    ASSERT_TRUE(workspace.renew().ok());
    publish(workspace, 1);
  }
  sample.replace(backup);
  {
    Workspace workspace = sample.open();
    ASSERT_TRUE(workspace.info().outdated.has_value());
    EXPECT_EQ(workspace.predecessor().error().code, ErrorCode::kOutdated);
    EXPECT_EQ(workspace.renew().error().code, ErrorCode::kOutdated);
    const Forgotten done = workspace.replay({}).value();
    ASSERT_EQ(done.entry.promise.earlier.size(), 1u);
    EXPECT_EQ(done.entry.promise.earlier[0].releases, 3u);
    EXPECT_EQ(workspace.release().value().release_number, 4u);
  }
  const Verification verification = sample.verify();
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

TEST(WorkspaceRenew, AWorkspaceThatIsTrainedAgainGoesOnCounting) {
  SampleWorkspace sample(sample_setup(1, two_releases()));
  Predecessor before;
  Dataset left;
  {
    Workspace workspace = sample.create();
    publish(workspace, 2);
    const RemovalRequest request = ForgetGraph{3u};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
    ASSERT_TRUE(workspace.renew().ok());
    publish(workspace, 1);
    before = workspace.predecessor().value();
    EXPECT_EQ(before.head, workspace.info().head);
    left = workspace.remaining().value();
  }
  ASSERT_EQ(left.size(), 13u);
  EXPECT_EQ(left.numbers[3], 4u);

  WorkspaceSetup setup = sample_setup(1, two_releases());
  setup.dataset = left;
  setup.options.regularisation = 1e-2;
  setup.predecessor = before;
  const SampleWorkspace again(setup);
  {
    Workspace workspace = again.create();
    EXPECT_EQ(workspace.entry(0).value().continues, before.head);
    EXPECT_EQ(workspace.info().published, 3u);
    EXPECT_EQ(workspace.info().published_in_count, 0u);
    const Promise promise = workspace.info().certificate.promise;
    ASSERT_EQ(promise.earlier.size(), 2u);
    EXPECT_TRUE(promise.earlier[0].trained_again && promise.earlier[1].trained_again);
    // Three counts of the same size.
    ASSERT_TRUE(promise.together.has_value());
    const double shift = largest_shift_lower_bound(promise.guarantee).value() * std::sqrt(3.0);
    EXPECT_NEAR(promise.together->epsilon, smallest_epsilon_upper_bound(shift, promise.together->delta).value(), 1e-4);
    // What was forgotten does not come back.
    const RemovalRequest gone = ForgetGraph{3u};
    EXPECT_EQ(workspace.forget(std::span(&gone, 1)).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(workspace.release().value().release_number, 4u);
    const RemovalRequest request = ForgetGraph{5u};
    EXPECT_EQ(workspace.forget(std::span(&request, 1)).value().exposure.models, 1u);  // of this training
  }
  const Verification verification = again.verify({.retrain = true});
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

TEST(WorkspaceRenew, CountsOfTwoLevelsHaveNoCommonNumber) {
  SampleWorkspace sample(sample_setup(1, two_releases()));
  Predecessor before;
  {
    const Workspace workspace = sample.create();
    before = workspace.predecessor().value();
  }
  WorkspaceSetup setup = sample_setup(1, two_releases());
  setup.features = "log-degree";
  setup.options.protection = Protection::kEveryone;
  setup.options.ridge = 50;
  setup.options.per_subject = 1;
  setup.options.classes = ConstantKind::kStated;
  setup.predecessor = before;
  const SampleWorkspace again(setup);
  const Workspace workspace = again.create();
  const Promise promise = workspace.info().certificate.promise;
  EXPECT_FALSE(promise.together.has_value());
  EXPECT_NE(promise.assumptions.back().find("no joint number"), std::string::npos);
}

}  // namespace
}  // namespace unscatter
