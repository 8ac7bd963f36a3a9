// What a workspace tells somebody who asks what it holds about them.
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;
using Direction = HeldEdge::Direction;

GraphParts triangle(std::vector<std::string> ids, double first) {
  GraphParts parts;
  parts.node_count = ids.size();
  parts.node_ids = std::move(ids);
  parts.attribute_count = 2;
  for (std::size_t i = 0; i < parts.node_count; ++i) {
    parts.attributes.push_back(first + static_cast<double>(i));
    parts.attributes.push_back(0.1);
    parts.labels.push_back(static_cast<std::int64_t>(10 * i));
    parts.positions.push_back(0.25);
    parts.positions.push_back(static_cast<double>(i));
  }
  return parts;
}

// Everything that a node can have: labels, positions, directed edges with weights.
WorkspaceSetup telling_setup() {
  WorkspaceSetup setup = testing::sample_setup();
  Dataset& dataset = setup.dataset;
  GraphParts directed = triangle({"ann", "bob", "eve"}, 1);
  directed.directed = true;
  directed.edges = {{0, 1}, {1, 0}, {2, 0}};
  directed.weights = {2.5, 0.5, 7};
  GraphParts plain = triangle({"bob", "ann"}, 5);
  plain.edges = {{0, 1}};
  dataset.graphs[3] = Graph::create(std::move(directed)).value();
  dataset.graphs[6] = Graph::create(std::move(plain)).value();
  for (std::size_t g = 0; g < dataset.size(); ++g) dataset.graph_ids.push_back("group-" + std::to_string(g));
  dataset.due.graphs.resize(dataset.size());
  dataset.due.graphs[6] = 600;
  dataset.due.subjects = {{"ann", 500}};
  return setup;
}

TEST(WorkspaceSubject, ListsAllThatIsHeld) {
  const SampleWorkspace sample(telling_setup());
  const Workspace workspace = sample.create();
  const HeldSubject held = workspace.subject("ann").value();
  EXPECT_EQ(held.due, 500);
  ASSERT_EQ(held.graphs.size(), 2u);

  const HeldGraph& first = held.graphs[0];
  EXPECT_EQ(first.number, 3u);
  EXPECT_EQ(first.id, "group-3");
  EXPECT_EQ(first.class_name, sample.original().class_names[sample.original().labels[3]]);
  EXPECT_FALSE(first.due.has_value());
  ASSERT_EQ(first.nodes.size(), 1u);
  const HeldNode& node = first.nodes[0];
  EXPECT_EQ(node.number, 0u);
  EXPECT_TRUE(node.has_features);
  EXPECT_EQ(node.attributes, (std::vector<double>{1, 0.1}));
  EXPECT_EQ(node.label, 0);
  EXPECT_EQ(node.position, (std::vector<double>{0.25, 0}));
  // Edges to her and from her.
  std::vector<std::tuple<std::string, Direction, double>> edges;
  for (const HeldEdge& edge : node.edges) edges.emplace_back(edge.id, edge.direction, edge.weight.value());
  EXPECT_EQ(edges, (std::vector<std::tuple<std::string, Direction, double>>{{"bob", Direction::kToSubject, 0.5},
                                                                            {"eve", Direction::kToSubject, 7},
                                                                            {"bob", Direction::kFromSubject, 2.5}}));

  const HeldGraph& second = held.graphs[1];
  EXPECT_EQ(second.due, 600);
  EXPECT_EQ(second.nodes.at(0).number, 1u);
  ASSERT_EQ(second.nodes[0].edges.size(), 1u);
  EXPECT_EQ(second.nodes[0].edges[0].direction, Direction::kBoth);
  EXPECT_EQ(second.nodes[0].edges[0].node, 0u);
  EXPECT_FALSE(second.nodes[0].edges[0].weight.has_value());
}

