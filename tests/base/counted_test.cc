#include "base/counted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace unscatter {
namespace {

TEST(Counted, ThousandsAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "graph", "graphs"), "0 graphs");
  EXPECT_EQ(counted(1, "graph", "graphs"), "1 graph");
  EXPECT_EQ(counted(2000, "graph", "graphs"), "2,000 graphs");
}

}  // namespace
}  // namespace unscatter
