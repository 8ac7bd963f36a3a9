#include <gtest/gtest.h>

#include "experiment/gin.h"
#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

TEST(Gin, SaysHowToBuildItWhereItIsNotThere) {
  if (gin_available()) GTEST_SKIP() << "this build has it";
  const Dataset groups = generate_interest_groups({.groups = 4}).value();
  const std::size_t train[] = {0, 1};
  const std::size_t test[] = {2, 3};
  const auto result = train_gin(groups, train, test, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(result.error().message.find("UNSCATTER_GIN"), std::string::npos);
}

}  // namespace
}  // namespace unscatter
