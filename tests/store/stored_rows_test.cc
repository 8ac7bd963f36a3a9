// Rows and curvature in the file: what was written comes back, and nothing else passes.
#include "store/stored_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/schema.h"
#include "store/stored_curvature.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

Digest digest_of(std::size_t i) { return Hasher().add(std::uint64_t{i}).finish(); }

class StoredRows : public ::testing::Test {
 protected:
  StoredRows() : database_(create_database(folder_.path() / "rows", std::chrono::seconds(1)).value()) {
    EXPECT_TRUE(create_tables(database_).ok());
    for (std::size_t slot = 0; slot < 6; ++slot) {
      leaves_.push_back(digest_of(slot));
      BlockRow row;
      double* values = row.append(slot, 2);
      values[0] = 0.5 + static_cast<double>(slot);
      values[1] = -1.0 / 3;
      if (slot % 2 == 1) row.append(9, 1)[0] = 1e-300;
      rows_.append_row(row);
      if (slot == 4) continue;  // an empty slot
      EXPECT_TRUE(write_row(WorkspaceTables(database_), slot, row, slot % 3 == 0 ? 1 : 0, leaves_.back()).ok());
    }
  }
  [[nodiscard]] Result<KeptState::Rows> read() const {
    return read_rows(WorkspaceTables(database_), leaves_, 5, 10, 2);
  }

  testing::TemporaryFolder folder_{testing::memory_folder()};
  Database database_;
  std::vector<Digest> leaves_;
  SparseBlockRows rows_{0, 10};
};

TEST_F(StoredRows, ComeBackBitForBit) {
  const KeptState::Rows kept = read().value();
  for (std::size_t slot = 0; slot < 6; ++slot) {
    EXPECT_EQ(kept.rows.row(slot), slot == 4 ? BlockRow() : rows_.row(slot));
    EXPECT_EQ(kept.labels[slot], slot % 3 == 0 ? 1u : 0u);
  }
}

TEST_F(StoredRows, WhatIsDamagedMovedOrOldIsNoticed) {
  for (const char* sql : {"UPDATE embeddings SET content = CAST(substr(content, 1, 20) || x'41' || substr(content, 22) "
                          "AS BLOB) WHERE slot = 2",
                          "UPDATE embeddings SET seal = seal + 1 WHERE slot = 2",
                          "DELETE FROM embeddings WHERE slot = 2", "UPDATE embeddings SET slot = 4 WHERE slot = 2",
                          "UPDATE embeddings SET content = x''", "UPDATE embeddings SET slot = 6 WHERE slot = 2"}) {
    SCOPED_TRACE(sql);
    ASSERT_TRUE(database_.run("SAVEPOINT before").ok());
    ASSERT_TRUE(database_.run(sql).ok());
    EXPECT_EQ(read().error().code, ErrorCode::kMalformedInput);
    ASSERT_TRUE(database_.run("ROLLBACK TO before; RELEASE before").ok());
  }
  ASSERT_TRUE(read().ok());
  // The graph was edited, and its row is the one from before.
  leaves_[2] = digest_of(77);
  EXPECT_FALSE(read().ok());
}

TEST_F(StoredRows, AnErasedOneIsGone) {
  ASSERT_TRUE(erase_row(WorkspaceTables(database_), 2).ok());
  EXPECT_FALSE(read().ok());
  EXPECT_TRUE(read_rows(WorkspaceTables(database_), leaves_, 4, 10, 2).ok());
}

KeptCurvature some_curvature() {
  KeptCurvature curvature;
  curvature.anchor = Matrix::Random(3, 2);
  for (int k = 0; k < 2; ++k) {
    const Matrix half = Matrix::Random(3, 3);
    curvature.hessians.emplace_back(half * half.transpose());
  }
  curvature.square = curvature.hessians[0] + curvature.hessians[1];
  curvature.ridge = 0.25;
  curvature.spectral_square = 3;
  curvature.frobenius_square = 5;
  curvature.row_norm = 1;
  curvature.roundings = 10;
  return curvature;
}

TEST_F(StoredRows, CurvatureComesBackForItsOwnStateOnly) {
  const KeptCurvature curvature = some_curvature();
  const Digest data = digest_of(1);
  ASSERT_TRUE(write_curvature(database_, curvature, data).ok());
  const CurvatureShape shape{3, 2};
  const KeptCurvature kept = read_curvature(database_, shape, data).value().value();
  EXPECT_EQ(kept.anchor, curvature.anchor);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(kept.hessians[k], Matrix(curvature.hessians[k].selfadjointView<Eigen::Lower>()));
  }
  EXPECT_EQ(kept.ridge, curvature.ridge);
  EXPECT_EQ(kept.roundings, curvature.roundings);
  EXPECT_FALSE(read_curvature(database_, shape, digest_of(2)).value().has_value());
  EXPECT_FALSE(read_curvature(database_, {4, 2}, data).value().has_value());
  ASSERT_TRUE(
      database_.run("UPDATE curvature SET content = CAST(x'01' || substr(content, 2) AS BLOB) WHERE piece = 3").ok());
  EXPECT_FALSE(read_curvature(database_, shape, data).value().has_value());
  ASSERT_TRUE(write_curvature(database_, std::nullopt, data).ok());
  EXPECT_EQ(database_.integer("SELECT count(*) FROM curvature").value(), 0);
}

}  // namespace
}  // namespace unscatter
