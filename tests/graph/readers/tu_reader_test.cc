#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "graph/readers/entry_points.h"
#include "support/make_archive.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

using testing::make_zip;
using testing::TemporaryFolder;
using testing::ZipMethod;

// Two graphs: a path 1 - 2 - 3 and a pair 4 - 5 with an isolated node 6.  Suffix -> content.
using TuTexts = std::map<std::string, std::string>;
TuTexts small_texts() {
  return {{"A", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"},
          {"graph_indicator", "1\n1\n1\n2\n2\n2\n"},
          {"graph_labels", "1\n-1\n"},
          {"node_labels", "5\n0\n5\n1\n1\n2\n"},
          {"node_attributes", "0.5, 1\n-2e3, 2\n0, 3\n1, 4\n1.25,5\n0, 6\n"}};
}

testing::ArchiveMembers members(const TuTexts& texts, const std::string& prefix = "T/T_") {
  testing::ArchiveMembers result;
  for (const auto& [suffix, text] : texts) result.emplace_back(prefix + suffix + ".txt", text);
  return result;
}

Result<Dataset> read_texts(const TuTexts& texts, const ReadOptions& options = {}) {
  const std::string zip = make_zip(members(texts));
  return readers::read_tu(readers::Input::memory("T.zip", zip), options);
}

void expect_small_set(const Dataset& dataset) {
  EXPECT_EQ(dataset.name, "T");
  ASSERT_EQ(dataset.size(), 2u);
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::uint32_t>{1, 0}));
  const Graph& path = dataset.graphs[0];
  EXPECT_EQ(path.edge_count(), 2u);
  EXPECT_TRUE(path.has_edge(0, 1) && path.has_edge(2, 1) && !path.has_edge(0, 2));
  EXPECT_FALSE(path.directed());
  EXPECT_EQ(path.label(2), 5);
  EXPECT_EQ(path.attributes(1)[0], -2000.0);
  const Graph& pair = dataset.graphs[1];
  EXPECT_EQ(pair.node_count(), 3u);
  EXPECT_EQ(pair.degree(2), 0u);
  EXPECT_EQ(pair.attributes(1)[0], 1.25);
  EXPECT_EQ(pair.attributes(2)[1], 6.0);
}

TEST(ReadTu, FolderAndEveryKindOfZip) {
  const TemporaryFolder folder;
  for (const auto& [suffix, text] : small_texts()) folder.write("set/T_" + suffix + ".txt", text);
  expect_small_set(read_tu(folder.path() / "set").value());
  expect_small_set(read_dataset(folder.path() / "set").value());

  for (const ZipMethod method : {ZipMethod::kStored, ZipMethod::kDeflate}) {
    for (const char* prefix : {"T_", "T/T_", "T//T_", "a/b/T_"}) {
      const auto path = folder.write("T.zip", make_zip(members(small_texts(), prefix), method));
      expect_small_set(read_tu(path).value());
      expect_small_set(read_dataset(path).value());
    }
  }
}

TEST(ReadTu, IgnoresFilesThatAreNotTheSets) {
  TuTexts texts = small_texts();
  texts["edge_labels"] = "not even numbers";
  testing::ArchiveMembers all = members(texts);
  all.emplace_back("__MACOSX/T/._T_A.txt", "x");
  all.emplace_back("T/README.txt", "text");
  const std::string zip = make_zip(all);
  expect_small_set(readers::read_tu(readers::Input::memory("T.zip", zip), {}).value());
}

TEST(ReadTu, LineEndsDoNotMatter) {
  TuTexts windows = small_texts();
  for (auto& [suffix, text] : windows) {
    std::string changed;
    for (const char c : text) changed += c == '\n' ? std::string("\r\n") : std::string(1, c);
    text = changed;
  }
  expect_small_set(read_texts(windows).value());
  TuTexts bare = small_texts();
  for (auto& [suffix, text] : bare) text.pop_back();
  expect_small_set(read_texts(bare).value());
  TuTexts blank = small_texts();
  for (auto& [suffix, text] : blank) text += "\n \r\n\n";
  expect_small_set(read_texts(blank).value());
}

TEST(ReadTu, MissingReverseDirectionIsAdded) {
  TuTexts texts = small_texts();
  texts["A"] = "1, 2\n3, 2\n5, 4\n";
  expect_small_set(read_texts(texts).value());
}

