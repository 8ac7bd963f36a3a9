#include "experiment/data_cache.h"

#include <gtest/gtest.h>

#include "small_experiment.h"
#include "unscatter/learn/predict.h"

namespace unscatter::experiment {
namespace {

using testing::kSmallParameters;
using testing::SmallExperiment;

TEST(DataCache, EveryFormIsMadeOnce) {
  const SmallExperiment small;
  const auto cache = small.cache();
  const EmbeddedData* plain = cache->embedded("gst", kSmallParameters, CellForm::kPlain).value();
  EXPECT_EQ(plain, cache->embedded("gst", kSmallParameters, CellForm::kPlain).value());
  EXPECT_EQ(plain, cache->embedded("gst", kSmallParameters, CellForm::kSymmetrised).value()) << "undirected already";
  const EmbeddedData* frozen = cache->embedded("gst", kSmallParameters, CellForm::kFrozenDegrees).value();
  EXPECT_NE(plain, frozen);
  EXPECT_NE(plain->embedder->blocks().front().features.describe(),
            frozen->embedder->blocks().front().features.describe());
  EXPECT_NE(plain, cache->embedded("linear-gst", kSmallParameters, CellForm::kPlain).value());
  EXPECT_EQ(plain->rows.rows(), cache->dataset().size());
}

TEST(DataCache, AccuracyIsThatOfTheLibrary) {
  const SmallExperiment small;
  const auto cache = small.cache();
  const EmbeddedData* data = cache->embedded("gst", kSmallParameters, CellForm::kPlain).value();
  const Matrix weights = Matrix::Random(static_cast<Eigen::Index>(data->rows.columns()), 2);
  const std::vector<std::size_t> chosen = {3, 8, 9, 40, 77, 150, 199};
  SparseBlockRows rows(0, data->rows.columns());
  std::vector<std::uint32_t> labels;
  for (const std::size_t i : chosen) {
    rows.append_row(data->rows.row(i));
    labels.push_back(data->dataset->labels[i]);
  }
  EXPECT_DOUBLE_EQ(accuracy_percent(*data, chosen, weights, 2), 100 * accuracy(rows, labels, weights));
  EXPECT_EQ(accuracy_percent(*data, {}, weights, 2), 0);
}

TEST(DataCache, AMissingDataSetIsNamed) {
  const SmallExperiment small;
  const auto cache = DataCache::open(small.data(), "grops", 1);
  ASSERT_FALSE(cache.ok());
  EXPECT_EQ(cache.error().code, ErrorCode::kNotFound);
  EXPECT_NE(cache.error().message.find("grops"), std::string::npos);
}

TEST(DataCache, OperatorsAndMomentsAreThoseOfThePublicProgram) {
  EXPECT_EQ(transform_of("gst", kSmallParameters).op, WalkOperator::kRow);
  EXPECT_FALSE(transform_of("gst", kSmallParameters).linear);
  EXPECT_TRUE(transform_of("linear-gst", kSmallParameters).linear);
  EXPECT_EQ(transform_of("gft", kSmallParameters).family, "gft");
  EXPECT_EQ(transform_of("gft", kSmallParameters).moments, 1u);
}

}  // namespace
}  // namespace unscatter::experiment
