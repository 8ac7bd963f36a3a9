#include "unscatter/base/version.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace unscatter {
namespace {

TEST(Version, IsThreeNumbers) {
  EXPECT_EQ(std::count(version().begin(), version().end(), '.'), 2) << version();
  EXPECT_EQ(version().find_first_not_of("0123456789."), std::string_view::npos) << version();
}

}  // namespace
}  // namespace unscatter
