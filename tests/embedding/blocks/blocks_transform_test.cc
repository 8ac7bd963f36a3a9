#include "embedding/blocks/blocks_transform.h"

#include <gtest/gtest.h>

#include <numeric>

#include "dense_graph.h"
#include "embedding/blocks/recipes.h"
#include "part_columns.h"
#include "support/data_folder.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"

namespace unscatter::blocks_transform_test {
namespace {

Dataset data_of(std::vector<Graph> graphs) {
  Dataset data;
  data.graphs = std::move(graphs);
  data.labels.assign(data.graphs.size(), 0);
  data.class_names = {"only"};
  return data;
}

// Without the clip, so that a bound that does not hold shows.
std::shared_ptr<const Embedder> recipe_embedder(std::string_view recipe, const Dataset& data) {
  TransformSpec spec;
  spec.family = "blocks";
  spec.recipe = recipe;
  spec.row_norm = RowNorm::kNone;
  return make_embedder(recipe_features(recipe), spec, data).value();
}

// Every part, every recipe with a name, and the two last steps.
std::vector<std::string> all_recipes() {
  std::vector<std::string> texts;
  std::string every;
  for (const PartKind& kind : part_kinds()) {
    texts.emplace_back(kind.name);
    every += (every.empty() ? "" : " + ") + std::string(kind.name);
  }
  texts.push_back(every);
  texts.push_back(every + " > fourier:64:1:1");
  texts.push_back(every + " > drawn:64:1:1");
  texts.push_back(every + " > fourier:64:1:1 > scale:0.5:30");
  for (const std::string_view name : recipe_names()) texts.emplace_back(name);
  return texts;
}

TEST(Blocks, PartsStandSideBySideWithTheirWeights) {
  const Graph graph = testing::random_graph(3, testing::kRichGraph);
  const Dataset data = data_of({graph});
  const auto embedder = recipe_embedder("size*3 + kinds + paths*0.5", data);
  SparseBlockRows rows(1, embedder->width());
  rows.set_row(0, embedder->embed(graph).value());
  std::vector<double> dense(embedder->width());
  rows.copy_row(0, dense);
  std::vector<double> expected;
  GraphShape shape;
  for (const auto& [text, weight] : {std::pair("size", 3.0), std::pair("kinds", 1.0), std::pair("paths", 0.5)}) {
    for (const double value : testing::part_columns(text, graph, shape)) {
      expected.push_back(value * std::sqrt(weight / 4.5));
    }
  }
  ASSERT_EQ(dense.size(), expected.size());
  for (std::size_t k = 0; k < dense.size(); ++k) EXPECT_NEAR(dense[k], expected[k], 1e-15);
}

TEST(Blocks, AScaleMultipliesTheRow) {
  const Graph graph = testing::random_graph(3, testing::kRichGraph);
  const Dataset data = data_of({graph});
  for (const std::string text : {"size + kinds", "size + kinds > fourier:32:1:1", "pixels > drawn:32:1:1"}) {
    const RowMatrix whole = recipe_embedder(text, data)->embed(data).value().to_dense();
    const RowMatrix scaled = recipe_embedder(text + " > scale:0.25", data)->embed(data).value().to_dense();
    EXPECT_LT((scaled - 0.25 * whole).norm(), 1e-15);
    EXPECT_GT(scaled.norm(), 0.1);
  }
}

// The formula of docs/embeddings.md, with the nodes counted here.
TEST(Blocks, GraphsWithFewNodesHaveShortRows) {
  const GraphParts parts = testing::random_graph_parts(3, testing::kWeightedGraph);
  const Graph graph = Graph::create(parts).value();
  const Dataset data = data_of({graph});
  const auto n = static_cast<double>(parts.node_count);
  for (const std::string text : {"size + kinds", "size + kinds > fourier:32:1:1", "pixels", "pixels > drawn:32:1:1"}) {
    SCOPED_TRACE(text);
    const RowMatrix whole = recipe_embedder(text, data)->embed(data).value().to_dense();
    const auto shortened = recipe_embedder(text + " > scale:0.25:40", data);
    const RowMatrix rows = shortened->embed(data).value().to_dense();
    EXPECT_LT((rows - 0.25 * n / std::sqrt(n * n + 40.0 * 40.0) * whole).norm(), 1e-15);
    // A removed node does not count, whether it left a place or not.
    const auto marked = reembed(*shortened, graph, RemoveNode{1, NodeRemoval::kTombstone}).value();
    const Graph without = Graph::create(testing::parts_without_node(parts, 1)).value();
    EXPECT_EQ(marked->row, shortened->embed(without).value());
  }
}

TEST(Blocks, EveryRowHasNormAtMostOne) {
  for (const std::size_t attributes : {0u, 1u, 3u}) {
    std::vector<Graph> graphs = testing::graphs_of_all_kinds(attributes);
    // Numbers of any size.
    for (const double scale : {1e-300, 1e9, -1e300}) {
      testing::RandomGraphOptions options = testing::kWeightedGraph;
      options.attributes = attributes;
      GraphParts parts = testing::random_graph_parts(5, options);
      for (double& value : parts.attributes) value *= scale;
      for (double& value : parts.positions) value *= scale;
      for (double& weight : parts.weights) weight *= scale / 10;
      for (std::int64_t& label : parts.labels) label = INT64_MIN + label;
      graphs.push_back(Graph::create(std::move(parts)).value());
    }
    const Dataset data = data_of(std::move(graphs));
    for (const std::string& text : all_recipes()) {
      SCOPED_TRACE(text);
      const SparseBlockRows rows = recipe_embedder(text, data)->embed(data).value();
      for (std::size_t g = 0; g < rows.rows(); ++g) EXPECT_LE(rows.row_norm(g), 1 + 1e-12) << g;
    }
  }
}

TEST(Blocks, RowsOfRealDataHaveNormAtMostTheirScale) {
  UNSCATTER_REQUIRE_DATA(folder);
  for (const char* name : {"MUTAG", "ENZYMES", "IMDB-MULTI"}) {
    const Dataset data = read_dataset(folder / name / (std::string(name) + ".zip")).value();
    for (const auto& [recipe, scale] :
         {std::pair("social", 0.3), std::pair("molecule", 0.13), std::pair("general", 0.6),
          std::pair("edge-kinds + jaccard + profile + walk-waves + spectrum + scattering + network", 1.0)}) {
      SCOPED_TRACE(std::string(name) + " " + recipe);
      const SparseBlockRows rows = recipe_embedder(recipe, data)->embed(data).value();
      for (std::size_t g = 0; g < rows.rows(); ++g) {
        ASSERT_LE(rows.row_norm(g), scale * (1 + 1e-12)) << g;
        ASSERT_GT(rows.row_norm(g), 0.004) << g;  // two nodes have 0.3 * 2 / 65
      }
    }
  }
}

// The order in which a file lists nodes is nobody's business.
TEST(Blocks, TheOrderOfNodesDoesNotMatter) {
  for (const bool directed : {false, true}) {
    testing::RandomGraphOptions options = testing::kWeightedGraph;
    options.directed = directed;
    options.nodes = 25;
    options.edge_probability = 0.15;
    options.attributes = 3;
    const GraphParts parts = testing::random_graph_parts(11, options);
    std::vector<NodeIndex> place(parts.node_count);
    std::iota(place.begin(), place.end(), 0u);
    Sequence random(5);
    random.shuffle(std::span(place));
    GraphParts moved = parts;
    for (Edge& edge : moved.edges) edge = {place[edge.from], place[edge.to]};
    for (std::size_t i = 0; i < place.size(); ++i) {
      moved.labels[place[i]] = parts.labels[i];
      moved.node_ids[place[i]] = parts.node_ids[i];
      std::copy_n(parts.attributes.begin() + 3 * static_cast<std::ptrdiff_t>(i), 3,
                  moved.attributes.begin() + 3 * static_cast<std::ptrdiff_t>(place[i]));
      std::copy_n(parts.positions.begin() + 2 * static_cast<std::ptrdiff_t>(i), 2,
                  moved.positions.begin() + 2 * static_cast<std::ptrdiff_t>(place[i]));
    }
    const Dataset data = data_of({Graph::create(parts).value(), Graph::create(std::move(moved)).value()});
    for (const std::string& text : all_recipes()) {
      SCOPED_TRACE(text);
      const RowMatrix rows = recipe_embedder(text, data)->embed(data).value().to_dense();
      EXPECT_LT((rows.row(0) - rows.row(1)).norm(), 1e-7);
    }
  }
}

// What a certificate compares with is an embedding from scratch.
TEST(Blocks, AnEditedGraphHasTheRowOfTheGraphBuiltThatWay) {
  for (const bool directed : {false, true}) {
    testing::RandomGraphOptions options = testing::kWeightedGraph;
    options.directed = directed;
    options.attributes = 3;
    const GraphParts parts = testing::random_graph_parts(31, options);
    const Graph graph = Graph::create(parts).value();
    const Dataset data = data_of({graph});
    for (const std::string& text : all_recipes()) {
      SCOPED_TRACE(text);
      const auto embedder = recipe_embedder(text, data);
      for (const NodeIndex node : {0u, 7u}) {
        const auto edited = reembed(*embedder, graph, RemoveNode{node}).value();
        ASSERT_TRUE(edited);
        EXPECT_EQ(edited->row,
                  embedder->embed(Graph::create(testing::parts_without_node(parts, node)).value()).value());
        // A tombstone counts nowhere, so it makes no difference.
        const auto marked = reembed(*embedder, graph, RemoveNode{node, NodeRemoval::kTombstone}).value();
        ASSERT_TRUE(marked);
        EXPECT_EQ(marked->row, edited->row);
      }
      // Removed features are gone: the row does not depend on what they were.
      GraphParts other = parts;
      other.labels[4] += 17;
      other.attributes[13] = 0.77;
      other.positions[8] = 0.123;
      const auto one = reembed(*embedder, graph, RemoveFeatures{4}).value();
      const auto two = reembed(*embedder, Graph::create(std::move(other)).value(), RemoveFeatures{4}).value();
      EXPECT_EQ(one->row, two->row);
    }
  }
}

TEST(Blocks, ThreadsDoNotMatter) {
  std::vector<Graph> graphs = testing::graphs_of_all_kinds(3);
  const std::vector<Graph> more = graphs;
  graphs.insert(graphs.end(), more.rbegin(), more.rend());
  const Dataset data = data_of(std::move(graphs));
  for (const std::string& text : all_recipes()) {
    SCOPED_TRACE(text);
    const auto embedder = recipe_embedder(text, data);
    const RowMatrix one = embedder->embed(data, {.threads = 1}).value().to_dense();
    EXPECT_EQ(one, embedder->embed(data, {.threads = 4}).value().to_dense());
    EXPECT_EQ(one, recipe_embedder(text, data)->embed(data, {.threads = 3}).value().to_dense());
  }
}

// A recipe that chooses by the form follows it when the last graph of a form leaves.
TEST(Blocks, AutoFollowsTheFormOfWhatIsLeft) {
  const Graph labelled = testing::random_graph(1, {.label_values = 3});
  const Graph bare = testing::random_graph(2);
  const Dataset both = data_of({bare, labelled});
  const Dataset left = data_of({bare});
  const auto embedder = recipe_embedder("auto", both);
  EXPECT_TRUE(embedder->refits());
  EXPECT_TRUE(embedder->fit_may_change(labelled, nullptr));
  EXPECT_FALSE(embedder->fit_may_change(bare, nullptr));
  EXPECT_TRUE(embedder->fit_shown_by(labelled));
  EXPECT_FALSE(embedder->fit_shown_by(bare));
  const std::vector<const Graph*> graphs = {&left.graphs[0]};
  const auto refitted = embedder->refitted(graphs).value();
  ASSERT_NE(refitted, nullptr);
  const auto fresh = recipe_embedder("auto", left);
  EXPECT_EQ(refitted->describe(), fresh->describe());
  EXPECT_EQ(refitted->embed(left).value().to_dense(), fresh->embed(left).value().to_dense());
  EXPECT_NE(embedder->describe(), fresh->describe());
  // Parts with all constants stated follow nothing.
  EXPECT_FALSE(recipe_embedder("size + paths", both)->refits());
}

TEST(Blocks, TheFormIsReadBackAsItWasWritten) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    const DataForm form = {.directed = (bits & 1u) != 0,
                           .weights = (bits & 2u) != 0,
                           .labels = (bits & 4u) != 0,
                           .positions = (bits & 8u) != 0,
                           .attributes = (bits & 16u) != 0 ? 7u : 0u};
    EXPECT_EQ(form_in(describe(form)), form);
    EXPECT_EQ(form_in("soft-degree:16+" + describe(form)), form);
    EXPECT_EQ(FeatureMap::parse(describe(form)).value().describe(), describe(form));
  }
  EXPECT_EQ(form_in("none"), DataForm());
  for (const char* text : {"form:label", "form:attributes=0", "form:attributes=-1", "form:attributes=", "form:"}) {
    EXPECT_FALSE(FeatureMap::parse(text).ok()) << text;
  }
}

