// unscatter graphs: looking inside, as a user meets it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graph_picture.h"
#include "unscatter/graph/read.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Graphs : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] nlohmann::json graphs(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"graphs", "--workspace", workspace()});
    return document(std::move(arguments));
  }
};

TEST_F(Graphs, ListsWhatIsLeftUnderItsNumbers) {
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "7", "--node", "2"}).exit_code, 0);
  const nlohmann::json all = graphs({"--limit", "0"});
  EXPECT_EQ(all.at("found"), 59);
  EXPECT_EQ(all.at("left"), 59);
  ASSERT_EQ(all.at("graphs").size(), 59u);
  EXPECT_EQ(all.at("graphs")[5].at("number"), 6);
  EXPECT_EQ(all.at("graphs")[5].at("id"), groups().graph_ids[6]);
  const nlohmann::json& edited = all.at("graphs")[6];
  EXPECT_EQ(edited.at("nodes"), groups().graphs[7].node_count() - 1);
  EXPECT_EQ(edited.at("nodes_at_creation"), groups().graphs[7].node_count());
  EXPECT_EQ(edited.at("flags")[0], "edited");
  EXPECT_EQ(all.at("graphs")[0].at("class"), groups().class_names[groups().labels[0]]);
  EXPECT_EQ(all.at("graphs")[0].at("edges"), groups().graphs[0].edge_count());
  // The data set itself looks the same, but for what was removed.
  EXPECT_EQ(document({"graphs", "--data", data(), "--limit", "0"}).at("graphs")[0], all.at("graphs")[0]);

  const Outcome text = run({"graphs", "--workspace", workspace(), "--limit", "3", "--offset", "4"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_TRUE(has(text.out, "shown are 5 to 7")) << text.out;
  EXPECT_TRUE(has(text.out, groups().graph_ids[4])) << text.out;
  EXPECT_FALSE(has(text.out, groups().graph_ids[5])) << text.out;
}

TEST_F(Graphs, FiltersByClassSubjectAndId) {
  const std::string subject = groups().graphs[3].node_id(0);
  std::size_t clubs = 0;
  std::size_t with_subject = 0;
  for (std::size_t g = 0; g < groups().size(); ++g) {
    clubs += groups().class_names[groups().labels[g]] == "club" ? 1U : 0U;
    for (std::size_t i = 0; i < groups().graphs[g].node_count(); ++i) {
      with_subject += groups().graphs[g].node_id(i) == subject ? 1U : 0U;
    }
  }
  EXPECT_EQ(graphs({"--class", "club"}).at("found"), clubs);
  EXPECT_EQ(graphs({"--subject", subject}).at("found"), with_subject);
  ASSERT_EQ(forget({"--subject", subject}).exit_code, 0);
  EXPECT_EQ(graphs({"--subject", subject}).at("found"), 0);
  EXPECT_EQ(graphs({"--id", "group-001"}).at("found"), 10);
  EXPECT_EQ(graphs({"--id", "group-00?5"}).at("found"), 6);
  EXPECT_EQ(graphs({"--id", "*-0017", "--class", "no such"}).at("found"), 0);
}

TEST_F(Graphs, ShowsOneGraphWithItsNodesAndEdges) {
  ASSERT_EQ(forget({"--graph", "7", "--node", "0"}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "7", "--node", "2", "--features-only"}).exit_code, 0);
  const nlohmann::json one = graphs({"--graph", groups().graph_ids[7]});
  EXPECT_EQ(one.at("number"), 7);
  // Numbers are those that requests take: node 0 is gone, and the first one left is node 1.
  EXPECT_EQ(one.at("nodes_list")[0].at("number"), 1);
  EXPECT_EQ(one.at("nodes_list")[0].at("id"), groups().graphs[7].node_id(1));
  EXPECT_EQ(one.at("nodes_list")[1].at("state"), "features removed");
  EXPECT_EQ(one.at("edges_list").size(), one.at("edges"));
  const Outcome text = run({"graphs", "--workspace", workspace(), "--graph", "7"});
  EXPECT_TRUE(has(text.out, "features removed") && has(text.out, " -- ")) << text.out;
  EXPECT_EQ(run({"graphs", "--workspace", workspace(), "--graph", "600"}).exit_code, 1);
  ASSERT_EQ(forget({"--graph", "8"}).exit_code, 0);
  EXPECT_TRUE(has(run({"graphs", "--workspace", workspace(), "--graph", "8"}).err, "was removed"));
}

TEST_F(Graphs, ShowsWeights) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path data =
      folder.write("w.jsonl", R"({"label":"a","nodes":3,"edges":[[0,1,2.5],[1,2,-4]],"directed":true})");
  const Outcome outcome = run({"graphs", "--data", data.string(), "--graph", "0", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("edges_list"), nlohmann::json::parse("[[0,1,2.5],[1,2,-4.0]]"));
  EXPECT_EQ(outcome.json().at("flags"), nlohmann::json::parse(R"(["directed","weights"])"));
  EXPECT_TRUE(has(run({"graphs", "--data", data.string(), "--graph", "0"}).out, "weight 2.5"));
}

