#include "store/graph_blob.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/check_graph_blob.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

using Blob = std::vector<std::byte>;

Graph edited_graph(const Graph& graph, const GraphEdit& edit) { return std::move(*apply(graph, edit).value()); }

// All combinations of parts, with what removals leave.
std::vector<Graph> blob_graphs() {
  std::vector<Graph> graphs;
  for (std::uint64_t mask = 0; mask < 128; ++mask) {
    testing::RandomGraphOptions options{.nodes = 1 + mask % 13, .edge_probability = 0.3};
    options.directed = (mask & 1) != 0;
    options.attributes = (mask & 2) != 0 ? 1 + mask % 3 : 0;
    options.label_values = (mask & 4) != 0 ? 5 : 0;
    options.positions = (mask & 8) != 0;
    options.node_ids = (mask & 16) != 0;
    options.weights = (mask & 64) != 0;
    Graph graph = testing::random_graph(mask, options);
    if ((mask & 32) != 0 && graph.node_count() > 2) {
      graph = edited_graph(graph, RemoveFeatures{0});
      graph = edited_graph(graph, RemoveNode{1, NodeRemoval::kTombstone});
    }
    graphs.push_back(std::move(graph));
  }
  graphs.push_back(testing::random_graph(99, testing::kRichGraph));
  graphs.push_back(testing::random_graph(99, testing::kWeightedGraph));
  return graphs;
}

Blob rich_blob() {
  Graph graph = testing::random_graph(7, testing::kRichGraph);
  graph = edited_graph(graph, RemoveFeatures{3});
  return to_blob(edited_graph(graph, RemoveNode{5, NodeRemoval::kTombstone}));
}

// The process may map this many bytes more while it lives.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more;
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(GraphBlob, IdsAreReadWithoutTheGraph) {
  std::size_t with_ids = 0;
  for (const Graph& graph : blob_graphs()) {
    const Blob blob = to_blob(graph);
    std::vector<std::string_view> expected;
    for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
      if (graph.state(i) != NodeState::kTombstone) expected.emplace_back(graph.node_id(i));
    }
    if (!expected.empty()) ++with_ids;
    const Result<std::vector<std::string_view>> ids = node_ids_in_blob(blob);
    ASSERT_TRUE(ids.ok()) << ids.error().message;
    EXPECT_EQ(*ids, expected);
    // Too few bytes are an error, or all ids lie before the end.
    for (std::size_t size = 0; size < blob.size(); ++size) {
      const auto fewer = node_ids_in_blob(std::span(blob).first(size));
      EXPECT_TRUE(!fewer.ok() || fewer->empty() || *fewer == expected) << size;
    }
  }
  EXPECT_GT(with_ids, 30u);
}

TEST(GraphBlob, EveryGraphIsReadBack) {
  for (const Graph& graph : blob_graphs()) {
    const Blob blob = to_blob(graph);
    const Result<Graph> read = graph_from_blob(blob);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, graph);
    EXPECT_EQ(to_blob(*read), blob);
    EXPECT_EQ(blob.capacity(), blob.size()) << "the vector grew, and left copies behind";
  }
}

TEST(GraphBlob, KeepsExtremeValues) {
  GraphParts parts;
  parts.node_count = 2;
  parts.attribute_count = 2;
  parts.attributes = {5e-324, std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 0.1};
  parts.labels = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  parts.node_ids = {std::string("\0\xff\n", 3), std::string(1000, 'x')};
  const Graph graph = Graph::create(parts).value();
  EXPECT_EQ(graph_from_blob(to_blob(graph)).value(), graph);
}

// Graphs compare equal whatever the sign of a zero is.
TEST(GraphBlob, EqualGraphsGiveEqualBytes) {
  GraphParts parts;
  parts.node_count = 1;
  parts.attribute_count = 1;
  parts.attributes = {-0.0};
  parts.positions = {-0.0, 1};
  const Graph negative = Graph::create(parts).value();
  parts.attributes = {0.0};
  parts.positions = {0.0, 1};
  const Graph positive = Graph::create(parts).value();
  ASSERT_EQ(negative, positive);
  EXPECT_EQ(to_blob(negative), to_blob(positive));
}