TEST(ReadTu, DropsAndCountsLoopsAndSurplusRows) {
  TuTexts texts = small_texts();
  texts["A"] += "1, 2\n1, 2\n2, 1\n3, 3\n3, 3\n";
  const Dataset dataset = read_texts(texts).value();
  expect_small_set(dataset);
  EXPECT_EQ(dataset.dropped_duplicate_edges, 3u);
  EXPECT_EQ(dataset.dropped_self_loops, 2u);
}

TEST(ReadTu, NoEdgesAtAll) {
  TuTexts texts = small_texts();
  texts["A"] = "";
  EXPECT_EQ(summarise(read_texts(texts).value()).isolated_nodes, 6u);
}

// Three members compressed by LZMA (zip method 14), which libarchive reads but does not write.
constexpr std::string_view kLzmaZip =
    "504b03043f0002000e000000210096d8653e250000001400000009000000542f545f412e747874090405005d0000800000188b0022d51654"
    "b54c87501ee2b5d6f5f387f7f567ffff7b860000504b03043f0002000e0000002100fe17b357190000000800000017000000542f545f6772"
    "6170685f696e64696361746f722e747874090405005d000080000018829c0465a3083fffffff80200000504b03043f0002000e0000002100"
    "50bdc323180000000500000014000000542f545f67726170685f6c6162656c732e747874090405005d0000800000188281dc6bd1c4af7fff"
    "fd20e000504b01023f033f0002000e000000210096d8653e2500000014000000090000000000000000000000800100000000542f545f412e"
    "747874504b01023f033f0002000e0000002100fe17b357190000000800000017000000000000000000000080014c000000542f545f677261"
    "70685f696e64696361746f722e747874504b01023f033f0002000e000000210050bdc3231800000005000000140000000000000000000000"
    "80019a000000542f545f67726170685f6c6162656c732e747874504b05060000000003000300be000000e40000000000";

TEST(ReadTu, LzmaMembers) {
  std::string zip;
  for (std::size_t k = 0; k < kLzmaZip.size(); k += 2) {
    unsigned value = 0;
    std::from_chars(kLzmaZip.data() + k, kLzmaZip.data() + k + 2, value, 16);
    zip += static_cast<char>(value);
  }
  const Dataset dataset = readers::read_tu(readers::Input::memory("T.zip", zip), {}).value();
  ASSERT_EQ(dataset.size(), 2u);
  EXPECT_TRUE(dataset.graphs[1].has_edge(0, 1));
}

struct MalformedCase {
  const char* suffix;
  const char* content;  // null: the file is left out
  const char* message;
};

