#include "unscatter/base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace unscatter {
namespace {

TEST(ErrorCode, NamesAreDistinctAndKnown) {
  std::set<std::string> names;
  const int last = static_cast<int>(ErrorCode::kUnavailable);
  for (int code = 0; code <= last; ++code) names.insert(std::string(error_code_name(static_cast<ErrorCode>(code))));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_EQ(names.count("unknown"), 0u);
}

}  // namespace
}  // namespace unscatter