TEST_F(Graphs, WritesPicturesForTheirOwnerOnly) {
  const std::string out = path("g.svg");
  ASSERT_EQ(run({"graphs", "--workspace", workspace(), "--graph", "7", "--svg", "--out", out}).exit_code, 0);
  struct stat file {};
  ASSERT_EQ(::stat(out.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
  EXPECT_EQ(run({"graphs", "--workspace", workspace(), "--graph", "7", "--svg", "--out", out}).exit_code, 1);
  const Outcome dot = run({"graphs", "--workspace", workspace(), "--graph", "7", "--dot"});
  EXPECT_TRUE(has(dot.out, "graph \"graph 7 (group-0008)\" {")) << dot.out;
}

TEST_F(Graphs, WrongUsageIsToldBeforeAnythingIsOpened) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"graphs"},
        {"graphs", "--workspace", workspace(), "--data", data()},
        {"graphs", "--workspace", workspace(), "--svg"},
        {"graphs", "--workspace", workspace(), "--graph", "1", "--svg", "--dot"},
        {"graphs", "--workspace", workspace(), "--graph", "1", "--class", "club"},
        {"graphs", "--workspace", workspace(), "--graph", "1", "--out", "x"}}) {
    EXPECT_EQ(run(wrong).exit_code, 2);
  }
}

Graph hostile_graph() {
  GraphParts parts;
  parts.node_count = 5;
  parts.edges = {{0, 1}, {1, 2}, {2, 3}};
  parts.node_ids = {"\"><script>alert(1)</script>", "a\"; x [label=\"b", "back\\slash\\n", "line\nend\x01\x7f",
                    "bytes \xff\xfe '&amp;' \xEF\xBF\xBF"};
  return Graph::create(parts).value();
}

// Ids come from anywhere.  In a picture they are text and nothing else.
TEST(GraphPicture, AHostileIdStaysText) {
  const Graph graph = hostile_graph();
  const std::string title = "</title><script>\" & '";
  const std::string svg = cli::svg_text(graph, {}, title);
  EXPECT_FALSE(has(svg, "<script"));
  EXPECT_TRUE(has(svg, "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_TRUE(has(svg, "&#39;&amp;amp;&#39;"));
  // Only our own tags, and every quote belongs to an attribute.
  const std::string dot = cli::dot_text(graph, {}, title);
  EXPECT_TRUE(has(dot, R"(n0 [label="\"><script>alert(1)</script>", )"));
  EXPECT_TRUE(has(dot, R"(n1 [label="a\"; x [label=\"b", )"));
  EXPECT_TRUE(has(dot, R"(n2 [label="back\\slash\\n", )"));
  for (const std::string& text : {svg, dot}) {
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
      return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f');
    }));
    // What is not UTF-8 is gone: the JSON writer would throw.
    EXPECT_NO_THROW(static_cast<void>(nlohmann::json(text).dump()));
    EXPECT_FALSE(has(text, "\xEF\xBF\xBF"));
  }
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '\n'), 2 + 5 + 3 + 1);
}

TEST(GraphPicture, LayoutIsInsideAndTheSameEveryTime) {
  GraphParts parts;
  parts.node_count = 40;
  for (NodeIndex i = 0; i + 1 < 39; ++i) parts.edges.push_back({i, i + 1});
  const Graph graph = Graph::create(parts).value();  // a path and an isolated node
  const std::vector<cli::Point> points = cli::layout(graph);
  ASSERT_EQ(points.size(), 40u);
  double nearest = 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_TRUE(points[i].x >= 0 && points[i].x <= 1 && points[i].y >= 0 && points[i].y <= 1);
    for (std::size_t j = 0; j < i; ++j) {
      nearest = std::min(nearest, std::hypot(points[i].x - points[j].x, points[i].y - points[j].y));
    }
  }
  EXPECT_GT(nearest, 0.005);
  EXPECT_EQ(cli::svg_text(graph, {}, "g"), cli::svg_text(graph, {}, "g"));
  // Where the data has positions, they are the layout: (row, column).
  GraphParts placed;
  placed.node_count = 3;
  placed.positions = {0, 0, 0, 2, 1, 2};
  const std::vector<cli::Point> given = cli::layout(Graph::create(placed).value());
  EXPECT_EQ(given[0].x, 0);
  EXPECT_EQ(given[1].x, 1);
  EXPECT_EQ(given[1].y, given[0].y);
  EXPECT_GT(given[2].y, given[1].y);
  GraphParts lonely;
  lonely.node_count = 1;
  EXPECT_EQ(cli::layout(Graph::create(lonely).value()).size(), 1u);
}

}  // namespace
}  // namespace unscatter