TEST(ReadTu, MalformedInputIsNamed) {
  const std::vector<MalformedCase> cases = {
      {"A", "1, 2\n0, 1\n", "T.zip/T/T_A.txt, line 2: node 0 is not among the nodes 1 to 6"},
      {"A", "-3, 1\n", "line 1: node -3 is not among the nodes 1 to 6"},
      {"A", "1, 7\n", "line 1: node 7 is not among the nodes 1 to 6"},
      {"A", "1, 99999999999999999999\n", "line 1: '99999999999999999999' is not a node number"},
      {"A", "1, 2\n\n2, 1\n", "line 2: the line is empty, but others follow"},
      {"A", "1, x\n", "line 1: 'x' is not a node number"},
      {"A", "1, 1.5\n", "line 1: '1.5' is not a node number"},
      {"A", "1\n", "line 1: '1' is not an edge 'i, j'"},
      {"A", "1, 2, 3\n", "line 1: an edge is followed by '3'"},
      {"A", "1, 2\n3, 4\n", "line 2: edge 3, 4 joins graph 1 and graph 2"},
      {"A", nullptr, "T.zip: no file whose name ends in _A.txt"},
      {"graph_indicator", nullptr, "T.zip: 'T/T_graph_indicator.txt' is missing"},
      {"graph_indicator", "", "T.zip/T/T_graph_indicator.txt: the file is empty"},
      {"graph_indicator", "1\n2\n1\n2\n2\n2\n", "line 3: graph number 1 after 2: they must not descend"},
      {"graph_indicator", "1\n1\n3\n3\n3\n3\n", "line 3: graph 2 has no nodes"},
      {"graph_indicator", "2\n2\n", "line 1: graph 1 has no nodes"},
      {"graph_indicator", "10000000000\n", "line 1: graph 1 has no nodes"},
      {"graph_indicator", "0\n", "line 1: graph number 0 is below 1"},
      {"graph_indicator", "1\nb\n", "line 2: graph number 'b' is not an integer"},
      {"graph_labels", nullptr, "T.zip: 'T/T_graph_labels.txt' is missing"},
      {"graph_labels", "", "T.zip/T/T_graph_labels.txt: 0 graph labels for 2 graphs"},
      {"graph_labels", "1\n", "T.zip/T/T_graph_labels.txt: 1 graph labels for 2 graphs"},
      {"graph_labels", "1\n2\n1\n", "line 3: more graph labels than the 2 graphs"},
      {"graph_labels", "1\ncat\n", "line 2: graph label 'cat' is not an integer"},
      {"graph_labels", "1\n1 2\n", "line 2: graph label is followed by '2'"},
      {"node_labels", "1\n1\n1\n1\n1\n", "T.zip/T/T_node_labels.txt: 5 node labels for 6 nodes"},
      {"node_labels", "1\n1\n1\n1\n1\n1\n1\n", "line 7: more node labels than the 6 nodes"},
      {"node_labels", "1\n1.5\n", "line 2: node label '1.5' is not an integer"},
      {"node_attributes", "1, 2\n1\n", "line 2: 1 attributes where the rows before have 2"},
      {"node_attributes", "1\nnan\n", "line 2: attribute 'nan' is not finite"},
      {"node_attributes", "1\n-inf\n", "line 2: attribute '-inf' is not finite"},
      {"node_attributes", "1\n1e999\n", "line 2: attribute '1e999' is not a number"},
      {"node_attributes", "1\nabc\n", "line 2: attribute 'abc' is not a number"},
      {"node_attributes", "1\n1,,2\n", "line 2: attribute ',' is not a number"},
      {"node_attributes", "1\n1\n", "T.zip/T/T_node_attributes.txt: 2 attribute rows for 6 nodes"},
      {"node_attributes", "1\n1\n1\n1\n1\n1\n1\n", "line 7: more attribute rows than the 6 nodes"},
  };
  for (const MalformedCase& c : cases) {
    SCOPED_TRACE(c.message);
    TuTexts texts = small_texts();
    if (c.content != nullptr) {
      texts[c.suffix] = c.content;
    } else {
      texts.erase(c.suffix);
    }
    const Result<Dataset> dataset = read_texts(texts);
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(dataset.error().message.find(c.message), std::string::npos) << dataset.error().message;
  }
}

TEST(ReadTu, LimitsAreKept) {
  for (const ReadLimits limits : {ReadLimits{.max_nodes = 5}, ReadLimits{.max_edges = 5}, ReadLimits{.max_graphs = 1},
                                  ReadLimits{.max_bytes = 90}}) {
    const Result<Dataset> dataset = read_texts(small_texts(), {.limits = limits});
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::kLimitExceeded) << dataset.error().message;
  }
  const ReadLimits exact = {.max_bytes = 200, .max_nodes = 6, .max_edges = 6, .max_graphs = 2};
  EXPECT_TRUE(read_texts(small_texts(), {.limits = exact}).ok());
}

TEST(ReadTu, TwoSetsInOneArchiveAreRefused) {
  testing::ArchiveMembers all = members(small_texts());
  all.emplace_back("U/U_A.txt", "1, 2\n");
  const std::string zip = make_zip(all);
  const Result<Dataset> dataset = readers::read_tu(readers::Input::memory("T.zip", zip), {});
  EXPECT_EQ(dataset.error().message, "T.zip: two data sets, 'T/T_A.txt' and 'U/U_A.txt'");
}

TEST(ReadTu, MissingPathIsNotFound) { EXPECT_EQ(read_tu("/nonexistent/T.zip").error().code, ErrorCode::kNotFound); }

class CountingProgress final : public Progress {
 public:
  void begin(std::string_view stage, std::size_t total) override {
    stages += std::string(stage) + ";";
    totals += total;
  }
  void advance(std::size_t units) override { done += units; }
  void end() override { ++ended; }
  std::string stages;
  std::size_t totals = 0;
  std::size_t done = 0;
  int ended = 0;
};

TEST(ReadTu, ReportsProgressByBytesAndGraphs) {
  CountingProgress progress;
  ASSERT_TRUE(read_texts(small_texts(), {.threads = 1, .progress = &progress}).ok());
  EXPECT_EQ(progress.done, progress.totals);
  EXPECT_EQ(progress.ended, 6);
  EXPECT_NE(progress.stages.find("T_A.txt;building graphs;"), std::string::npos);
}

}  // namespace
}  // namespace unscatter
