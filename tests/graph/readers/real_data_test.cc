// The real data sets against the counts that come with them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/data_folder.h"
#include "support/sanitized.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

constexpr const char* kSmallerOnes = "millions of edges; a sanitizer sees the same readers on smaller data";

struct Expected {
  const char* path;
  std::vector<std::string> class_names;
  std::vector<std::size_t> class_counts;
  std::size_t nodes, min_nodes, max_nodes, edges, max_degree, isolated_nodes, node_labels, attributes;
  std::size_t self_loops, duplicates;
};

void expect_counts(const Dataset& dataset, const Expected& expected) {
  const DatasetSummary summary = summarise(dataset);
  EXPECT_EQ(dataset.class_names, expected.class_names);
  EXPECT_EQ(summary.class_counts, expected.class_counts);
  EXPECT_EQ(summary.nodes, expected.nodes);
  EXPECT_EQ(summary.min_nodes, expected.min_nodes);
  EXPECT_EQ(summary.max_nodes, expected.max_nodes);
  EXPECT_EQ(summary.edges, expected.edges);
  EXPECT_EQ(summary.max_degree, expected.max_degree);
  EXPECT_EQ(summary.isolated_nodes, expected.isolated_nodes);
  EXPECT_EQ(summary.distinct_node_labels, expected.node_labels);
  EXPECT_EQ(summary.attributes, expected.attributes);
  EXPECT_EQ(dataset.dropped_self_loops, expected.self_loops);
  EXPECT_EQ(dataset.dropped_duplicate_edges, expected.duplicates);
}

TEST(RealData, TuSets) {
  UNSCATTER_REQUIRE_DATA(data);
  for (const Expected& expected : std::vector<Expected>{
           {"IMDB-BINARY/IMDB-BINARY.zip", {"0", "1"}, {500, 500}, 19773, 12, 136, 96531, 135, 0, 0, 0, 0, 193062},
           {"PROTEINS/PROTEINS.zip", {"1", "2"}, {663, 450}, 43471, 4, 620, 81044, 25, 5, 3, 1, 0, 0},
           {"IMDB-MULTI/IMDB-MULTI.zip", {"1", "2", "3"}, {500, 500, 500}, 19502, 7, 89, 98903, 88, 0, 0, 0, 0, 197806},
           {"MUTAG/MUTAG.zip", {"-1", "1"}, {63, 125}, 3371, 10, 28, 3721, 4, 0, 7, 0, 0, 0},
           {"NCI1/NCI1.zip", {"0", "1"}, {2053, 2057}, 122747, 3, 111, 132753, 4, 428, 37, 0, 0, 0},
           {"ENZYMES/ENZYMES.zip",
            {"1", "2", "3", "4", "5", "6"},
            {100, 100, 100, 100, 100, 100},
            19580,
            2,
            126,
            37282,
            9,
            106,
            3,
            18,
            0,
            0},
           {"REDDIT-BINARY/REDDIT-BINARY.zip",
            {"-1", "1"},
            {1000, 1000},
            859254,
            6,
            3782,
            995508,
            3062,
            21,
            0,
            0,
            0,
            0}}) {
    SCOPED_TRACE(expected.path);
    const Result<Dataset> dataset = read_dataset(data / expected.path);
    ASSERT_TRUE(dataset.ok()) << dataset.error().message;
    expect_counts(*dataset, expected);
  }
}

TEST(RealData, CollabInBothForms) {
  if (testing::kSanitized) GTEST_SKIP() << kSmallerOnes;
  UNSCATTER_REQUIRE_DATA(data);
  const Result<Dataset> tu = read_dataset(data / "COLLAB/COLLAB.zip");
  ASSERT_TRUE(tu.ok()) << tu.error().message;
  const Result<Dataset> gin = read_dataset(data / "COLLAB/COLLAB_gin.zip");
  ASSERT_TRUE(gin.ok()) << gin.error().message;
  Expected expected = {"", {"1", "2", "3"}, {2600, 775, 1625}, 372474, 32, 492, 12286079, 491, 0, 0, 0, 2837, 0};
  expect_counts(*tu, expected);
  expected.class_names = {"0", "1", "2"};
  expect_counts(*gin, expected);
  EXPECT_TRUE(tu->graphs == gin->graphs);
  EXPECT_EQ(tu->labels, gin->labels);
}

void expect_superpixels(const std::filesystem::path& path, Expected expected) {
  expected.class_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const Result<Dataset> dataset = read_dataset(path);
  ASSERT_TRUE(dataset.ok()) << dataset.error().message;
  expect_counts(*dataset, expected);
  EXPECT_TRUE(dataset->graphs.front().directed() && dataset->graphs.front().has_positions());
  for (const Graph& graph : dataset->graphs) ASSERT_EQ(graph.entry_count(), 8 * graph.node_count());
  for (std::size_t i = 0; i < dataset->graphs[7].node_count(); ++i) {
    for (const double value : dataset->graphs[7].attributes(i)) EXPECT_TRUE(value >= 0 && value <= 1);
  }
}

TEST(RealData, Mnist) {
  UNSCATTER_REQUIRE_DATA(data);
  expect_superpixels(data / "MNIST/MNIST_superpixels_train.npz",
                     {"",
                      {},
                      {5444, 6179, 5470, 5638, 5307, 4987, 5417, 5715, 5389, 5454},
                      3880965,
                      40,
                      75,
                      31047720,
                      18,
                      0,
                      0,
                      1,
                      0,
                      0});
}

// Read undirected, as a transform that needs symmetry would.
TEST(RealData, CifarSymmetrised) {
  if (testing::kSanitized) GTEST_SKIP() << kSmallerOnes;
  UNSCATTER_REQUIRE_DATA(data);
  const Result<Dataset> dataset = read_dataset(data / "CIFAR10/CIFAR10_superpixels_train.npz", {.symmetrise = true});
  ASSERT_TRUE(dataset.ok()) << dataset.error().message;
  const DatasetSummary summary = summarise(*dataset);
  EXPECT_EQ(summary.graphs, 45000u);
  EXPECT_EQ(summary.class_counts,
            (std::vector<std::size_t>{4495, 4540, 4481, 4514, 4481, 4512, 4481, 4514, 4480, 4502}));
  EXPECT_EQ(summary.nodes, 5294201u);
  EXPECT_EQ(summary.min_nodes, 85u);
  EXPECT_EQ(summary.max_nodes, 150u);
  EXPECT_FALSE(summary.directed);
  EXPECT_EQ(summary.max_degree, 19u);
  EXPECT_EQ(summary.attributes, 3u);
  EXPECT_NEAR(static_cast<double>(summary.edges) / 45000, 564.96, 0.005);
}

}  // namespace
}  // namespace unscatter
