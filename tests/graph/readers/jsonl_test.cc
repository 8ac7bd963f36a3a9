#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/readers/entry_points.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/graph/read.h"

namespace unscatter {
namespace {

Result<Dataset> read_jsonl_text(std::string_view text, const ReadOptions& options = {}) {
  return readers::read_jsonl(readers::Input::memory("d.jsonl", text), options);
}

TEST(ReadJsonl, EveryKey) {
  const Dataset dataset =
      read_jsonl_text(R"({"id":"g1","label":"club","nodes":["ann",7],"edges":[[0,1],[1,0],[1,1],[0,1]],)"
                      R"("features":[[1,2.5],[-3,1e2]],"node_labels":[4,-5],"positions":[[0,0.5],[1,1]]})"
                      "\n"
                      R"({"edges":[[2,0]],"directed":true,"nodes":3,"label":-1,"id":12})"
                      "\n")
          .value();
  EXPECT_EQ(dataset.name, "d");
  EXPECT_EQ(dataset.graph_ids, (std::vector<std::string>{"g1", "12"}));
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"-1", "club"}));
  const Graph& first = dataset.graphs[0];
  EXPECT_EQ(first.node_id(0), "ann");
  EXPECT_EQ(first.node_id(1), "7");
  EXPECT_EQ(first.edge_count(), 1u);
  EXPECT_EQ(first.attributes(1)[1], 100.0);
  EXPECT_EQ(first.label(1), -5);
  EXPECT_EQ(first.position(0)[1], 0.5);
  EXPECT_EQ(dataset.dropped_self_loops, 1u);
  EXPECT_EQ(dataset.dropped_duplicate_edges, 1u);
  const Graph& second = dataset.graphs[1];
  EXPECT_TRUE(second.directed());
  EXPECT_TRUE(second.has_edge(2, 0) && !second.has_edge(0, 2));
  EXPECT_FALSE(read_jsonl_text(R"({"label":1,"nodes":2,"edges":[[0,1]],"directed":true})", {.symmetrise = true})
                   ->graphs[0]
                   .directed());
}

TEST(ReadJsonl, DueDatesOfGraphsAndSubjects) {
  const Dataset dataset = read_jsonl_text(R"({"label":1,"nodes":["ann","bob"],"edges":[]})"
                                          "\n"
                                          R"({"label":1,"nodes":["ann","bob","eve"],"edges":[],)"
                                          R"("expires":"2027-03-01",)"
                                          R"("node_expires":["2027-05-01T12:00:00Z",null,"2029-01-01"]})"
                                          "\n"
                                          R"({"label":1,"nodes":["ann","zoe"],"edges":[],"expires":null,)"
                                          R"("node_expires":["2027-04-01","2028-01-01"],)"
                                          R"("states":["present","tombstone"]})"
                                          "\n")
                              .value();
  using Due = std::optional<std::int64_t>;
  EXPECT_EQ(dataset.due.graphs, (std::vector<Due>{std::nullopt, 1803859200, std::nullopt}));
  // The earliest date of a subject counts.  A node that was removed is nobody any more.
  const std::map<std::string, std::int64_t> subjects = {{"ann", 1806537600}, {"eve", 1861920000}};
  EXPECT_EQ(dataset.due.subjects, subjects);

  const std::vector<std::size_t> last = {2, 1};
  EXPECT_EQ(subset(dataset, last).due.graphs, (std::vector<Due>{std::nullopt, 1803859200}));
  EXPECT_EQ(subset(dataset, last).due.subjects, subjects);
  EXPECT_TRUE(read_jsonl_text(R"({"label":1,"nodes":1,"edges":[]})")->due.graphs.empty());
}

