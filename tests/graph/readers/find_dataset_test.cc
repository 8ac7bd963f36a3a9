#include <gtest/gtest.h>

#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

TEST(FindDataset, APathThatExistsIsItselfAndOthersAreNamedInTheError) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("groups.jsonl", "");
  EXPECT_EQ(find_dataset(file.string()).value(), file);
  const auto missing = find_dataset("no such data set");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("'no such data set'"), std::string::npos);
}

}  // namespace
}  // namespace unscatter
