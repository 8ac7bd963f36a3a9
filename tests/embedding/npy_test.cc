#include "embedding/npy.h"

#include <gtest/gtest.h>

#include "support/npy.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

TEST(NpyFile, RoundTripWithZerosFilledIn) {
  SparseBlockRows rows(3, 700);
  BlockRow row;
  row.append(5, 1)[0] = 0.1;
  row.append(699, 1)[0] = -2;
  rows.set_row(1, row);
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "Z.npy";
  {
    NpyFile file = NpyFile::create(path, 700).value();
    ASSERT_TRUE(file.append(rows).ok());
    ASSERT_TRUE(file.commit().ok());
  }
  EXPECT_EQ(testing::read_npy(path), rows.to_dense());
  // The header's length makes the data start at a multiple of 64, as NumPy does it.
  EXPECT_EQ((std::filesystem::file_size(path) - sizeof(double) * 3 * 700) % 64, 0u);
}

// The number of rows is known when all have come.
TEST(NpyFile, RowsInPiecesAreThoseOfTheWhole) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "Z.npy";
  for (const std::size_t pieces : {0U, 1U, 3U, 1200U}) {
    SCOPED_TRACE(pieces);
    NpyFile file = NpyFile::create(path, 2).value();
    RowMatrix all(pieces, 2);
    for (std::size_t i = 0; i < pieces; ++i) {
      SparseBlockRows piece(0, 2);
      piece.append_row({{{1, 1}}, {static_cast<double>(i)}});
      all(static_cast<Eigen::Index>(i), 0) = 0;
      all(static_cast<Eigen::Index>(i), 1) = static_cast<double>(i);
      ASSERT_TRUE(file.append(piece).ok());
    }
    ASSERT_TRUE(file.commit().ok());
    EXPECT_EQ(testing::read_npy(path), all);
  }
}

TEST(NpyFile, FailureLeavesNothingBehind) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(NpyFile::create(folder.path() / "missing" / "Z.npy", 1).error().code, ErrorCode::kIo);
  {
    NpyFile file = NpyFile::create(folder.path() / "Z.npy", 1).value();
    ASSERT_TRUE(file.append(SparseBlockRows(3, 1)).ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace unscatter
