// From requests to edited graphs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "unlearn/working_copies.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

namespace {

std::size_t nodes_with_features(const Graph& graph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.node_count(); ++i) count += graph.has_features(i) ? 1u : 0u;
  return count;
}

}  // namespace

void EditCounts::add(const Graph* before, const Graph* after) {
  if (before == nullptr) return;
  if (after == nullptr) {
    ++graphs_removed;
    nodes += before->living_node_count();
    edges += before->edge_count();
    return;
  }
  ++graphs_edited;
  const std::size_t gone = before->living_node_count() - after->living_node_count();
  nodes += gone;
  edges += before->edge_count() - after->edge_count();
  // A node that goes takes its features along.  They are not counted beside it.
  if (gone == 0) features += nodes_with_features(*before) - nodes_with_features(*after);
}

std::size_t RemovalPlan::graphs_removed() const {
  return static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(), [](const GraphChange& c) { return !c.graph; }));
}

// Applies requests one after the other to working copies.  A request that cannot be honoured changes and counts
// nothing, so that the others can go on without it.  So every lookup of a request comes before its first edit.
class Planner {
 public:
  Planner(const GraphCollection& graphs, NodeRemoval style) : copies_(graphs), style_(style) {}

  Status operator()(const ForgetFeatures& request) {
    UNSCATTER_TRY(slot, copies_.find_graph(request.graph));
    UNSCATTER_TRY(node, copies_.find_node(slot, request.node));
    UNSCATTER_CHECK_OK(edit(slot, RemoveFeatures{node}, ChangeKind::kFeatures));
    ++requests_.features;
    return ok_status();
  }
  Status operator()(const ForgetNode& request) {
    UNSCATTER_TRY(slot, copies_.find_graph(request.graph));
    UNSCATTER_TRY(node, copies_.find_node(slot, request.node));
    UNSCATTER_CHECK_OK(remove_node(slot, node));
    ++requests_.nodes;
    return ok_status();
  }
  Status operator()(const ForgetEdge& request) {
    UNSCATTER_TRY(slot, copies_.find_graph(request.graph));
    UNSCATTER_TRY(from, copies_.find_node(slot, request.from));
    UNSCATTER_TRY(to, copies_.find_node(slot, request.to));
    if (!copies_.current(slot)->has_edge(from, to)) {  // in the request's own numbers, which the edit does not know
      return Error{ErrorCode::kNotFound, "there is no such edge (or it is removed already)"};
    }
    UNSCATTER_CHECK_OK(edit(slot, RemoveEdge{from, to}, ChangeKind::kStructure));
    ++requests_.edges;
    return ok_status();
  }
  Status operator()(const ForgetGraph& request) {
    UNSCATTER_TRY(slot, copies_.find_graph(request.graph));
    present_.add(copies_.current(slot), nullptr);
    WorkingCopies::drop(copies_.change_of(slot));
    ++requests_.graphs;
    return ok_status();
  }
  Status operator()(const ForgetSubject& request) {
    bool found = false;
    // The index is that of the session, before this batch.  Graphs and nodes that the batch has removed are passed
    // over.
    for (const std::size_t slot : copies_.slots_of_subject(request.id)) {
      if (copies_.current(slot) == nullptr) continue;
      const Result<NodeIndex> node = copies_.find_node(slot, request.id);
      if (!node.ok()) continue;  // removed earlier in this batch
      // A refused request must leave no part of it behind, and this one has been in other graphs already.  It cannot
      // fail: the node is there.
      invariant(remove_node(slot, *node).ok(), "a node that is there can be removed");
      found = true;
    }
    // Not a success: somebody with a misspelt id would get a receipt for nothing.
    if (!found) return Error{ErrorCode::kNotFound, "no graph has such a node (or all are removed already)"};
    ++requests_.subjects;
    return ok_status();
  }

  // Returns those that cannot be honoured: all of them, or the first if it is to stop there.
  [[nodiscard]] std::vector<Error> apply_all(std::span<const RemovalRequest> requests, OnRefusal on_refusal) {
    std::vector<Error> refused;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      // A request sees what the earlier ones of the batch left (docs/theory.md, "Data and requests").
      present_ = {};
      const Status status = std::visit(*this, requests[r]);
      if (status.ok()) {
        edits_.push_back(present_);
        continue;
      }
      const Error& why = status.error();
      refused.push_back({why.code, fmt::format("{}: {}", describe(requests[r]), why.message), r});
      if (on_refusal != OnRefusal::kPassOver) break;
    }
    return refused;
  }

  void drop_all() { copies_.drop_all(); }

  [[nodiscard]] RemovalPlan take_plan() { return {copies_.take_changes(), requests_, {}, std::move(edits_)}; }

 private:
  Status edit(std::size_t slot, const GraphEdit& graph_edit, ChangeKind kind) {
    // Before the copy is asked for: a refused edit must not leave an entry for a graph that nothing happens to.
    UNSCATTER_TRY(edited, apply(*copies_.current(slot), graph_edit));
    present_.add(copies_.current(slot), edited ? &*edited : nullptr);
    if (edited) {
      copies_.replace(slot, *std::move(edited), kind);
    } else {
      WorkingCopies::drop(copies_.change_of(slot));
    }
    return ok_status();
  }

  Status remove_node(std::size_t slot, NodeIndex node) {
    const std::size_t count = copies_.current(slot)->node_count();
    UNSCATTER_CHECK_OK(edit(slot, RemoveNode{node, style_}, ChangeKind::kStructure));
    GraphChange& change = copies_.change_of(slot);
    // A tombstone keeps its place, so all numbers stay.
    if (!change.graph || style_ == NodeRemoval::kTombstone) return ok_status();
    if (change.numbers.empty()) {
      change.numbers.resize(count);
      for (std::size_t i = 0; i < count; ++i) change.numbers[i] = static_cast<std::uint32_t>(i);
    }
    change.numbers.erase(change.numbers.begin() + node);
    return ok_status();
  }

  WorkingCopies copies_;
  NodeRemoval style_;
  RequestCounts requests_;
  EditCounts present_;             // of the request that is applied now
  std::vector<EditCounts> edits_;  // one per request that is honoured
};

Result<RemovalPlan> GraphCollection::plan(std::span<const RemovalRequest> requests, NodeRemoval style,
                                          bool whole_graphs, OnRefusal on_refusal) const {
  if (requests.empty()) return Error{ErrorCode::kInvalidArgument, "there is nothing to forget: the batch is empty"};
  Planner planner(*this, style);
  std::vector<Error> refused = planner.apply_all(requests, on_refusal);
  if (!refused.empty() && on_refusal == OnRefusal::kRefuseBatch) return std::move(refused.front());
  // After the requests were applied: each of them still has to be one that could be honoured.
  if (whole_graphs) planner.drop_all();
  RemovalPlan plan = planner.take_plan();
  plan.refused = std::move(refused);
  // Without a graph there is no optimum to compare with, and no certificate.
  if (plan.graphs_removed() == living_) {
    return Error{ErrorCode::kInvalidArgument,
                 "nothing would be left to learn from; to forget everything, delete the model and the data"};
  }
  return plan;
}

}  // namespace unscatter