TEST(WriteJsonl, GivesDueDatesBack) {
  const testing::TemporaryFolder folder;
  Dataset dataset = read_jsonl_text(R"({"label":1,"nodes":["ann","bob"],"edges":[],"node_expires":["2027-04-01",null]})"
                                    "\n"
                                    R"({"label":1,"nodes":["ann","bob"],"edges":[],"expires":"2027-03-01T00:00:01Z",)"
                                    R"("node_expires":["2027-04-01",null]})"
                                    "\n"
                                    R"({"label":1,"nodes":["bob"],"edges":[]})"
                                    "\n")
                        .value();
  ASSERT_TRUE(write_jsonl(dataset, folder.path() / "d.jsonl").ok());
  const Dataset again = read_jsonl(folder.path() / "d.jsonl").value();
  EXPECT_EQ(again.due.graphs, dataset.due.graphs);
  EXPECT_EQ(again.due.subjects, dataset.due.subjects);
  // They say how long the content may stay.  They are not part of it.
  EXPECT_EQ(content_digest(again), content_digest(dataset));
  dataset.due.graphs.clear();
  dataset.due.subjects.clear();
  EXPECT_EQ(content_digest(again), content_digest(dataset));
}

Dataset everything() {
  Dataset dataset;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    dataset.graphs.push_back(testing::random_graph(seed, {.nodes = 4 + seed,
                                                          .directed = seed % 2 == 0,
                                                          .attributes = seed % 3,
                                                          .label_values = seed % 2 == 0 ? 5u : 0u,
                                                          .positions = seed % 3 == 0,
                                                          .node_ids = seed % 3 == 1,
                                                          .weights = seed >= 4}));
    dataset.labels.push_back(static_cast<std::uint32_t>(seed % 3));
    dataset.graph_ids.push_back("graph \"" + std::to_string(seed) + "\" \xc3\xa9\n");
  }
  dataset.class_names = {"-1", "007", "text"};
  return dataset;
}

TEST(WriteJsonl, ReadsBackWithTheSameDigest) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "d.jsonl";
  const Dataset dataset = everything();
  ASSERT_TRUE(write_jsonl(dataset, path).ok());
  const Dataset again = read_dataset(path).value();
  EXPECT_EQ(content_digest(again), content_digest(dataset));
  EXPECT_EQ(again.graphs, dataset.graphs);
}

TEST(WriteJsonl, AwkwardDoublesSurvive) {
  const testing::TemporaryFolder folder;
  GraphParts parts;
  parts.node_count = 1;
  parts.attributes = {0.1,
                      -0.0,
                      1e22,
                      9007199254740993.0,
                      18446744073709551616.0,
                      1.0 / 3,
                      std::numeric_limits<double>::denorm_min(),
                      std::numeric_limits<double>::max(),
                      -123456789012345680.0};
  parts.attribute_count = parts.attributes.size();
  Dataset dataset{.name = "",
                  .graphs = {Graph::create(parts).value()},
                  .labels = {0},
                  .class_names = {"a"},
                  .graph_ids = {},
                  .numbers = {}};
  ASSERT_TRUE(write_jsonl(dataset, folder.path() / "d").ok());
  EXPECT_EQ(content_digest(read_jsonl(folder.path() / "d").value()), content_digest(dataset));
}

TEST(WriteJsonl, EditedGraphsKeepTheirStates) {
  const testing::TemporaryFolder folder;
  Dataset dataset = everything();
  for (Graph& graph : dataset.graphs) {
    graph = *apply(graph, RemoveNode{1, NodeRemoval::kTombstone}).value();
    graph = *apply(graph, RemoveFeatures{2}).value();
    graph = *apply(graph, RemoveNode{0}).value();
  }
  ASSERT_TRUE(write_jsonl(dataset, folder.path() / "d").ok());
  const Dataset again = read_jsonl(folder.path() / "d").value();
  EXPECT_EQ(again.graphs, dataset.graphs);
  EXPECT_EQ(content_digest(again), content_digest(dataset));
}

TEST(WriteJsonl, FailureLeavesTheOldFileAndNoLitter) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("d.jsonl", "old");
  Dataset dataset = everything();
  dataset.graph_ids[5] = "\xff";
  const Status status = write_jsonl(dataset, path);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("graph 5 has an id or label that is not UTF-8 text"), std::string::npos);
  EXPECT_EQ(testing::read_whole_file(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
            1);
  EXPECT_EQ(write_jsonl(everything(), "/nonexistent/d.jsonl").error().code, ErrorCode::kIo);
  EXPECT_EQ(write_jsonl(Dataset{}, path).error().code, ErrorCode::kInvalidArgument);
}

