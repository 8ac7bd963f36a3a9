#include "learn/curvature_cost.h"

#include <gtest/gtest.h>

namespace unscatter {
namespace {

TEST(CurvatureCost, StepsWorthABuildStayWithinReason) {
  EXPECT_EQ((CurvatureCost{.step = 1, .build = 20}.steps_worth_a_build()), 20U);
  EXPECT_EQ((CurvatureCost{.step = 1, .build = 1}.steps_worth_a_build()), 5U);
  EXPECT_EQ((CurvatureCost{.step = 1, .build = 1e6}.steps_worth_a_build()), 100U);
}

// Two steps are what good inverses need here; only steps beyond them count as wasted.
TEST(RenewalAccount, RenewalIsDueWhenTheWasteHasCostABuild) {
  const CurvatureCost cost{.step = 1, .build = 6};
  RenewalAccount account;
  EXPECT_FALSE(account.count(2, cost));
  EXPECT_FALSE(account.count(5, cost));  // 3 wasted
  EXPECT_FALSE(account.count(2, cost));
  EXPECT_FALSE(account.count(4, cost));  // 5
  EXPECT_TRUE(account.count(3, cost));   // 6
  account.reset();
  EXPECT_FALSE(account.count(5, cost));  // the first count sets what is needed
}

TEST(AnchorSchedule, AnAnchorIsWornWhenLooksHaveCostAsMuch) {
  AnchorSchedule schedule;
  schedule.anchored();
  schedule.evaluated(4);
  schedule.evaluated(5);
  EXPECT_FALSE(schedule.is_worn(10));
  schedule.evaluated(1);
  EXPECT_TRUE(schedule.is_worn(10));
  schedule.anchored();
  EXPECT_FALSE(schedule.is_worn(10));
}

TEST(AnchorSchedule, AnchorsThatDoNotServeAreWaitedForLongerAndLonger) {
  AnchorSchedule schedule;
  const auto waits = [&schedule] {
    std::size_t count = 0;
    while (!schedule.is_due()) {
      schedule.wait();
      ++count;
    }
    schedule.anchored();
    return count;
  };
  EXPECT_EQ(waits(), 0U);
  schedule.stepped(false, 1.5);
  EXPECT_EQ(waits(), 1U);
  schedule.stepped(false, 1.5);
  EXPECT_EQ(waits(), 3U);
  schedule.stepped(false, 100);  // far above the limit: at least so many
  EXPECT_EQ(waits(), 100U);
  schedule.stepped(false, 1e30);
  EXPECT_EQ(waits(), 1024U);
  schedule.stepped(true, 0.5);   // it served: no pause
  schedule.stepped(false, 1.5);  // it had served, so its end is no failure
  EXPECT_EQ(waits(), 0U);
}

TEST(PassAccount, ExpectsWhatItSaw) {
  PassAccount account;
  for (int i = 0; i < 10; ++i) account.count(40);
  EXPECT_NEAR(account.expected(), 40, 0.1);
}

TEST(UpdatesServed, InversesServeWhatIsToComeButNotUpdatesTheyCannotFollow) {
  EXPECT_EQ(updates_served(1, 1, 100), 1);
  EXPECT_EQ(updates_served(7, 1, 100), 7);
  EXPECT_GE(updates_served(0, 1, 100), 50);
  EXPECT_EQ(updates_served(0, 50, 100), 1);
}

}  // namespace
}  // namespace unscatter
