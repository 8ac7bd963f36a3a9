// Somebody without any key changes the published model that the file holds, so that the program hands out another one.
#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>

#include "store/contents.h"
#include "store/sample_workspace.h"
#include "store/tables.h"

namespace unscatter {
namespace {

using testing::failed_checks;
using testing::SampleWorkspace;

PublishedModel stored_published(const SampleWorkspace& sample) {
  PublishedModel model;
  sample.edit([&](const Database& database) {
    const Contents contents = read_contents(WorkspaceTables(database)).value();
    model = read_published(database, weight_rows(contents), class_count(contents)).value().value();
  });
  return model;
}

// What unscatter 0.1 asked of a stored model: that its seal fits, and a seal has no key.
bool the_seal_fits(const SampleWorkspace& sample, const PublishedModel& model) {
  bool fits = false;
  sample.edit([&](const Database& database) {
    const auto width = static_cast<std::size_t>(model.weights.rows());
    const auto read = read_published(database, width, model.class_names.size());
    fits = read.ok() && read->has_value() && (*read)->weights == model.weights;
  });
  return fits;
}

void expect_not_handed_out(const SampleWorkspace& sample, const PublishedModel& planted) {
  EXPECT_TRUE(the_seal_fits(sample, planted)) << "the attack does not even fool the old check";
  const Verification verification = sample.verify();
  EXPECT_EQ(failed_checks(verification), std::vector<std::string>{"other"}) << testing::all_details(verification);
  Result<Workspace> workspace = Workspace::open(sample.path(), sample.how);
  EXPECT_FALSE(workspace.ok());
}

TEST(PublishedModelPutBack, FromBeforeARemoval) {
  const SampleWorkspace sample;
  {
    Workspace workspace = sample.create();
    static_cast<void>(workspace.release().value());
  }
  const PublishedModel stale = stored_published(sample);
  {
    Workspace workspace = sample.open();
    const RemovalRequest request = ForgetGraph{3u};
    static_cast<void>(workspace.forget(std::span(&request, 1)).value());
  }
  sample.edit([&](const Database& database) { ASSERT_TRUE(write_published(database, stale).ok()); });
  expect_not_handed_out(sample, stale);
}

TEST(PublishedModelPutBack, FromBeforeARemovalInThePlaceOfANewerOne) {
  const SampleWorkspace sample;
  {
    Workspace workspace = sample.create();
    static_cast<void>(workspace.release().value());
  }
  PublishedModel stale = stored_published(sample);
  {
    Workspace workspace = sample.open();
    const RemovalRequest request = ForgetGraph{3u};
    static_cast<void>(workspace.forget(std::span(&request, 1)).value());
    static_cast<void>(workspace.release().value());
  }
  // Under its own number and under the new one.
  for (const std::size_t number : {1u, 2u}) {
    stale.release_number = number;
    sample.edit([&](const Database& database) { ASSERT_TRUE(write_published(database, stale).ok()); });
    expect_not_handed_out(sample, stale);
  }
}

TEST(PublishedModelPutBack, WithoutItsNoise) {
  const SampleWorkspace sample;
  Matrix kept;
  {
    Workspace workspace = sample.create();
    static_cast<void>(workspace.release().value());
    kept = workspace.session().value()->weights();
  }
  PublishedModel noiseless = stored_published(sample);
  ASSERT_NE(noiseless.weights, kept);
  noiseless.weights = kept;
  sample.edit([&](const Database& database) { ASSERT_TRUE(write_published(database, noiseless).ok()); });
  expect_not_handed_out(sample, noiseless);
}

// Outsiders see it too: other weights under the same signature, and a stale model beside the present ledger.
TEST(PublishedModelHandedOn, WithOtherWeights) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  static_cast<void>(workspace.release().value());
  PublishedDocument document = workspace.published_document().value();
  const PublicKey key = sample.how.key->public_key();
  ASSERT_TRUE(check_signature(document, key).ok());
  document.model.weights(0, 0) += 1e-6;
  EXPECT_FALSE(check_signature(document, key).ok());
  // The key holder signs them again: the ledger still commits to the first ones.
  sign(document, *sample.how.key);
  ASSERT_TRUE(check_signature(document, key).ok());
  const FoundModel found = find_model(document, workspace).value();
  EXPECT_FALSE(found.check.passed);
  EXPECT_NE(found.check.detail.find("commits to another model"), std::string::npos) << found.check.detail;
}

TEST(PublishedModelHandedOn, FromBeforeARemovalIsToldApart) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  static_cast<void>(workspace.release().value());
  const PublishedDocument document = workspace.published_document().value();
  EXPECT_EQ(find_model(document, workspace).value().removals_since, 0u);
  const RemovalRequest request = ForgetGraph{3u};
  static_cast<void>(workspace.forget(std::span(&request, 1)).value());
  const FoundModel found = find_model(document, workspace).value();
  EXPECT_TRUE(found.check.passed) << found.check.detail;
  EXPECT_EQ(found.removals_since, 1u);
  EXPECT_NE(found.check.detail.find("from before 1 removal"), std::string::npos) << found.check.detail;
}

}  // namespace
}  // namespace unscatter
