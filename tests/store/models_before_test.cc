// Models from before data was added, and of earlier trainings, as the ledger tells of them.
#include "store/models_before.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>

#include "store/sample_workspace.h"
#include "unscatter/store/workspace.h"
#include "unscatter/unlearn/words.h"

namespace unscatter {
namespace {

using testing::sample_setup;
using testing::SampleWorkspace;

constexpr std::size_t kNew = 14;  // the first slot behind those of the sample

Exposure exposure_of(const SampleWorkspace& sample, std::size_t slot) {
  Exposure exposure;
  Workspace workspace = sample.open();
  const RemovalRequest request = ForgetGraph{slot};
  EXPECT_TRUE(workspace.preview(std::span(&request, 1), &exposure).ok());
  return exposure;
}

// A process that is started anew knows what the one knew that published.
TEST(ModelsBefore, AreToldByTheLedger) {
  const SampleWorkspace sample;
  {
    Workspace workspace = sample.create();
    ASSERT_TRUE(workspace.release().ok());
    ASSERT_TRUE(workspace.release(true).ok());
    ASSERT_TRUE(workspace.add(sample_setup(2, {}, 3).dataset).ok());
    ASSERT_TRUE(workspace.release().ok());
  }
  Exposure exposure = exposure_of(sample, 4);
  EXPECT_EQ(exposure.models, 1U);
  EXPECT_EQ(exposure.older, 2U);
  EXPECT_TRUE(std::isinf(exposure.shift));
  exposure = exposure_of(sample, kNew);
  EXPECT_EQ(exposure.models, 1U);
  EXPECT_EQ(exposure.older, 0U);
  EXPECT_TRUE(std::isfinite(exposure.shift) && exposure.shift > 0);
  // The same with all graphs in memory, and after another removal.
  Workspace workspace = sample.open();
  ASSERT_TRUE(workspace.session().ok());
  const RemovalRequest requests[] = {ForgetGraph{4u}, ForgetGraph{5u}};
  for (const RemovalRequest& request : requests) {
    const Forgotten done = workspace.forget(std::span(&request, 1)).value();
    EXPECT_EQ(done.exposure.models, 1U);
    EXPECT_EQ(done.exposure.older, 2U);
  }
}

// "Nobody has seen a model that had learned from it" was said here, although the model of the first training had.
TEST(ModelsBefore, OfAnEarlierTrainingAreNotForgotten) {
  WorkspaceSetup setup = sample_setup(1);
  {
    const SampleWorkspace first(sample_setup(1));
    Workspace workspace = first.create();
    ASSERT_TRUE(workspace.release().ok());
    setup.predecessor = workspace.predecessor().value();
  }
  const SampleWorkspace again(setup);
  { ASSERT_TRUE(again.create().add(sample_setup(2, {}, 3).dataset).ok()); }
  const Exposure exposure = exposure_of(again, 5);
  EXPECT_EQ(exposure.models, 0U);
  EXPECT_EQ(exposure.older, 1U);
  EXPECT_EQ(best_guess(exposure), 1);
  const std::string words = exposure_words(exposure, again.open().info().certificate.promise);
  EXPECT_EQ(words.find("nobody"), std::string::npos) << words;
  EXPECT_NE(words.find("trained again"), std::string::npos) << words;
  EXPECT_EQ(exposure_of(again, kNew).older, 0U);
}

}  // namespace
}  // namespace unscatter
