// Every reference embedding that an independent NumPy program computed, reproduced to 1e-12.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
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

// What a reference file's name says: DATASET_geometric_OPERATOR[_linear]_J.Q.L._graphsA-B.npy
struct Name {
  std::string data_set;
  WalkOperator op = WalkOperator::kRow;
  bool linear = false;
  std::size_t scales = 0, moments = 0, layers = 0, first = 0, last = 0;
};

bool parse(const std::string& file, Name& name) {
  const std::size_t marker = file.find("_geometric_");
  if (marker == std::string::npos) return false;
  name.data_set = file.substr(0, marker);
  std::string rest = file.substr(marker + std::string("_geometric_").size());
  const auto take = [&rest](const std::string& word) {
    if (rest.rfind(word, 0) != 0) return false;
    rest.erase(0, word.size());
    return true;
  };
  if (take("column_")) {
    name.op = WalkOperator::kColumn;
  } else if (!take("row_")) {
    return false;
  }
  name.linear = take("linear_");
  return std::sscanf(rest.c_str(), "J%zuQ%zuL%zu_graphs%zu-%zu.npy", &name.scales, &name.moments, &name.layers,
                     &name.first, &name.last) == 5;
}

TEST(Reference, EveryFileIsReproduced) {
  const auto folder = testing::reference_folder();
  if (!folder) GTEST_SKIP() << "reference embeddings not found: they belong beside the data sets";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".npy") continue;
    SCOPED_TRACE(entry.path().filename());
    Name name;
    ASSERT_TRUE(parse(entry.path().filename().string(), name)) << "a reference file this test does not understand";
    const Dataset& whole = data_set(name.data_set);
    const ScatteringOptions options{.layers = name.layers, .moments = name.moments, .linear = name.linear};
    std::vector<EmbeddingBlock> blocks;
    blocks.push_back({FeatureMap::resolve("paper", whole, FitSource::once()).value(),
                      make_walk_scattering(name.op, name.scales, options).value()});
    const Embedder embedder(std::move(blocks));

    Dataset chosen;
    for (std::size_t g = name.first; g <= name.last; ++g) chosen.graphs.push_back(whole.graphs.at(g));
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