TEST(ReadJsonl, MalformedInputIsNamed) {
  struct Case {
    const char* text;
    const char* message;
  };
  const std::string good = R"({"id":1,"label":1,"nodes":1,"edges":[]})";
  for (const Case& c : std::vector<Case>{
           {"", "d.jsonl: the file is empty"},
           {"[1]", "d.jsonl, line 1: a list instead of an object"},
           {"3", "d.jsonl, line 1: 3 instead of an object"},
           {"{\"label\":1",
            "d.jsonl, line 1: byte 11: the line ends before its JSON object does; write every graph on"},
           {"{} {}", "d.jsonl, line 1: byte 4: not valid JSON at '{}'; write every graph as one JSON object on one"},
           {"{}", "d.jsonl, line 1: \"nodes\" is missing; it takes a number of nodes"},
           {R"({"nodes":1,"edges":[]})",
            "d.jsonl, line 1: \"label\" is missing: every graph of a data set has a class; add"},
           {R"({"label":null,"nodes":1,"edges":[]})", "d.jsonl, line 1: \"label\" is missing"},
           {R"({"id":null,"label":1,"nodes":1,"edges":[]})", "\"id\" does not take null there; it takes text or an"},
           {R"({"label":1})", "\"nodes\" is missing"},
           {R"({"label":1,"nodes":2})", "\"edges\" is missing"},
           {R"({"label":1,"nodes":1,"edges":[],"expires":"01.03.2027"})",
            "line 1: \"expires\" does not take '01.03.2027' there; it takes a date such as \"2027-03-01\""},
           {R"({"label":1,"nodes":1,"edges":[],"expires":1803859200})", "\"expires\" does not take 1803859200"},
           {R"({"label":1,"nodes":1,"edges":[],"expires":["2027-03-01"]})", "\"expires\" does not take a list"},
           {R"({"label":1,"nodes":["a"],"edges":[],"node_expires":["2027-02-30"]})",
            "\"node_expires\" does not take '2027-02-30' there"},
           {R"({"label":1,"nodes":["a","b"],"edges":[],"node_expires":["2027-02-03"]})",
            "\"node_expires\": 1 entries for 2 nodes"},
           {R"({"label":1,"nodes":1,"edges":[],"node_expires":["2027-02-03"]})", "but the nodes have no ids"},
           {R"({"label":1,"lable":2})", "unknown key 'lable'; the keys are id, label, nodes, edges"},
           {R"({"label":1,"label":2})", "\"label\" occurs twice; leave one of the two out"},
           {R"({"label":1.5,"nodes":1,"edges":[]})", "\"label\" does not take 1.5 there"},
           {R"({"label":"","nodes":1,"edges":[]})", "\"label\" is empty"},
           {R"({"label":1,"nodes":0,"edges":[]})", "a graph needs at least one node"},
           {R"({"label":1,"nodes":[],"edges":[]})", "\"nodes\" is an empty list"},
           {R"({"label":1,"nodes":-4,"edges":[]})", "\"nodes\" does not take -4 there"},
           {R"({"label":1,"nodes":["a","a"],"edges":[]})", "node id 'a' occurs twice"},
           {R"({"label":1,"nodes":10000000000,"edges":[]})", "10000000000 nodes in a line of 42 bytes"},
           {R"({"label":1,"nodes":2,"edges":[[0,2]]})",
            "edge [0,2] in a graph of 2 nodes; its ends are the positions of nodes, from 0 to 1"},
           {R"({"label":1,"nodes":2,"edges":[[0,-1]]})", "\"edges\" does not take -1 there"},
           {R"({"label":1,"nodes":2,"edges":[[0,4294967296]]})", "\"edges\" does not take 4294967296 there"},
           {R"({"label":1,"nodes":2,"edges":[[0,"b"]]})", "\"edges\" does not take 'b' there"},
           {R"({"label":1,"nodes":2,"edges":[[0,1],[0]]})", "edge 1 of the list has 1 numbers; write [u,v] or [u,v,w"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,1,1]]})", "edge 0 of the list has 4 numbers; write [u,v] or [u,v,"},
           {R"({"label":1,"nodes":2,"edges":[[0,1.0]]})",
            "\"edges\" does not take 1.0 there; it takes a list of [u,v]"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,"2"]]})", "\"edges\" does not take '2' there"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,null]]})", "\"edges\" does not take null there"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,2],[0,1]]})",
            "edge 1 of the list has no weight, unlike those before"},
           {R"({"label":1,"nodes":2,"edges":[[0,1],[0,1,2]]})", "edge 1 of the list has a weight, unlike those before"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,2e300]]})",
            "the weight 2e+300 is too large; weights go from -1e300 to"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,2],[1,0,3]]})", "but the graph is undirected; list the edge in one"},
           {R"({"label":1,"nodes":2,"edges":[[0,1,NaN]]})", "byte 36: NaN stands there; JSON has no such number"},
           {R"({"label":1,"nodes":2,"edges":[0,1]})", "\"edges\" does not take 0 there"},
           {R"({"label":1,"nodes":2,"edges":[[[0]]]})", "\"edges\" does not take a list there"},
           {R"({"label":1,"nodes":2,"edges":{}})", "\"edges\" does not take an object there"},
           {R"({"label":1,"nodes":2,"edges":[],"features":[[1],[1,2]]})", "row 1 has 2 numbers where the first has 1"},
           {R"({"label":1,"nodes":2,"edges":[],"features":[[1]]})", "\"features\": 1 entries for 2 nodes"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[]]})", "\"features\": row 0 is empty"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[NaN]]})",
            "d.jsonl, line 1: byte 46: NaN stands there; JSON has no such number; put a number there, or leave"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[nan]]})", "byte 46: nan stands there; JSON has no such"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[-Infinity]]})",
            "byte 46: -Infinity stands there; JSON has"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[Infinity]]})",
            "byte 46: Infinity stands there; JSON has no"},
           {R"({"label":1,"nodes":1,"edges":[],"directed":True})",
            "byte 44: True stands there; JSON writes it as true"},
           {R"({"label":None,"nodes":1,"edges":[]})", "byte 10: None stands there; JSON writes it as null"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[1,]]})",
            "byte 47: not valid JSON: a comma before ']'; take"},
           {R"({"label":1,"nodes":1,"edges":[],})", "byte 32: not valid JSON: a comma before '}'; take it out"},
           {R"({'label':1})", "byte 2: not valid JSON: a single quote; write double quotes"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[[1e999]]})",
            "'1e999' is a number too large; numbers go up to 1.7e308"},
           {R"({"label":1,"nodes":1,"edges":[],"features":[["x"]]})", "\"features\" does not take 'x' there"},
           {R"({"label":1,"nodes":1,"edges":[],"positions":[[1]]})", "row 0 has 1 numbers, not 2"},
           {R"({"label":1,"nodes":1,"edges":[],"node_labels":[1,2]})", "\"node_labels\": 2 entries for 1 nodes"},
           {R"({"label":1,"nodes":1,"edges":[],"node_labels":[18446744073709551615]})",
            "does not take 18446744073709551615"},
           {R"({"label":1,"nodes":1,"edges":[],"directed":1})", "\"directed\" does not take 1 there"},
           {R"({"label":1,"nodes":1,"edges":[],"states":["gone"]})", "\"states\" does not take 'gone' there"},
           {R"({"label":1,"nodes":1,"edges":[],"states":["tombstone"]})", "every node of the graph is removed"},
           {R"({"label":1,"nodes":2,"edges":[[0,1]],"states":["tombstone","present"]})",
            "node 0 is removed, but has edges"},
           {R"({"label":1,"nodes":1,"edges":[],"node_labels":[1],"states":["featureless"]})", "removed, but not 0"},
           {"{\"label\":\"\xff\"}", "byte 11: not valid JSON: this is no UTF-8 text; save the file as UTF-8"},
           {"\xff\xfe{\x01", "d.jsonl: this is UTF-16 text; save it as UTF-8"},
       }) {
    SCOPED_TRACE(c.text);
    const Result<Dataset> dataset = read_jsonl_text(c.text);
    ASSERT_FALSE(dataset.ok());
    EXPECT_NE(dataset.error().message.find(c.message), std::string::npos) << dataset.error().message;
  }
  EXPECT_EQ(read_jsonl_text(good + std::string("\0junk", 5)).error().message,
            "d.jsonl, line 1: byte 40: not valid JSON: a zero byte; save the file as UTF-8 text");
  EXPECT_EQ(read_jsonl_text(good + "\n" + good).error().message, "d.jsonl, line 2: id '1' occurs twice");
  EXPECT_EQ(read_jsonl_text(good + "\n" + R"({"label":1,"nodes":1,"edges":[]})").error().message,
            "d.jsonl, line 2: \"id\" must be given for all graphs or for none");
  EXPECT_EQ(read_jsonl_text(good + "\n\n" + good).error().message,
            "d.jsonl, line 2: the line is empty, but others follow");
}