TEST(WorkspaceSubject, NothingIsHeldAfterForgetting) {
  for (const NodeRemoval style : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    WorkspaceSetup setup = telling_setup();
    setup.options.removal = style;
    const SampleWorkspace sample(std::move(setup));
    Workspace workspace = sample.create();
    const RemovalRequest features = ForgetFeatures{6u, "ann"};
    ASSERT_TRUE(workspace.forget(std::span(&features, 1)).ok());
    const HeldNode bare = workspace.subject("ann").value().graphs.at(1).nodes.at(0);
    EXPECT_FALSE(bare.has_features);
    EXPECT_TRUE(bare.attributes.empty() && bare.position.empty() && !bare.label.has_value());
    EXPECT_EQ(bare.edges.size(), 1u);

    const RemovalRequest all = ForgetSubject{"ann"};
    ASSERT_TRUE(workspace.forget(std::span(&all, 1)).ok());
    const HeldSubject nothing = workspace.subject("ann").value();
    EXPECT_TRUE(nothing.graphs.empty());
    EXPECT_FALSE(nothing.due.has_value());
    // Nor is she a neighbour of somebody else.
    const HeldSubject bob = workspace.subject("bob").value();
    for (const HeldGraph& graph : bob.graphs) {
      for (const HeldEdge& edge : graph.nodes.at(0).edges) EXPECT_NE(edge.id, "ann");
    }
    EXPECT_EQ(workspace.subjects({.text = "ann"}).value().found, 0u);
  }
}

TEST(WorkspaceSubject, WhoIsNotThereIsNobody) {
  const SampleWorkspace sample;
  WorkspaceOptions how = sample.how;
  static_cast<void>(sample.create());
  how.key = nullptr;
  how.read_only = true;  // whoever may look may ask
  const Workspace workspace = Workspace::open(sample.path(), how).value();
  EXPECT_TRUE(workspace.subject("nobody").value().graphs.empty());
  EXPECT_TRUE(workspace.subject("").value().graphs.empty());
  EXPECT_FALSE(workspace.subject("u0").value().graphs.empty());
}

TEST(WorkspaceSubjects, CountsAndSearches) {
  const SampleWorkspace sample(telling_setup());
  const Workspace workspace = sample.create();
  std::map<std::string, std::size_t> expected;
  for (const Graph& graph : sample.original().graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) ++expected[graph.node_id(i)];
  }
  const SubjectList all = workspace.subjects().value();
  EXPECT_EQ(all.subjects, expected.size());
  EXPECT_EQ(all.found, expected.size());
  std::map<std::string, std::size_t> found;
  for (const SubjectList::Entry& entry : all.entries) found.emplace(entry.id, entry.graphs);
  EXPECT_EQ(found, expected);

  const auto ids = [&](const SubjectSearch& search) {
    std::vector<std::string> names;
    const SubjectList list = workspace.subjects(search).value();
    EXPECT_EQ(list.subjects, expected.size());
    for (const SubjectList::Entry& entry : list.entries) names.push_back(entry.id);
    return std::pair(list.found, names);
  };
  using Found = std::pair<std::size_t, std::vector<std::string>>;
  EXPECT_EQ(ids({.text = "nn"}), (Found{1, {"ann"}}));
  EXPECT_EQ(ids({.text = "?ob"}), (Found{1, {"bob"}}));
  EXPECT_EQ(ids({.text = "b*"}), (Found{1, {"bob"}}));
  EXPECT_EQ(ids({.text = "b?"}), (Found{0, {}}));  // a pattern is about the whole id
  EXPECT_EQ(ids({.limit = 2}), (Found{expected.size(), {"ann", "bob"}}));
  EXPECT_EQ(ids({.limit = 1, .offset = 2}), (Found{expected.size(), {"eve"}}));
  EXPECT_EQ(workspace.subjects({.text = "ann"}).value().entries.at(0).due, 500);
}

}  // namespace
}  // namespace unscatter
