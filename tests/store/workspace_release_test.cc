// Publishing models.
#include <gtest/gtest.h>

#include "store/sample_workspace.h"
#include "store/stored_model.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::sample_setup;
using testing::SampleChoice;
using testing::SampleWorkspace;

TEST(WorkspaceRelease, IsTheSameModelUntilTheNextRemoval) {
  const SampleWorkspace sample;
  PublishedModel first;
  {
    Workspace workspace = sample.create();
    first = workspace.release().value();
    EXPECT_EQ(first.release_number, 1u);
    EXPECT_NE(first.weights, workspace.session().value()->weights());
    EXPECT_EQ(workspace.info().published, 1u);
    EXPECT_EQ(workspace.info().entries, 2u);
  }
  Workspace workspace = sample.open();
  const PublishedModel again = workspace.release().value();
  EXPECT_EQ(again.weights, first.weights);
  EXPECT_EQ(published_text(again), published_text(first));
  EXPECT_EQ(workspace.info().published, 1u);
  EXPECT_EQ(workspace.info().entries, 2u);

  const RemovalRequest request = ForgetNode{5u, 0u};
  ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  const PublishedModel next = workspace.release().value();
  EXPECT_NE(next.weights, first.weights);
  EXPECT_EQ(next.release_number, 2u);
  EXPECT_EQ(workspace.entry(3).value().kind, EntryKind::kReleased);
  EXPECT_EQ(workspace.entry(3).value().published, 2u);
}

TEST(WorkspaceRelease, AFreshOneHasNoiseOfItsOwnAndCounts) {
  const SampleWorkspace sample;
  Workspace workspace = sample.create();
  const PublishedModel first = workspace.release().value();
  const PublishedModel fresh = workspace.release(true).value();
  EXPECT_NE(fresh.weights, first.weights);
  EXPECT_EQ(fresh.release_number, 2u);
  EXPECT_EQ(workspace.info().published, 2u);
  // The last one stands from now on.
  EXPECT_EQ(workspace.release().value().weights, fresh.weights);
  EXPECT_EQ(workspace.info().published, 2u);
}

TEST(WorkspaceRelease, TheLimitHoldsAcrossOpenings) {
  SampleChoice choice;
  choice.options.releases = 2;
  const SampleWorkspace sample(sample_setup(1, choice));
  {
    Workspace workspace = sample.create();
    ASSERT_TRUE(workspace.release(true).ok());
  }
  {
    Workspace workspace = sample.open();
    ASSERT_TRUE(workspace.release(true).ok());
  }
  Workspace workspace = sample.open();
  const Digest head = workspace.info().head;
  EXPECT_EQ(workspace.release(true).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(workspace.info().head, head);
  // The one that stands may be handed out for ever, and removals go on; but nothing new can be published.
  EXPECT_TRUE(workspace.release().ok());
  const RemovalRequest request = ForgetNode{5u, 0u};
  ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  EXPECT_EQ(workspace.release().error().code, ErrorCode::kLimitExceeded);
  { const Workspace closed = std::move(workspace); }
  EXPECT_TRUE(sample.verify().passed);
}

// The old model was learned from what is removed.
TEST(WorkspaceRelease, ARemovalErasesThePublishedModel) {
  const SampleWorkspace sample;
  std::string old_weights;
  {
    Workspace workspace = sample.create();
    const auto blob = to_blob(workspace.release().value().weights);
    old_weights.assign(reinterpret_cast<const char*>(blob.data()), 24);
  }
  ASSERT_NE(sample.bytes().find(old_weights), std::string::npos);
  {
    Workspace workspace = sample.open();
    const RemovalRequest request = ForgetNode{5u, 0u};
    ASSERT_TRUE(workspace.forget(std::span(&request, 1)).ok());
  }
  EXPECT_EQ(sample.bytes().find(old_weights), std::string::npos);
}

// Noise is in the objective already: the kept weights are what is published, and they are not counted out.
TEST(WorkspaceRelease, UnderTheObjectiveMechanismTheWeightsThemselvesArePublished) {
  SampleChoice choice;
  choice.options.mechanism = Mechanism::kObjective;
  choice.options.noise_stddev = 0.1;
  choice.options.releases = 1;
  const SampleWorkspace sample(sample_setup(1, choice));
  Workspace workspace = sample.create();
  EXPECT_EQ(workspace.release().value().weights, workspace.session().value()->weights());
  EXPECT_EQ(workspace.release(true).value().release_number, 2u);
  { const Workspace closed = std::move(workspace); }
  EXPECT_TRUE(sample.verify().passed);
}

}  // namespace
}  // namespace unscatter
