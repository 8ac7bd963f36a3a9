#include "learn/descent.h"

#include <gtest/gtest.h>

#include <limits>

namespace unscatter {
namespace {

Vector norms_of(std::initializer_list<double> values) {
  Vector norms(static_cast<Eigen::Index>(values.size()));
  Eigen::Index k = 0;
  for (const double value : values) norms(k++) = value;
  return norms;
}

TEST(DescentGoal, IsReachedByEachClassOrByAllTogether) {
  const Vector exact = Vector::Zero(2);
  EXPECT_TRUE((DescentGoal{.each = 1}.reached(norms_of({1, 1}), exact)));
  EXPECT_FALSE((DescentGoal{.each = 1}.reached(norms_of({1, 1.1}), exact)));
  EXPECT_TRUE((DescentGoal{.joint = 1}.reached(norms_of({0.6, 0.8}), exact)));
  EXPECT_FALSE((DescentGoal{.joint = 1}.reached(norms_of({0.7, 0.8}), exact)));
}

// Rounding counts, but a gradient far below the goal does not wait for rounding that no step makes smaller.
TEST(DescentGoal, CountsRoundingWhereAStepCouldHelp) {
  const DescentGoal goal{.joint = 1};
  EXPECT_FALSE(goal.reached(norms_of({0.9, 0}), norms_of({0.2, 0})));
  EXPECT_TRUE(goal.reached(norms_of({0.4, 0}), norms_of({10, 0})));
}

TEST(DescentGoal, LeavesTheSmallestClassesAlone) {
  const DescentGoal joint{.joint = 1};
  EXPECT_EQ(joint.open_classes(norms_of({0.1, 3, 0.2, 0.9})), (std::vector<std::size_t>{1, 3}));
  EXPECT_TRUE(joint.open_classes(norms_of({0.1, 0.1})).empty());
  // The classes that are left alone leave room for the others.
  EXPECT_EQ(joint.open_classes(norms_of({0.5, 0.5, 0.5, 0.5})).size(), 3U);
  EXPECT_EQ((DescentGoal{.each = 0.3}.open_classes(norms_of({0.4, 0.3, 7}))), (std::vector<std::size_t>{0, 2}));
}

TEST(DescentGoal, NothingThatIsNotANumberIsLeftAlone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((DescentGoal{.joint = 1}.open_classes(norms_of({nan, 0.1}))), (std::vector<std::size_t>{0}));
  EXPECT_FALSE((DescentGoal{.joint = 1}.reached(norms_of({nan, 0.1}), Vector::Zero(2))));
}

TEST(LargestClasses, AreAsFewAsLeaveTheOthersWithinTheirShare) {
  EXPECT_EQ(largest_classes(norms_of({0.1, 3, 0.2, 0.1, 0.3, 9}), 1), (std::vector<std::size_t>{1, 5}));
  EXPECT_TRUE(largest_classes(norms_of({0.6, 0.8}), 1).empty());
  // A third class would cost as much as a fourth.
  EXPECT_EQ(largest_classes(norms_of({2, 3, 0.2, 0.1, 0.3, 9}), 1), (std::vector<std::size_t>{0, 1, 4, 5}));
  EXPECT_EQ(largest_classes(norms_of({2, 2, 2}), 1).size(), 3U);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(largest_classes(norms_of({0, nan, 0}), 1), (std::vector<std::size_t>{1, 2}));
}

TEST(DescentWatch, GivesUpWithoutProgress) {
  DescentWatch watch;
  EXPECT_TRUE(watch.goes_on(1));
  int steps = 0;
  while (watch.goes_on(0.9)) ++steps;
  EXPECT_EQ(steps, 4);
}

}  // namespace
}  // namespace unscatter
