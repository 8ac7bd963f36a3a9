#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/readers/entry_points.h"
#include "support/make_archive.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

constexpr const char* kSmallSet = "2\n3 1\n0 1 1\n0 2 0 2\n0 1 1\n2 0\n0 0\n0 0\n";

Result<Dataset> read_gin_text(std::string_view text, const ReadOptions& options = {}) {
  return readers::read_gin(readers::Input::memory("g.txt", text), options);
}

TEST(ReadGin, PlainAndZip) {
  const testing::TemporaryFolder folder;
  const auto plain = folder.write("small.txt", kSmallSet);
  const auto zip = folder.write("packed.zip", testing::make_zip({{"small/small.txt", kSmallSet}}));
  for (const auto& path : {plain, zip}) {
    const Dataset dataset = read_dataset(path).value();
    EXPECT_EQ(dataset.name, "small");
    ASSERT_EQ(dataset.size(), 2u);
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"0", "1"}));
    EXPECT_EQ(dataset.labels, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(dataset.graphs[0].edge_count(), 2u);
    EXPECT_EQ(dataset.graphs[1].edge_count(), 0u);
    EXPECT_FALSE(dataset.graphs[0].has_labels());
  }
}

TEST(ReadGin, TagsAreLabelsUnlessAllAreEqual) {
  const Dataset dataset = read_gin_text("2\n1 0\n7 0\n1 0\n-2 0\n").value();
  EXPECT_EQ(dataset.graphs[0].label(0), 7);
  EXPECT_EQ(dataset.graphs[1].label(0), -2);
}

TEST(ReadGin, LoopsAndRepetitionsAreCounted) {
  const Dataset dataset = read_gin_text("1\n2 0\n0 3 0 1 1\n0 1 0").value();
  EXPECT_EQ(dataset.dropped_self_loops, 1u);
  EXPECT_EQ(dataset.dropped_duplicate_edges, 1u);
  EXPECT_EQ(dataset.graphs[0].edge_count(), 1u);
}

TEST(ReadGin, MalformedInputIsNamed) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {"", "g.txt: the file is empty"},
           {"x\n", "g.txt, line 1: number of graphs 'x' is not an integer"},
           {"0\n", "g.txt, line 1: number of graphs 0 is below 1"},
           {"10000000000\n", "g.txt, line 1: more than the 67108864 graphs that the limits allow"},
           {"60000000\n1 0\n0 0\n", "g.txt: ends after 1 of 60000000 graphs"},
           {"1\n10000000000 0\n", "g.txt, line 2: more than the 268435456 nodes that the limits allow"},
           {"1\n200000000 0\n0 0\n", "g.txt: ends after 1 of 200000000 nodes of graph 0"},
           {"1\n0 0\n", "g.txt, line 2: graph without nodes"},
           {"1\n-1 0\n", "g.txt, line 2: number of nodes '-1' is not a count"},
           {"1\n1\n0 0\n", "g.txt, line 2: the class label is missing"},
           {"1\n1 a\n0 0\n", "g.txt, line 2: class label 'a' is not an integer"},
           {"1\n1 0 0\n0 0\n", "g.txt, line 2: 'n l' is followed by '0'"},
           {"1\n2 0\n0 1 2\n0 0\n", "g.txt, line 3: neighbour 2 in a graph of 2 nodes"},
           {"1\n2 0\n0 1 -1\n0 0\n", "g.txt, line 3: neighbour '-1' is not a node number"},
           {"1\n2 0\n0 2 1\n0 0\n", "g.txt, line 3: 1 neighbours where 2 are announced"},
           {"1\n2 0\n0 0 1\n0 0\n", "g.txt, line 3: 1 neighbours where 0 are announced"},
           {"1\n2 0\n0 9999999999 1\n0 0\n", "g.txt, line 3: 1 neighbours where 9999999999 are announced"},
           {"1\n2 0\nnan 0\n0 0\n", "g.txt, line 3: node tag 'nan' is not an integer"},
           {"1\n2 0\n0\n0 0\n", "g.txt, line 3: number of neighbours '' is not a count"},
           {"1\n1 0\n0 0\n\n1 0\n", "g.txt, line 4: the line is empty, but others follow"},
           {"1\n1 0\n0 0\n1 0\n", "g.txt, line 4: '1 0' after the last of 1 graphs"},
       }) {
    const Result<Dataset> dataset = read_gin_text(c.text);
    ASSERT_FALSE(dataset.ok()) << c.message;
    EXPECT_EQ(dataset.error().message, c.message);
  }
}

TEST(ReadGin, AnArchiveHasOneMember) {
  const std::string zip = testing::make_zip({{"a.txt", kSmallSet}, {"b.txt", kSmallSet}});
  EXPECT_EQ(readers::read_gin(readers::Input::memory("g.zip", zip), {}).error().message,
            "g.zip: 2 members where a GIN archive has exactly one");
}

TEST(ReadGin, LimitsAreKept) {
  for (const ReadLimits limits : {ReadLimits{.max_bytes = 10}, ReadLimits{.max_nodes = 4}, ReadLimits{.max_edges = 3},
                                  ReadLimits{.max_graphs = 1}}) {
    const Result<Dataset> dataset = read_gin_text(kSmallSet, {.limits = limits});
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::kLimitExceeded) << dataset.error().message;
  }
}

}  // namespace
}  // namespace unscatter
