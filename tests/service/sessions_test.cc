#include "service/sessions.h"

#include <gtest/gtest.h>

namespace unscatter::service {
namespace {

TEST(Sessions, EndByIdlenessByAgeAndByClosing) {
  Sessions sessions({100, 250, 10});
  const auto opened = sessions.open("t", 0);
  EXPECT_EQ(opened.expires, 100);
  EXPECT_TRUE(sessions.find(opened.cookie, 99).has_value());
  EXPECT_EQ(sessions.find(opened.cookie, 180)->expires, 250)
      << "using it begins the idle time anew, up to its whole life";
  EXPECT_FALSE(sessions.find(opened.cookie, 250).has_value());
  const auto second = sessions.open("t", 300);
  EXPECT_NE(second.cookie, opened.cookie);
  sessions.close(second.cookie);
  EXPECT_FALSE(sessions.find(second.cookie, 301).has_value());
}

TEST(Sessions, EndWhenTheClockIsSetBack) {
  Sessions sessions({1000, 1000, 10});
  const auto opened = sessions.open("t", 50000);
  EXPECT_TRUE(sessions.find(opened.cookie, 49970).has_value()) << "a clock may be corrected a little";
  EXPECT_FALSE(sessions.find(opened.cookie, 40000).has_value());
  EXPECT_FALSE(sessions.find(opened.cookie, 50001).has_value()) << "and it does not come back";
}

TEST(Sessions, OnlyTheirOwnValueFits) {
  Sessions sessions;
  const auto opened = sessions.open("t", 0);
  const auto found = sessions.find(opened.cookie, 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->token, "t");
  EXPECT_TRUE(Sessions::csrf_fits(*found, opened.csrf));
  EXPECT_FALSE(Sessions::csrf_fits(*found, ""));
  EXPECT_FALSE(Sessions::csrf_fits(*found, opened.cookie));
  EXPECT_FALSE(sessions.find(opened.csrf, 1).has_value());
}

TEST(Sessions, TheOldestGoesBeyondTheBound) {
  Sessions sessions({1000, 1000, 2});
  const auto first = sessions.open("a", 0);
  const auto second = sessions.open("b", 1);
  const auto third = sessions.open("c", 2);
  EXPECT_FALSE(sessions.find(first.cookie, 3).has_value());
  EXPECT_TRUE(sessions.find(second.cookie, 3).has_value());
  EXPECT_TRUE(sessions.find(third.cookie, 3).has_value());
}

}  // namespace
}  // namespace unscatter::service