TEST(ReadJsonl, AByteOrderMarkAndWindowsLineEndsAreHarmless) {
  const std::string good = R"({"label":1,"nodes":2,"edges":[[0,1]]})";
  const Dataset plain = read_jsonl_text(good + "\n" + good).value();
  const Dataset marked = read_jsonl_text("\xEF\xBB\xBF" + good + "\r\n" + good + "\r\n").value();
  EXPECT_EQ(marked.graphs, plain.graphs);
  EXPECT_EQ(readers::detect_format(readers::Input::memory("d", "\xEF\xBB\xBF" + good)).value(), DataFormat::kJsonl);
  EXPECT_FALSE(read_jsonl_text("\xEF\xBB\xBF").ok());  // the file is empty
}

TEST(ReadJsonl, EdgesMayHaveWeights) {
  const Dataset dataset = read_jsonl_text(R"({"label":1,"nodes":3,"edges":[[0,1,2.5],[1,2,-3],[0,1,1],[1,1,7]]})"
                                          "\n"
                                          R"({"label":1,"nodes":3,"directed":true,"edges":[[0,1,0],[1,0,1e-3]]})"
                                          "\n"
                                          R"({"label":1,"nodes":3,"edges":[[0,1]]})")
                              .value();
  EXPECT_EQ(dataset.graphs[0].weights(1)[0], 3.5);
  EXPECT_EQ(dataset.graphs[0].weights(1)[1], -3);
  EXPECT_EQ(dataset.dropped_duplicate_edges, 1u);
  EXPECT_EQ(dataset.dropped_self_loops, 1u);
  EXPECT_EQ(dataset.graphs[1].weights(1)[0], 0);
  EXPECT_EQ(dataset.graphs[1].weights(0)[0], 1e-3);
  EXPECT_FALSE(dataset.graphs[2].has_weights());
}

// A million opening brackets must not become a million stack frames.
TEST(ReadJsonl, DeepNestingIsRefusedAtOnce) {
  EXPECT_FALSE(read_jsonl_text(R"({"edges":)" + std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(read_jsonl_text(std::string(1'000'000, '{')).ok());
}

TEST(ReadJsonl, LimitsAreKept) {
  const std::string two = R"({"label":1,"nodes":2,"edges":[[0,1]]})"
                          "\n"
                          R"({"label":1,"nodes":3,"edges":[[0,1]]})";
  for (const ReadLimits limits : {ReadLimits{.max_bytes = 40}, ReadLimits{.max_nodes = 4}, ReadLimits{.max_edges = 1},
                                  ReadLimits{.max_graphs = 1}}) {
    const Result<Dataset> dataset = read_jsonl_text(two, {.limits = limits});
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.error().code, ErrorCode::kLimitExceeded) << dataset.error().message;
  }
}

}  // namespace
}  // namespace unscatter
