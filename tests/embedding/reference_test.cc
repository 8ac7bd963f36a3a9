// Every reference embedding that an independent NumPy program computed, reproduced to 1e-12.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

#include "support/data_folder.h"
#include "support/npy.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/walk_scattering.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

// COLLAB in its compact form, which holds the same graphs in the same order and reads faster.
const Dataset& data_set(const std::string& name) {
  static std::map<std::string, Dataset> read;
  if (!read.contains(name)) {
    const std::string file = name == "COLLAB" ? "COLLAB_gin.zip" : name + ".zip";
    read.emplace(name, read_dataset(*testing::data_folder() / name / file).value());
  }
  return read.at(name);
}

TEST(Reference, EveryFileIsReproduced) {
  const auto folder = testing::reference_folder();
  if (!folder) GTEST_SKIP() << "reference embeddings not found: they belong beside the data sets";
  const std::regex pattern(R"((.+)_geometric_(row|column)(_linear)?_J(\d+)Q(\d+)L(\d+)_graphs(\d+)-(\d+)\.npy)");
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".npy") continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    std::smatch part;
    ASSERT_TRUE(std::regex_match(name, part, pattern)) << "a reference file this test does not understand";
    const Dataset& whole = data_set(part[1]);
    const auto op = part[2] == "row" ? WalkOperator::kRow : WalkOperator::kColumn;
    const ScatteringOptions options{.layers = std::stoul(part[6]), .moments = std::stoul(part[5]), .linear = part[3].matched};
    std::vector<EmbeddingBlock> blocks;
    blocks.push_back(
        {FeatureMap::resolve("auto", whole).value(), make_walk_scattering(op, std::stoul(part[4]), options).value()});
    const Embedder embedder(std::move(blocks));

    Dataset chosen;
    for (std::size_t g = std::stoul(part[7]); g <= std::stoul(part[8]); ++g) chosen.graphs.push_back(whole.graphs.at(g));
    const RowMatrix Z = embedder.embed(chosen).value().to_dense();
    const RowMatrix expected = testing::read_npy(entry.path());
    ASSERT_EQ(Z.rows(), expected.rows());
    ASSERT_EQ(Z.cols(), expected.cols());
    EXPECT_LE((Z - expected).cwiseAbs().maxCoeff(), 1e-12);
    ++compared;
  }
  EXPECT_GE(compared, 1) << "no reference file in " << *folder;
}

}  // namespace
}  // namespace unscatter
