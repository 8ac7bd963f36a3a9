#include "unlearn/graph_collection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "unlearn/random_session.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

constexpr NodeRemoval kStyles[] = {NodeRemoval::kCompact, NodeRemoval::kTombstone};

// Random graphs whose nodes share ids, each graph with an id of its own.
Dataset shared_ids(std::uint64_t seed) {
  Dataset dataset = testing::random_data(seed, {.graphs = 12, .classes = 3}).dataset;
  dataset.name = "clubs";
  for (std::size_t g = 0; g < dataset.size(); ++g) dataset.graph_ids.push_back("club-" + std::to_string(g));
  return dataset;
}

std::set<std::string> living_ids(const Graph& graph) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (graph.state(i) != NodeState::kTombstone) ids.insert(graph.node_id(i));
  }
  return ids;
}

std::vector<std::size_t> slots_of(const RemovalPlan& plan) {
  std::vector<std::size_t> slots;
  for (const GraphChange& change : plan.changes) slots.push_back(change.slot);
  return slots;
}

RemovalPlan planned(const GraphCollection& graphs, const std::vector<RemovalRequest>& requests,
                    NodeRemoval style = NodeRemoval::kCompact, bool whole_graphs = false) {
  return graphs.plan(requests, style, whole_graphs).value();
}

void forget(GraphCollection& graphs, const std::vector<RemovalRequest>& requests, NodeRemoval style) {
  RemovalPlan plan = planned(graphs, requests, style);
  graphs.commit(plan);
}

TEST(GraphCollection, APlanChangesNothingAndItsCommitDoesWhatItSays) {
  for (const NodeRemoval style : kStyles) {
    const Dataset dataset = shared_ids(1);
    GraphCollection graphs(dataset);
    RemovalPlan plan = planned(graphs, {ForgetNode{3u, 0u}, ForgetGraph{5u}, ForgetFeatures{1u, 1u}}, style);
    EXPECT_EQ(graphs.remaining().graphs, dataset.graphs);
    EXPECT_EQ(graphs.labels(), dataset.labels);
    EXPECT_EQ(graphs.living(), dataset.size());

    std::vector<std::optional<Graph>> promised(dataset.graphs.begin(), dataset.graphs.end());
    for (const GraphChange& change : plan.changes) promised[change.slot] = change.graph;
    EXPECT_EQ(plan.graphs_removed(), 1u);
    graphs.commit(plan);
    for (std::size_t slot = 0; slot < graphs.slots(); ++slot) {
      ASSERT_EQ(graphs.graph(slot) != nullptr, promised[slot].has_value()) << slot;
      if (!promised[slot]) continue;
      EXPECT_EQ(*graphs.graph(slot), *promised[slot]) << slot;
    }
    EXPECT_EQ(graphs.living(), dataset.size() - 1);
    EXPECT_EQ(graphs.slots(), dataset.size());
    EXPECT_EQ(graphs.graph(graphs.slots()), nullptr);
  }
}

// A number means the node that had it at the beginning, whatever went before, in this batch or an earlier one.
TEST(GraphCollection, NumbersStayValid) {
  for (const NodeRemoval style : kStyles) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(seed);
      const Dataset dataset = shared_ids(seed);
      GraphCollection graphs(dataset);
      Sequence random(seed);
      const Graph& original = dataset.graphs[4];
      std::vector<std::size_t> order(original.node_count());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      random.shuffle(std::span(order));
      std::set<std::string> expected = living_ids(original);
      while (order.size() > 1) {
        std::vector<RemovalRequest> batch;
        for (std::size_t count = 1 + random.below(2); count > 0 && order.size() > 1; --count) {
          batch.emplace_back(ForgetNode{4u, order.back()});
          expected.erase(original.node_id(order.back()));
          order.pop_back();
        }
        forget(graphs, batch, style);
        ASSERT_EQ(living_ids(*graphs.graph(4)), expected);
        EXPECT_FALSE(graphs.plan(batch, style, false).ok());  // once is enough
      }
      forget(graphs, {ForgetNode{4u, order.back()}}, style);
      EXPECT_EQ(graphs.graph(4), nullptr);
    }
  }
}

TEST(GraphCollection, EveryTouchedGraphGoesWholeOnDemand) {
  const Dataset dataset = shared_ids(2);
  GraphCollection graphs(dataset);
  RemovalPlan plan = planned(graphs, {ForgetFeatures{7u, 0u}, ForgetNode{2u, 1u}}, NodeRemoval::kCompact, true);
  EXPECT_EQ(slots_of(plan), (std::vector<std::size_t>{2, 7}));
  EXPECT_EQ(plan.graphs_removed(), 2u);
  for (const GraphChange& change : plan.changes) EXPECT_EQ(change.kind, ChangeKind::kRemoved);
  graphs.commit(plan);
  EXPECT_EQ(graphs.living(), dataset.size() - 2);
  // All of them touched: nothing would be left.
  std::vector<RemovalRequest> all;
  for (std::size_t g = 0; g < graphs.slots(); ++g) {
    if (graphs.graph(g) != nullptr) all.emplace_back(ForgetFeatures{g, 0u});
  }
  EXPECT_TRUE(graphs.plan(all, NodeRemoval::kCompact, false).ok());
  EXPECT_EQ(graphs.plan(all, NodeRemoval::kCompact, true).error().code, ErrorCode::kInvalidArgument);
}

