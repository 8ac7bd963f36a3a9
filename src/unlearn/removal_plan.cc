// From requests to edited graphs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "unlearn/graph_collection.h"
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
  Planner(const GraphCollection& graphs, NodeRemoval style) : graphs_(graphs), style_(style) {}

  Status operator()(const ForgetFeatures& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    UNSCATTER_TRY(node, find_node(slot, request.node));
    UNSCATTER_CHECK_OK(edit(slot, RemoveFeatures{node}, ChangeKind::kFeatures));
    ++requests_.features;
    return ok_status();
  }
  Status operator()(const ForgetNode& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    UNSCATTER_TRY(node, find_node(slot, request.node));
    UNSCATTER_CHECK_OK(remove_node(slot, node));
    ++requests_.nodes;
    return ok_status();
  }
  Status operator()(const ForgetEdge& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    UNSCATTER_TRY(from, find_node(slot, request.from));
    UNSCATTER_TRY(to, find_node(slot, request.to));
    if (!current(slot)->has_edge(from, to)) {  // in the request's own numbers, which the edit does not know
      return Error{ErrorCode::kNotFound, "there is no such edge (or it is removed already)"};
    }
    UNSCATTER_CHECK_OK(edit(slot, RemoveEdge{from, to}, ChangeKind::kStructure));
    ++requests_.edges;
    return ok_status();
  }
  Status operator()(const ForgetGraph& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    present_.add(current(slot), nullptr);
    drop(change_of(slot));
    ++requests_.graphs;
    return ok_status();
  }
  Status operator()(const ForgetSubject& request) {
    const auto entry = graphs_.slots_of_subject_.find(request.id);
    bool found = false;
    if (entry != graphs_.slots_of_subject_.end()) {
      // The index is that of the session, before this batch.  Graphs and nodes that the batch has removed are passed
      // over.
      for (const std::size_t slot : entry->second) {
        if (current(slot) == nullptr) continue;
        const Result<NodeIndex> node = find_node(slot, request.id);
        if (!node.ok()) continue;  // removed earlier in this batch
        // A refused request must leave no part of it behind, and this one has been in other graphs already.  It cannot
        // fail: the node is there.
        invariant(remove_node(slot, *node).ok(), "a node that is there can be removed");
        found = true;
      }
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

  void drop_all() {
    for (auto& [slot, change] : changes_) drop(change);
  }

  [[nodiscard]] RemovalPlan take_plan() {
    RemovalPlan plan{{}, requests_, {}, std::move(edits_)};
    plan.changes.reserve(changes_.size());
    for (auto& [slot, change] : changes_) plan.changes.push_back(std::move(change));
    return plan;
  }

 private:
  // The graph as earlier requests of this batch left it; null if they removed it.
  [[nodiscard]] const Graph* current(std::size_t slot) const {
    const auto touched = changes_.find(slot);
    if (touched == changes_.end()) return graphs_.graph(slot);
    return touched->second.graph ? &*touched->second.graph : nullptr;
  }

  [[nodiscard]] Result<std::size_t> slot_of_number(std::size_t number) const {
    // Without a list of numbers, slot and number are the same.
    const std::vector<std::size_t>& numbers = graphs_.graph_numbers_;
    if (numbers.empty() && graphs_.others() == nullptr) {
      if (number < graphs_.slots()) return number;
      return Error{ErrorCode::kNotFound, fmt::format("there is no graph {} among {}", number, graphs_.slots())};
    }
    const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
    if (place != numbers.end() && *place == number) return static_cast<std::size_t>(place - numbers.begin());
    return Error{ErrorCode::kNotFound,
                 fmt::format("graph {} is not among the {} that were learned from", number, graphs_.all_slots())};
  }

  [[nodiscard]] Result<std::size_t> find_graph(const GraphKey& key) const {
    std::size_t slot = 0;
    if (const auto* id = std::get_if<std::string>(&key)) {
      const auto entry = graphs_.slot_of_graph_id_.find(*id);
      if (entry == graphs_.slot_of_graph_id_.end()) {
        return Error{ErrorCode::kNotFound, fmt::format("there is no graph '{}' (or it is removed already)", *id)};
      }
      slot = entry->second;
    } else {
      UNSCATTER_TRY(found, slot_of_number(std::get<std::size_t>(key)));
      slot = found;
    }
    if (current(slot) == nullptr) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("graph {} is removed already", graphs_.number_of(slot))};
    }
    return slot;
  }

  // Where the node stands in current(slot).
  [[nodiscard]] Result<NodeIndex> find_node(std::size_t slot, const NodeKey& key) const {
    const Graph& graph = *current(slot);
    if (const auto* id = std::get_if<std::string>(&key)) {
      // A tombstone keeps a place but no id that counts.
      for (NodeIndex i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
        if (graph.node_id(i) == *id && graph.state(i) != NodeState::kTombstone) return i;
      }
      return Error{ErrorCode::kNotFound,
                   fmt::format("graph {} has no node '{}' (or it is removed already)", graphs_.number_of(slot), *id)};
    }
    const std::size_t number = std::get<std::size_t>(key);
    if (number >= graphs_.node_counts_[slot]) {
      return Error{ErrorCode::kNotFound, fmt::format("graph {} has no node {}; it began with {}",
                                                     graphs_.number_of(slot), number, graphs_.node_counts_[slot])};
    }
    // Numbers at creation name nodes for ever.  The list says which of them are left, and where they stand now.
    const auto touched = changes_.find(slot);
    const std::vector<std::uint32_t>& numbers =
        touched == changes_.end() ? graphs_.numbers_[slot] : touched->second.numbers;
    auto index = static_cast<NodeIndex>(number);
    if (!numbers.empty()) {
      const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
      if (place == numbers.end() || *place != number) return removed_already(slot, number);
      index = static_cast<NodeIndex>(place - numbers.begin());
    }
    if (graph.state(index) == NodeState::kTombstone) return removed_already(slot, number);
    return index;
  }

  [[nodiscard]] Error removed_already(std::size_t slot, std::size_t number) const {
    return {ErrorCode::kInvalidArgument,
            fmt::format("node {} of graph {} is removed already", number, graphs_.number_of(slot))};
  }

  // The caller sets the graph of a new change.
  GraphChange& change_of(std::size_t slot) {
    const auto [entry, is_new] = changes_.try_emplace(slot);
    if (is_new) entry->second = {slot, std::nullopt, graphs_.numbers_[slot], ChangeKind::kFeatures};
    return entry->second;
  }

  // A working copy still holds what this batch removes.  So it is overwritten too.
  static void drop(GraphChange& change) {
    if (change.graph) change.graph->wipe();
    change.graph.reset();
    change.numbers.clear();
    change.kind = ChangeKind::kRemoved;
  }

  Status edit(std::size_t slot, const GraphEdit& graph_edit, ChangeKind kind) {
    // Before change_of(): a refused edit must not leave an entry for a graph that nothing happens to.
    UNSCATTER_TRY(edited, apply(*current(slot), graph_edit));
    present_.add(current(slot), edited ? &*edited : nullptr);
    GraphChange& change = change_of(slot);
    if (!edited) {
      drop(change);
      return ok_status();
    }
    if (change.graph) change.graph->wipe();
    change.graph = *std::move(edited);
    // Bounds read the kind, and the largest effect of the batch is the one that they have to cover.
    change.kind = std::max(change.kind, kind);
    return ok_status();
  }

  Status remove_node(std::size_t slot, NodeIndex node) {
    const std::size_t count = current(slot)->node_count();
    UNSCATTER_CHECK_OK(edit(slot, RemoveNode{node, style_}, ChangeKind::kStructure));
    GraphChange& change = change_of(slot);
    // A tombstone keeps its place, so all numbers stay.
    if (!change.graph || style_ == NodeRemoval::kTombstone) return ok_status();
    if (change.numbers.empty()) {
      change.numbers.resize(count);
      for (std::size_t i = 0; i < count; ++i) change.numbers[i] = static_cast<std::uint32_t>(i);
    }
    change.numbers.erase(change.numbers.begin() + node);
    return ok_status();
  }

  const GraphCollection& graphs_;
  NodeRemoval style_;
  RequestCounts requests_;
  EditCounts present_;             // of the request that is applied now
  std::vector<EditCounts> edits_;  // one per request that is honoured
  // By slot and ascending, so that the update does not depend on the order in which graphs were named.
  std::map<std::size_t, GraphChange> changes_;
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
