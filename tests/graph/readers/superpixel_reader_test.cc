#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/readers/entry_points.h"
#include "support/make_archive.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

using testing::bytes_of;
using testing::make_npy;

// Graph 0: 0 -> 1, 2; 1 -> 2 twice; 2 -> 0, 1.  Graph 1: 0 -> 1 twice; 1 -> 1, 0.
using Arrays = std::map<std::string, std::string>;
Arrays small_arrays() {
  return {{"node_offsets", make_npy("<i4", "(3,)", bytes_of<std::int32_t>({0, 3, 5}))},
          {"labels", make_npy("|u1", "(2,)", std::string("\x07\x02"))},
          {"x", make_npy("<f2", "(5, 1)", bytes_of<std::uint16_t>({0x3c00, 0x3800, 0, 0x3400, 0x3c00}))},
          {"pos", make_npy("<f2", "(5, 2)", bytes_of<std::uint16_t>({0, 0x3c00, 0, 0, 0, 0, 0, 0, 0x3800, 0}))},
          {"nbr_delta", make_npy("|u1", "(5, 2)", std::string("\x01\x02\x01\x01\xfe\xff\x01\x01\x00\xff", 10))}};
}

Result<Dataset> read_arrays(const Arrays& arrays, const ReadOptions& options = {}) {
  testing::ArchiveMembers members;
  for (const auto& [name, bytes] : arrays) members.emplace_back(name + ".npy", bytes);
  const std::string npz = testing::make_zip(members);
  return readers::read_superpixels(readers::Input::memory("s.npz", npz), options);
}

TEST(ReadSuperpixels, DirectedEdgesAttributesPositions) {
  const Dataset dataset = read_arrays(small_arrays()).value();
  EXPECT_EQ(dataset.name, "s");
  ASSERT_EQ(dataset.size(), 2u);
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"2", "7"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::uint32_t>{1, 0}));
  const Graph& triangle = dataset.graphs[0];  // 0 -> 1, 0 -> 2, 1 -> 2 (twice), 2 -> 0, 2 -> 1
  EXPECT_TRUE(triangle.directed());
  EXPECT_EQ(triangle.edge_count(), 5u);
  EXPECT_TRUE(triangle.has_edge(1, 2) && !triangle.has_edge(1, 0));
  EXPECT_EQ(std::vector<NodeIndex>(triangle.neighbours(0).begin(), triangle.neighbours(0).end()),
            std::vector<NodeIndex>{2});
  EXPECT_EQ(triangle.attributes(1)[0], 0.5);
  EXPECT_EQ(triangle.position(0)[1], 1.0);
  EXPECT_EQ(dataset.graphs[1].attributes(0)[0], 0.25);
  EXPECT_EQ(dataset.dropped_duplicate_edges, 2u);
  EXPECT_EQ(dataset.dropped_self_loops, 1u);
}

TEST(ReadSuperpixels, SymmetriseMeansSymmetrised) {
  const Dataset directed = read_arrays(small_arrays()).value();
  const Dataset undirected = read_arrays(small_arrays(), {.symmetrise = true}).value();
  for (std::size_t g = 0; g < directed.size(); ++g) EXPECT_EQ(undirected.graphs[g], symmetrised(directed.graphs[g]));
}

TEST(ReadSuperpixels, MalformedInputIsNamed) {
  struct Case {
    const char* array;
    std::string bytes;  // empty: left out
    const char* message;
  };
  const auto offsets = [](const char* shape, const std::vector<std::int32_t>& values) {
    return make_npy("<i4", shape, bytes_of(values));
  };
  for (const Case& c : std::vector<Case>{
           {"x", "", "s.npz: no member 'x.npy'"},
           {"node_offsets", offsets("(1,)", {0}), "s.npz/node_offsets.npy: 1 offsets, not even one graph"},
           {"node_offsets", offsets("(3,)", {1, 3, 5}), "s.npz/node_offsets.npy: the first offset is 1, not 0"},
           {"node_offsets", offsets("(3,)", {0, 5, 5}), "s.npz/node_offsets.npy: graph 1 has 0 nodes"},
           {"node_offsets", offsets("(3,)", {0, 5, -2000000000}),
            "s.npz/node_offsets.npy: graph 1 has -2000000005 nodes"},
           {"node_offsets", offsets("(3,)", {0, 3, 300}),
            "s.npz/node_offsets.npy: graph 1 has 297 nodes, more than 256"},
           {"node_offsets", offsets("(3,)", {0, 3, 6}), "s.npz/x.npy: 5 entries for 6 nodes"},
           {"labels", make_npy("|u1", "(1,)", "\x01"), "s.npz/labels.npy: 1 entries for 2 graphs"},
           {"pos", make_npy("<f2", "(5, 1)", std::string(10, '\0')), "s.npz/pos.npy: 1 entries for 2 coordinates"},
           {"x", make_npy("<f2", "(5, 1)", bytes_of<std::uint16_t>({0, 0, 0, 0x7e00, 0})),
            "s.npz: graph 1: node 0: attribute nan is not finite"},
           {"nbr_delta", make_npy("|u1", "(5, 1)", std::string("\x01\x01\x01\x01\x01")),
            "s.npz/nbr_delta.npy: graph 0, node 2: neighbour 3 of 3 nodes"},
           {"nbr_delta", make_npy("|u1", "(5000000000, 2)", "\x01"), "ends after 1 of the 10000000000 bytes it claims"},
       }) {
    SCOPED_TRACE(c.message);
    Arrays arrays = small_arrays();
    if (c.bytes.empty()) {
      arrays.erase(c.array);
    } else {
      arrays[c.array] = c.bytes;
    }
    const Result<Dataset> dataset = read_arrays(arrays);
    ASSERT_FALSE(dataset.ok());
    EXPECT_NE(dataset.error().message.find(c.message), std::string::npos) << dataset.error().message;
  }
}

TEST(ReadSuperpixels, LimitsAreKept) {
  for (const ReadLimits limits : {ReadLimits{.max_bytes = 300}, ReadLimits{.max_nodes = 4}, ReadLimits{.max_edges = 9},
                                  ReadLimits{.max_graphs = 1}}) {
    const Result<Dataset> dataset = read_arrays(small_arrays(), {.limits = limits});
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::kLimitExceeded) << dataset.error().message;
  }
}

}  // namespace
}  // namespace unscatter
