#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

// A graph of class b is left; the last one of class a is gone.
WorkspaceSetup setup_of_rest(ConstantKind classes) {
  WorkspaceSetup setup;
  setup.dataset.class_names = {"a", "b"};
  setup.dataset.labels = {1};
  GraphParts parts;
  parts.node_count = 2;
  parts.edges = {{0, 1}};
  setup.dataset.graphs.push_back(Graph::create(std::move(parts)).value());
  setup.options.classes = classes;
  setup.features = "rule";
  return setup;
}

WorkspaceInfo fitted(ConstantKind fit) {
  WorkspaceInfo before;
  before.fit = fit;
  before.features = "rule:constants";
  return before;
}

TEST(TakeOverConstants, FitsAgainWhatWasFitted) {
  for (const ConstantKind fit : {ConstantKind::kPrivateFit, ConstantKind::kFittedOnce}) {
    WorkspaceSetup setup = setup_of_rest(ConstantKind::kPrivateFit);
    ASSERT_TRUE(take_over_constants(fitted(fit), {}, setup).ok());
    EXPECT_EQ(setup.fit.kind, fit);
    // Constants of the old fit could carry what was removed.
    EXPECT_EQ(setup.features, "rule");
  }
}

TEST(TakeOverConstants, KeepsThoseOfPublicDataThatIsNotThereAnyMore) {
  WorkspaceSetup setup = setup_of_rest(ConstantKind::kPublicData);
  ASSERT_TRUE(take_over_constants(fitted(ConstantKind::kPublicData), {}, setup).ok());
  EXPECT_EQ(setup.features, "rule:constants");
  // They belong to the old features.
  setup = setup_of_rest(ConstantKind::kPublicData);
  ASSERT_TRUE(take_over_constants(fitted(ConstantKind::kPublicData), {.transform = true}, setup).ok());
  EXPECT_EQ(setup.features, "rule");
}

TEST(TakeOverConstants, LeavesWhatWasChosenAnew) {
  WorkspaceSetup setup = setup_of_rest(ConstantKind::kStated);
  setup.fit = FitSource::none();
  ASSERT_TRUE(take_over_constants(fitted(ConstantKind::kFittedOnce), {.constants = true}, setup).ok());
  EXPECT_EQ(setup.fit.kind, FitSource::none().kind);
  EXPECT_EQ(setup.dataset.class_names, (std::vector<std::string>{"a", "b"}));
}

TEST(TakeOverConstants, AListThatWasFittedOnceNamesNoClassThatIsGone) {
  WorkspaceSetup setup = setup_of_rest(ConstantKind::kFittedOnce);
  ASSERT_TRUE(take_over_constants(fitted(ConstantKind::kFittedOnce), {.constants = true}, setup).ok());
  EXPECT_EQ(setup.dataset.class_names, std::vector<std::string>{"b"});
  EXPECT_EQ(setup.dataset.labels, std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace unscatter
