#include "embedding/npy.h"

#include <gtest/gtest.h>

#include "support/npy.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

TEST(WriteNpy, RoundTripWithZerosFilledIn) {
  SparseBlockRows rows(3, 700);
  BlockRow row;
  row.append(5, 1)[0] = 0.1;
  row.append(699, 1)[0] = -2;
  rows.set_row(1, row);
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "Z.npy";
  ASSERT_TRUE(write_npy(rows, path).ok());
  EXPECT_EQ(testing::read_npy(path), rows.to_dense());
  // The header's length makes the data start at a multiple of 64, as NumPy does it.
  EXPECT_EQ((std::filesystem::file_size(path) - sizeof(double) * 3 * 700) % 64, 0u);
}

TEST(WriteNpy, FailureLeavesNothingBehind) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(write_npy(SparseBlockRows(1, 1), folder.path() / "missing" / "Z.npy").error().code, ErrorCode::kIo);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace unscatter