// Planted: each is a spelling that a lax reader would take for the same graph.
TEST(GraphBlob, OneGraphHasOneSpelling) {
  GraphParts parts;
  parts.node_count = 1;
  parts.positions = {0, 1};
  Blob blob = to_blob(Graph::create(parts).value());
  ASSERT_EQ(blob.size(), 10u + 4u + 16u);
  blob[21] = std::byte{0x80};  // the sign of the first coordinate
  EXPECT_NE(graph_from_blob(blob).error().message.find("spelled"), std::string::npos);

  Blob marked = to_blob(testing::random_graph(1, {.nodes = 4}));
  marked[1] |= std::byte{32};
  marked.insert(marked.end(), 4, std::byte{0});  // states that say nothing
  EXPECT_NE(graph_from_blob(marked).error().message.find("spelled"), std::string::npos);
  marked.back() = std::byte{3};
  EXPECT_NE(graph_from_blob(marked).error().message.find("state"), std::string::npos);

  Blob none = to_blob(testing::random_graph(1, {.nodes = 4}));
  none[1] |= std::byte{2};
  none.insert(none.begin() + 10, 4, std::byte{0});  // attributes, 0 of them
  EXPECT_NE(graph_from_blob(none).error().message.find("spelled"), std::string::npos);
}

TEST(GraphBlob, RefusesOtherVersionsPartsAndLengths) {
  const Blob good = rich_blob();
  const auto refused = [](const Blob& blob, std::string_view reason) {
    const Result<Graph> graph = graph_from_blob(blob);
    ASSERT_FALSE(graph.ok());
    EXPECT_EQ(graph.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(graph.error().message.find(reason), std::string::npos) << graph.error().message;
  };
  Blob blob = good;
  blob[0] = std::byte{3};
  refused(blob, "version 3");
  blob = good;
  blob[1] |= std::byte{128};
  refused(blob, "unknown part");
  // Weights belong to version 2, and version 2 has weights: one graph, one spelling.
  blob = good;
  blob[0] = std::byte{2};
  refused(blob, "does not fit");
  blob = good;
  blob[1] |= std::byte{64};
  refused(blob, "does not fit");
  blob = good;
  blob.push_back(std::byte{0});
  refused(blob, "go on");
  refused({}, "too early");
  blob = good;
  for (std::size_t i = 2; i < 6; ++i) blob[i] = std::byte{0};
  refused(blob, "");
  for (std::size_t size = 0; size < good.size(); ++size)
    refused(Blob(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)), "");
}

// Counts that no small blob can have, with room for 64 MiB more than the process has now.
TEST(GraphBlob, AsksForNoMemoryBeforeTheBytesAreThere) {
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers need the address space for themselves";
  std::size_t accepted = 0;
  std::size_t wrong_code = 0;
  bool limit_works = false;
  {
    const AddressSpaceLimit limit(std::size_t{1} << 26);
    for (std::size_t field = 2; field <= 10; field += 4) {
      for (const int top : {0x7f, 0xff}) {
        Blob blob(50, std::byte{0});
        blob[0] = std::byte{1};
        blob[1] = std::byte{2};
        blob[2] = std::byte{1};
        for (std::size_t i = 0; i < 4; ++i) blob[field + i] = static_cast<std::byte>(i == 3 ? top : 0xff);
        const Result<Graph> graph = graph_from_blob(blob);
        accepted += graph.ok() ? 1u : 0u;
        wrong_code += !graph.ok() && graph.error().code != ErrorCode::kMalformedInput ? 1u : 0u;
      }
    }
    try {
      ::operator delete(::operator new (std::size_t{1} << 30));
    } catch (const std::bad_alloc&) {
      limit_works = true;
    }
  }
  EXPECT_EQ(accepted, 0u);
  EXPECT_EQ(wrong_code, 0u);
  EXPECT_TRUE(limit_works) << "the limit would not have noticed";
}

TEST(GraphBlob, WhateverTheBytesAreTheyAreRefusedOrSpelledSo) {
  Sequence random(21);
  const Blob good = rich_blob();
  std::size_t accepted = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    Blob blob = good;
    for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(blob.size()));
      const std::uint64_t kind = random.below(8);
      if (kind == 0) blob.erase(blob.begin() + at);
      if (kind == 1) blob.insert(blob.begin() + at, static_cast<std::byte>(random.below(256)));
      if (kind > 1) blob[static_cast<std::size_t>(at)] ^= static_cast<std::byte>(1 + random.below(255));
    }
    EXPECT_EQ(fuzz::check_graph_blob(blob), "") << trial;
    accepted += graph_from_blob(blob).ok() ? 1u : 0u;
  }
  EXPECT_GT(accepted, 100u);  // changed attributes are another graph; the property is not about errors only
}

}  // namespace
}  // namespace unscatter