TEST(Blocks, AutoChoosesByTheFormAlone) {
  const auto chosen = [](const DataForm& form) { return write_recipe(resolve_recipe("auto", form).value()); };
  const auto named = [](std::string_view name, const DataForm& form) {
    return write_recipe(resolve_recipe(name, form).value());
  };
  for (const DataForm& form :
       {DataForm{.positions = true, .attributes = 1}, DataForm{.positions = true, .attributes = 3},
        DataForm{.directed = true, .positions = true, .attributes = 3}}) {
    EXPECT_EQ(chosen(form), named("image", form));
  }
  EXPECT_EQ(chosen({.labels = true}), named("molecule", {.labels = true}));
  EXPECT_EQ(chosen({}), named("social", {}));
  for (const DataForm& form :
       {DataForm{.directed = true}, DataForm{.weights = true, .labels = true},
        DataForm{.directed = true, .weights = true, .labels = true, .attributes = 2}, DataForm{.attributes = 4}}) {
    EXPECT_EQ(chosen(form), named("general", form));
  }
  EXPECT_NE(chosen({}), chosen({.labels = true}));
  EXPECT_NE(chosen({.positions = true, .attributes = 1}), chosen({.positions = true, .attributes = 3}));
}

}  // namespace
}  // namespace unscatter::blocks_transform_test
