#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

Dataset generate(const InterestGroupOptions& options) { return generate_interest_groups(options).value(); }

double degree_variance(const Graph& graph) {
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const auto degree = static_cast<double>(graph.degree(i));
    sum += degree;
    squares += degree * degree;
  }
  const auto n = static_cast<double>(graph.node_count());
  return squares / n - (sum / n) * (sum / n);
}

// Mean over the nodes of the share of linked pairs among a node's neighbours (0 for fewer than two).
double clustering(const Graph& graph) {
  double sum = 0;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const auto row = graph.neighbours(i);
    std::size_t linked = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b) linked += graph.has_edge(row[a], row[b]) ? 1u : 0u;
    }
    const std::size_t pairs = row.size() * (row.size() - 1) / 2;
    if (row.size() > 1) sum += static_cast<double>(linked) / static_cast<double>(pairs);
  }
  return sum / static_cast<double>(graph.node_count());
}

double edges_per_node(const Graph& graph) {
  return static_cast<double>(graph.edge_count()) / static_cast<double>(graph.node_count());
}

// Values of `feature` by class name.
template <typename Feature>
std::map<std::string, std::vector<double>> by_class(const Dataset& dataset, Feature feature) {
  std::map<std::string, std::vector<double>> values;
  for (std::size_t g = 0; g < dataset.size(); ++g) {
    values[dataset.class_names[dataset.labels[g]]].push_back(feature(dataset.graphs[g]));
  }
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Largest share of all values that some threshold puts on the right side, `low` below it and `high` above.
double best_threshold_accuracy(const std::vector<double>& low, const std::vector<double>& high) {
  std::vector<std::pair<double, int>> sorted;
  for (const double value : low) sorted.emplace_back(value, 1);
  for (const double value : high) sorted.emplace_back(value, -1);
  std::sort(sorted.begin(), sorted.end());
  auto right = static_cast<std::ptrdiff_t>(high.size());
  std::ptrdiff_t best = right;
  for (const auto& [value, step] : sorted) best = std::max(best, right += step);
  return static_cast<double>(best) / static_cast<double>(sorted.size());
}

TEST(InterestGroups, TheSameEverywhere) {
  EXPECT_EQ(content_digest(generate({.groups = 50})), content_digest(generate({.groups = 50})));
  EXPECT_NE(content_digest(generate({.groups = 50})), content_digest(generate({.groups = 50, .seed = 2})));
  // Any conforming machine has to arrive here.  A change of this value changes everyone's synthetic data.
  EXPECT_EQ(content_digest(generate({})).hex(), "97aadf8629d2119e5adce72c4ba8036971e6c8f9450edc3380f8ad65109ace7c");
}

TEST(InterestGroups, SizesIdsAndClassesAreAsAskedFor) {
  const Dataset dataset = generate({.groups = 301, .users = 60, .min_size = 5, .max_size = 9, .seed = 4});
  const DatasetSummary summary = summarise(dataset);
  EXPECT_EQ(summary.graphs, 301u);
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"channel", "club"}));
  EXPECT_EQ(summary.class_counts, (std::vector<std::size_t>{151, 150}));
  EXPECT_EQ(summary.min_nodes, 5u);
  EXPECT_EQ(summary.max_nodes, 9u);
  EXPECT_EQ(summary.distinct_node_ids, 60u);
  EXPECT_EQ(dataset.graph_ids.front(), "group-0001");
  EXPECT_EQ(dataset.graph_ids.back(), "group-0301");
  EXPECT_EQ(dataset.graphs[0].node_id(0).size(), std::string("user-00042").size());
  EXPECT_EQ(dataset.graphs[0].node_id(0).substr(0, 5), "user-");
}

// Graph::create refuses an id that occurs twice in one graph, so what is left to see is that groups share users,
// unevenly.
TEST(InterestGroups, AFewUsersAreInManyGroups) {
  const Dataset dataset = generate({});
  std::map<std::string, std::size_t> groups_of;
  for (const Graph& graph : dataset.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) ++groups_of[graph.node_id(i)];
  }
  std::vector<std::size_t> counts;
  for (const auto& [user, count] : groups_of) counts.push_back(count);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  EXPECT_GE(counts.front(), 50u);             // in at least one group of twenty
  EXPECT_LE(counts.front(), 300u);            // but not in all of them
  EXPECT_LE(counts[counts.size() / 2], 5u);   // half of the users are in a handful
  EXPECT_GE(counts[counts.size() / 10], 2u);  // and many in more than one
}

TEST(InterestGroups, EveryoneCanBeInEveryGroup) {
  const Dataset dataset = generate({.groups = 20, .users = 300, .min_size = 300, .max_size = 300});
  for (const Graph& graph : dataset.graphs) EXPECT_EQ(graph.node_count(), 300u);
}

TEST(InterestGroups, ClassesDifferInStructureButNotInSize) {
  const Dataset dataset = generate({});
  auto triangles = by_class(dataset, clustering);
  auto spread = by_class(dataset, degree_variance);
  EXPECT_GT(mean(triangles["club"]), 1.3 * mean(triangles["channel"]));
  EXPECT_LT(1.5 * mean(spread["club"]), mean(spread["channel"]));
  auto density = by_class(dataset, edges_per_node);
  EXPECT_NEAR(mean(density["club"]), mean(density["channel"]), 0.05 * mean(density["club"]));
}

// One feature tells most groups apart, none tells all; at full noise the classes are the same.
TEST(InterestGroups, ClassesOverlapMoreTheMoreNoise) {
  const auto accuracy = [](double noise) {
    auto triangles = by_class(generate({.noise = noise}), clustering);
    return best_threshold_accuracy(triangles["channel"], triangles["club"]);
  };
  const double clean = accuracy(0);
  const double usual = accuracy(InterestGroupOptions{}.noise);
  const double full = accuracy(1);
  EXPECT_LT(clean, 0.97);
  EXPECT_GT(clean, 0.85);
  EXPECT_GT(usual, 0.70);
  EXPECT_LT(usual, clean);
  EXPECT_LT(full, 0.56);
}

TEST(InterestGroups, RefusesWhatIsOutOfRange) {
  const std::vector<InterestGroupOptions> wrong = {
      {.groups = 0},
      {.groups = 20'000'000},
      {.users = 39},
      {.users = 20'000'000},
      {.min_size = 2},
      {.min_size = 20, .max_size = 19},
      {.users = 20'000, .max_size = 10'001},
      {.noise = -0.01},
      {.noise = 1.01},
      {.noise = std::numeric_limits<double>::quiet_NaN()},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(i);
    const Result<Dataset> result = generate_interest_groups(wrong[i]);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(result.error().message.empty());
  }
}

TEST(InterestGroups, TheSmallestGroupsWork) {
  const Dataset dataset = generate({.groups = 40, .users = 3, .min_size = 3, .max_size = 3, .noise = 1});
  EXPECT_EQ(summarise(dataset).nodes, 120u);
  EXPECT_EQ(generate({.groups = 1}).class_names, (std::vector<std::string>{"channel"}));
}

}  // namespace
}  // namespace unscatter
