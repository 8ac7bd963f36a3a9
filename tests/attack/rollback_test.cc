// A backup of the file is put back: removals are undone, and published models are counted again from where it was.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::failed_checks;
using testing::SampleChoice;
using testing::SampleWorkspace;

SampleChoice one_release() {
  SampleChoice choice;
  choice.options.releases = 1;
  return choice;
}

Result<PublishedModel> published_after(const SampleWorkspace& sample, const std::string& backup) {
  sample.replace(backup);
  UNSCATTER_TRY(workspace, Workspace::open(sample.path(), sample.how));
  return workspace.release();
}

// The old behaviour, planted: there is no record.
TEST(RestoredBackup, GivesManyFirstModelsWithoutARecord) {
  const SampleWorkspace sample(testing::sample_setup(1, one_release()));
  { const Workspace created = sample.create(); }
  const std::string backup = sample.bytes();
  std::vector<Matrix> models;
  for (int i = 0; i < 3; ++i) {
    const PublishedModel model = published_after(sample, backup).value();
    EXPECT_EQ(model.release_number, 1u);
    models.push_back(model.weights);
    EXPECT_TRUE(sample.verify().passed);
  }
  EXPECT_TRUE(models[0] != models[1] && models[1] != models[2] && models[0] != models[2]);
}

TEST(RestoredBackup, GivesNoSecondFirstModel) {
  SampleWorkspace sample(testing::sample_setup(1, one_release()));
  sample.keep_record();
  { const Workspace created = sample.create(); }
  const std::string backup = sample.bytes();
  ASSERT_TRUE(published_after(sample, backup).ok());
  const std::string newest = sample.bytes();
  for (int i = 0; i < 2; ++i) {
    const Result<PublishedModel> again = published_after(sample, backup);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().code, ErrorCode::kOutdated);
    EXPECT_NE(again.error().message.find("--replay"), std::string::npos) << again.error().message;
    EXPECT_EQ(failed_checks(sample.verify()), std::vector<std::string>{"record"});
  }
  // The newest file is taken as ever.
  sample.replace(newest);
  EXPECT_TRUE(sample.open().release().ok());
}

class PastARemoval : public ::testing::Test {
 protected:
  // A backup, then a removal, then the backup again.
  void roll_back() {
    { const Workspace created = sample_.create(); }
    const std::string backup = sample_.bytes();
    {
      Workspace workspace = sample_.open();
      const RemovalRequest request = ForgetGraph{3u};
      opening_ = workspace.forget(std::span(&request, 1)).value();
    }
    sample_.replace(backup);
  }

  SampleWorkspace sample_;
  Forgotten opening_;
};

TEST_F(PastARemoval, PassesWithoutARecord) {
  roll_back();
  EXPECT_TRUE(sample_.verify({.retrain = true}).passed);
  Workspace workspace = sample_.open();
  EXPECT_TRUE(workspace.session().value()->has_graph(3));
  EXPECT_TRUE(workspace.release().ok());
}

TEST_F(PastARemoval, IsRefusedWithARecord) {
  sample_.keep_record();
  roll_back();
  EXPECT_EQ(failed_checks(sample_.verify({.retrain = true})), std::vector<std::string>{"record"});
  Workspace workspace = sample_.open();
  ASSERT_TRUE(workspace.info().outdated.has_value());
  const RemovalRequest request = ForgetGraph{4u};
  EXPECT_EQ(workspace.forget(std::span(&request, 1)).error().code, ErrorCode::kOutdated);
  EXPECT_EQ(workspace.release().error().code, ErrorCode::kOutdated);
  EXPECT_EQ(workspace.forget_list(std::span(&request, 1), {}).error().code, ErrorCode::kOutdated);
  EXPECT_EQ(workspace.info().entries, 1u);
}

// Somebody who kept a receipt needs no record.
TEST_F(PastARemoval, IsNoticedByWhoeverKeptTheHead) {
  roll_back();
  const Verification verification = sample_.verify({.expected_head = opening_.receipt.entry});
  EXPECT_EQ(failed_checks(verification), std::vector<std::string>{"head"});
}

// Two copies of one file, both written to: the second one is another branch.
TEST(ForkedWorkspace, OnlyOneCopyGoesOn) {
  SampleWorkspace sample;
  sample.keep_record();
  { const Workspace created = sample.create(); }
  const std::string copy = sample.bytes();
  const RemovalRequest request = ForgetGraph{3u};
  static_cast<void>(sample.open().forget(std::span(&request, 1)).value());
  const auto record = sample.how.record;
  sample.replace(copy);
  sample.how.record.clear();
  const RemovalRequest other = ForgetGraph{4u};
  static_cast<void>(sample.open().forget(std::span(&other, 1)).value());
  sample.how.record = record;
  Workspace workspace = sample.open();
  const Result<PublishedModel> refused = workspace.release();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kOutdated);
  EXPECT_NE(refused.error().message.find("separate ways"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace unscatter
