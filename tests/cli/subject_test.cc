// unscatter subject and subjects, as a user meets them.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Subject : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] nlohmann::json subject(const std::string& id, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"subject", id, "--workspace", workspace()});
    return document(std::move(more));
  }
  [[nodiscard]] std::string somebody() const { return groups().graphs[3].node_id(0); }
};

TEST_F(Subject, TellsAllThatTheDataSetHas) {
  ASSERT_EQ(run({"expire", "--workspace", workspace(), "--set", "2999-01-01", "--graph", "3"}).exit_code, 0);
  const nlohmann::json held = subject(somebody());
  EXPECT_EQ(held.at("held"), true);
  EXPECT_TRUE(held.at("due").is_null());
  std::size_t place = 0;
  for (std::size_t g = 0; g < groups().size(); ++g) {
    const Graph& graph = groups().graphs[g];
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      if (graph.node_id(i) != somebody()) continue;
      const nlohmann::json& found = held.at("graphs").at(place++);
      EXPECT_EQ(found.at("number"), g);
      EXPECT_EQ(found.at("id"), groups().graph_ids[g]);
      EXPECT_EQ(found.at("class"), groups().class_names[groups().labels[g]]);
      EXPECT_EQ(found.at("due").is_null(), g != 3);
      const nlohmann::json& node = found.at("nodes").at(0);
      EXPECT_EQ(node.at("number"), i);
      EXPECT_EQ(node.at("features_removed"), false);
      std::set<std::string> neighbours;
      for (const NodeIndex j : graph.neighbours(i)) neighbours.insert(graph.node_id(j));
      std::set<std::string> told;
      for (const nlohmann::json& edge : node.at("edges")) told.insert(edge.at("id"));
      EXPECT_EQ(told, neighbours);
    }
  }
  EXPECT_EQ(held.at("graphs").size(), place);

  const Outcome text = run({"subject", somebody(), "--workspace", workspace()});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_TRUE(has(text.out, "2999-01-01")) << text.out;
  const std::string neighbour = groups().graphs[3].node_id(groups().graphs[3].neighbours(0)[0]);
  EXPECT_TRUE(has(text.out, "graph 3: " + somebody() + " -- " + neighbour)) << text.out;
}

TEST_F(Subject, NeighboursCanStayUnnamed) {
  const std::string neighbour = groups().graphs[3].node_id(groups().graphs[3].neighbours(0)[0]);
  const Outcome text = run({"subject", somebody(), "--workspace", workspace(), "--hide-neighbours"});
  EXPECT_TRUE(has(text.out, " -- node ")) << text.out;
  EXPECT_FALSE(has(text.out, neighbour)) << text.out;
  const std::string json = subject(somebody(), {"--hide-neighbours"}).dump();
  EXPECT_FALSE(has(json, neighbour));
  EXPECT_TRUE(has(subject(somebody()).dump(), neighbour));
}

TEST_F(Subject, NothingIsAnAnswer) {
  ASSERT_EQ(forget({"--subject", somebody()}).exit_code, 0);
  for (const std::string& id : {somebody(), std::string("nobody-at-all")}) {
    const Outcome text = run({"subject", id, "--workspace", workspace()});
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_EQ(text.out, id + ": nothing is held\n");
    const nlohmann::json held = subject(id);
    EXPECT_EQ(held.at("held"), false);
    EXPECT_TRUE(held.at("graphs").empty());
  }
  EXPECT_EQ(run({"subject", somebody(), "--workspace", path("none")}).exit_code, 1);
  EXPECT_EQ(run({"subject", "--workspace", workspace()}).exit_code, 2);
  EXPECT_EQ(run({"subject", "", "--workspace", workspace()}).exit_code, 2);
}

TEST_F(Subject, AnOlderCopySaysSo) {
  std::filesystem::copy_file(workspace(), path("old"));
  ASSERT_EQ(forget({"--subject", somebody()}).exit_code, 0);
  std::filesystem::copy_file(path("old"), workspace(), std::filesystem::copy_options::overwrite_existing);
  const Outcome outcome = run({"subject", somebody(), "--workspace", workspace()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(has(outcome.err, "older")) << outcome.err;
}

TEST_F(Subject, SubjectsAreCountedAndFound) {
  std::set<std::string> ids;
  for (const Graph& graph : groups().graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) ids.insert(graph.node_id(i));
  }
  const nlohmann::json all = document({"subjects", "--workspace", workspace(), "--limit", "0"});
  EXPECT_EQ(all.at("subjects"), ids.size());
  ASSERT_EQ(all.at("list").size(), ids.size());
  EXPECT_EQ(all.at("list")[0].at("id"), *ids.begin());
  const nlohmann::json one = document({"subjects", "--workspace", workspace(), "--search", somebody()});
  EXPECT_EQ(one.at("found"), 1);
  EXPECT_EQ(one.at("subjects"), ids.size());
  EXPECT_EQ(one.at("list")[0].at("graphs"), subject(somebody()).at("graphs").size());
  const Outcome text = run({"subjects", "--workspace", workspace(), "--limit", "2"});
  EXPECT_TRUE(has(text.out, "shown are 1 to 2 (--offset, --limit)")) << text.out;
  EXPECT_TRUE(has(run({"subjects", "--workspace", workspace(), "--search", "nobody"}).out, "0 of "));
  EXPECT_TRUE(has(run({"subjects", "--workspace", workspace(), "--offset", "100000"}).out, "--offset is beyond"));
}

}  // namespace
}  // namespace unscatter