TEST(GraphCollection, ChangesAscendOncePerGraphByTheirLargestKind) {
  const GraphCollection graphs(shared_ids(3));
  const std::vector<RemovalRequest> requests = {ForgetNode{9u, 0u}, ForgetFeatures{4u, 1u}, ForgetFeatures{9u, 1u},
                                                ForgetGraph{6u},    ForgetFeatures{0u, 0u}, ForgetNode{0u, 0u}};
  const RemovalPlan plan = planned(graphs, requests);
  ASSERT_EQ(slots_of(plan), (std::vector<std::size_t>{0, 4, 6, 9}));
  EXPECT_EQ(plan.changes[0].kind, ChangeKind::kStructure);
  EXPECT_EQ(plan.changes[1].kind, ChangeKind::kFeatures);
  EXPECT_EQ(plan.changes[2].kind, ChangeKind::kRemoved);
  EXPECT_EQ(plan.changes[3].kind, ChangeKind::kStructure);
  EXPECT_EQ(plan.requests, (RequestCounts{.features = 3, .nodes = 2, .edges = 0, .graphs = 1, .subjects = 0}));

  // Graphs named in another order: the same changes.
  const RemovalPlan other =
      planned(graphs, {requests[4], requests[5], requests[3], requests[1], requests[0], requests[2]});
  ASSERT_EQ(slots_of(other), slots_of(plan));
  for (std::size_t c = 0; c < plan.changes.size(); ++c) {
    EXPECT_EQ(other.changes[c].graph, plan.changes[c].graph);
    EXPECT_EQ(other.changes[c].kind, plan.changes[c].kind);
  }
}

// After any history a subject is found in exactly the graphs where one of its nodes still lives.
TEST(GraphCollection, SubjectsAreFoundWhereTheyLiveAndNowhereElse) {
  for (const NodeRemoval style : kStyles) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(seed);
      const Dataset dataset = shared_ids(seed);
      GraphCollection graphs(dataset);
      Sequence random(seed);
      std::set<std::string> everybody;
      for (const Graph& graph : dataset.graphs) everybody.merge(living_ids(graph));
      for (int step = 0; step < 12; ++step) {
        std::size_t slot = random.below(graphs.slots());
        while (graphs.graph(slot) == nullptr) slot = random.below(graphs.slots());
        const std::set<std::string> ids = living_ids(*graphs.graph(slot));
        const std::string id = *std::next(ids.begin(), static_cast<std::ptrdiff_t>(random.below(ids.size())));
        const RemovalRequest choices[] = {ForgetNode{slot, id}, ForgetSubject{id}, ForgetGraph{slot},
                                          ForgetFeatures{slot, id}, ForgetNode{"club-" + std::to_string(slot), id}};
        const RemovalRequest request[] = {choices[random.below(5)]};
        Result<RemovalPlan> plan = graphs.plan(request, style, false);
        if (!plan.ok()) continue;  // features that are gone, or the last graph
        graphs.commit(*plan);

        for (const std::string& person : everybody) {
          std::vector<std::size_t> lives_in;
          for (std::size_t g = 0; g < graphs.slots(); ++g) {
            if (graphs.graph(g) != nullptr && living_ids(*graphs.graph(g)).contains(person)) lives_in.push_back(g);
          }
          const RemovalRequest leave[] = {ForgetSubject{person}};
          const Result<RemovalPlan> found = graphs.plan(leave, style, false);
          if (found.ok()) {
            EXPECT_EQ(slots_of(*found), lives_in) << person;
          } else {  // or nothing would be left
            EXPECT_EQ(found.error().code, lives_in.empty() ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument)
                << person;
          }
        }
      }
    }
  }
}

TEST(GraphCollection, TheIdOfARemovedGraphIsForgotten) {
  GraphCollection graphs(shared_ids(4));
  forget(graphs, {ForgetGraph{"club-3"}}, NodeRemoval::kCompact);
  const RemovalRequest by_id[] = {ForgetGraph{"club-3"}};
  const RemovalRequest by_number[] = {ForgetGraph{3u}};
  EXPECT_EQ(graphs.plan(by_id, NodeRemoval::kCompact, false).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(graphs.plan(by_number, NodeRemoval::kCompact, false).error().code, ErrorCode::kInvalidArgument);
  const std::vector<std::string> ids = graphs.remaining().graph_ids;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "club-3"), 0);
}

TEST(GraphCollection, WhatRemainsIsADataSetOfItsOwn) {
  const Dataset dataset = shared_ids(5);
  GraphCollection graphs(dataset);
  forget(graphs, {ForgetGraph{0u}, ForgetGraph{8u}}, NodeRemoval::kCompact);
  const Dataset left = graphs.remaining();
  EXPECT_EQ(left.name, dataset.name);
  EXPECT_EQ(left.class_names, dataset.class_names);  // public: a class without graphs stays a class
  ASSERT_EQ(left.size(), dataset.size() - 2);
  std::size_t row = 0;
  for (std::size_t slot = 0; slot < dataset.size(); ++slot) {
    if (slot == 0 || slot == 8) {
      EXPECT_EQ(graphs.labels()[slot], 0u);
      continue;
    }
    EXPECT_EQ(left.graphs[row], dataset.graphs[slot]);
    EXPECT_EQ(left.labels[row], dataset.labels[slot]);
    EXPECT_EQ(left.graph_ids[row], dataset.graph_ids[slot]);
    ++row;
  }
  // A collection made of it numbers its graphs anew and answers alike.
  GraphCollection again(left);
  EXPECT_EQ(again.living(), left.size());
  EXPECT_EQ(again.remaining().graphs, left.graphs);
}

}  // namespace
}  // namespace unscatter
