#include "base/near_miss.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace unscatter {
namespace {

TEST(NearMiss, CountsSlips) {
  EXPECT_EQ(edit_distance("graph", "graph"), 0u);
  EXPECT_EQ(edit_distance("grpah", "graph"), 1u);  // neighbours in the wrong order
  EXPECT_EQ(edit_distance("grap", "graph"), 1u);
  EXPECT_EQ(edit_distance("graphs", "graph"), 1u);
  EXPECT_EQ(edit_distance("grabh", "graph"), 1u);
  EXPECT_EQ(edit_distance("", "graph"), 5u);
  EXPECT_EQ(edit_distance("graph", ""), 5u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(NearMiss, NamesTheNearestWord) {
  constexpr std::array<std::string_view, 3> kWords = {"status", "train", "trail"};
  EXPECT_EQ(nearest_word("trian", kWords), "train");
  EXPECT_EQ(nearest_word("trai", kWords), "train");  // the first one among equals
  EXPECT_EQ(nearest_word("sttaus", kWords), "status");
  EXPECT_EQ(nearest_word("verify", kWords), "");
  EXPECT_EQ(nearest_word("tr", kWords), "");
}

}  // namespace
}  // namespace unscatter
