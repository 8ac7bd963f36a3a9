#include "embedding/transforms/given_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random_graph.h"
#include "support/random_rows.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {
namespace {

struct GivenMatrix {
  std::size_t rows;
  std::size_t columns;
  std::vector<double> values;
  std::vector<std::string> labels;
};

// Entries of [-size, size]; every seventh is 0.
GivenMatrix given_matrix(std::uint64_t seed, std::size_t rows, std::size_t columns, double size) {
  const Matrix entries = testing::random_matrix(seed, columns, rows);
  GivenMatrix given{rows, columns, {}, std::vector<std::string>(rows, "a")};
  for (std::size_t i = 0; i < rows * columns; ++i) {
    given.values.push_back(i % 7 == 0 ? 0.0 : size * entries.data()[i]);
  }
  return given;
}

Dataset dataset_of(const GivenMatrix& given) {
  return dataset_from_rows("rows", {given.values, given.columns, given.labels}).value();
}

std::shared_ptr<const Embedder> rows_embedder(std::size_t columns, double scale = 1, RowNorm norm = RowNorm::kClip) {
  TransformSpec spec;
  spec.family = "rows";
  spec.row_scale = scale;
  spec.row_norm = norm;
  return make_embedder("attributes:" + std::to_string(columns), spec, Dataset()).value();
}

TEST(GivenRows, ShortRowsComeBackBitForBit) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const GivenMatrix given = given_matrix(seed, 20, 33, 1 / std::sqrt(33.0));
    const auto embedder = rows_embedder(given.columns);
    EXPECT_EQ(embedder->width(), given.columns);
    EXPECT_EQ(embedder->row_norm_upper_bound(), 1.0);
    const RowMatrix z = embedder->embed(dataset_of(given)).value().to_dense();
    for (std::size_t i = 0; i < given.values.size(); ++i) EXPECT_EQ(z.data()[i], given.values[i]) << i;
  }
}

TEST(GivenRows, LongRowsAreClippedToNormOneAndKeepTheirDirection) {
  const GivenMatrix given = given_matrix(4, 20, 33, 1e6);
  const RowMatrix z = rows_embedder(given.columns)->embed(dataset_of(given)).value().to_dense();
  for (Eigen::Index i = 0; i < z.rows(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(given.values.data() + i * z.cols(), z.cols());
    EXPECT_LE(z.row(i).norm(), 1.0);
    EXPECT_NEAR(z.row(i).dot(row.transpose()) / row.norm(), 1.0, 1e-12);
  }
}

TEST(GivenRows, TheScaleDividesAndNoClipLeavesRowsAsTheyAre) {
  const GivenMatrix given = given_matrix(5, 9, 4, 100);
  const RowMatrix z = rows_embedder(4, 3, RowNorm::kNone)->embed(dataset_of(given)).value().to_dense();
  for (std::size_t i = 0; i < given.values.size(); ++i) EXPECT_EQ(z.data()[i], given.values[i] / 3) << i;
}

// Memory follows the numbers that are not 0.
TEST(GivenRows, ZerosAreNotStored) {
  GivenMatrix given{2, 1000, std::vector<double>(2000, 0.0), {"a", "b"}};
  given.values[5] = 0.5;
  given.values[6] = -0.25;
  given.values[900] = 0.125;
  const SparseBlockRows z = rows_embedder(1000)->embed(dataset_of(given)).value();
  EXPECT_EQ(z.stored_values(), 3u);
  EXPECT_EQ(z.row(0).segments.size(), 2u);
  EXPECT_TRUE(z.row(1).values.empty());
}

// The layout of a row must not tell a removed row from one of zeros.
TEST(GivenRows, RemovedFeaturesAreTheRowOfZeros) {
  const GivenMatrix given = given_matrix(6, 1, 8, 0.1);
  const GivenMatrix zeros{1, 8, std::vector<double>(8, 0.0), {"a"}};
  const auto embedder = rows_embedder(8);
  const auto left = reembed(*embedder, dataset_of(given).graphs[0], RemoveFeatures{0}).value();
  EXPECT_EQ(left->row, embedder->embed(dataset_of(zeros).graphs[0]).value());
  EXPECT_FALSE(reembed(*embedder, dataset_of(given).graphs[0], RemoveNode{0}).value().has_value());
}

TEST(GivenRows, OtherGraphsAreRefusedWithAReason) {
  const auto embedder = rows_embedder(2);
  const auto refused = [&](const Graph& graph, std::string_view words) {
    const Result<BlockRow> row = embedder->embed(graph);
    ASSERT_FALSE(row.ok()) << words;
    EXPECT_EQ(row.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(row.error().message.find(words), std::string::npos) << row.error().message;
  };
  refused(testing::random_graph(1, {.nodes = 3, .attributes = 2}), "has 3 nodes");
  refused(testing::random_graph(1, {.nodes = 1}), "0 attributes per node, not 2");
  refused(testing::random_graph(1, {.nodes = 1, .attributes = 5}), "5 attributes per node, not 2");
  for (const double scale : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(make_given_rows(scale).error().code, ErrorCode::kInvalidArgument) << scale;
  }
  // The quotient overflows.
  const GivenMatrix given{1, 2, {1e300, 0}, {"a"}};
  const Result<BlockRow> large = rows_embedder(2, 1e-300)->embed(dataset_of(given).graphs[0]);
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("not finite"), std::string::npos);
}

TEST(GivenRows, TheEmbedderSaysThatRowsWereMadeOutside) {
  const std::vector<ConstantOrigin> origins = rows_embedder(2)->origins();
  EXPECT_EQ(origins,
            (std::vector<ConstantOrigin>{{"attributes", ConstantKind::kStated}, {"rows", ConstantKind::kOutside}}));
  EXPECT_FALSE(rows_embedder(2)->refits());
}

}  // namespace
}  // namespace unscatter
