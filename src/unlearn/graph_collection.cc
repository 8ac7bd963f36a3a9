#include "unlearn/graph_collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "unscatter/base/invariant.h"
#include "unscatter/base/wipe.h"

namespace unscatter {
namespace {

// Takes an entry out of a map keyed by text and overwrites the text.
template <typename Map>
void erase_and_wipe(Map& map, typename Map::iterator entry) noexcept {
  auto node = map.extract(entry);
  wipe(node.key());
}

}  // namespace

std::size_t RemovalPlan::graphs_removed() const {
  return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [](const GraphChange& c) { return !c.graph; }));
}

GraphCollection::GraphCollection(Dataset dataset)
    : name_(std::move(dataset.name)),
      labels_(std::move(dataset.labels)),
      class_names_(std::move(dataset.class_names)),
      graph_ids_(std::move(dataset.graph_ids)),
      living_(dataset.graphs.size()),
      numbers_(dataset.graphs.size()) {
  graphs_.reserve(dataset.graphs.size());
  node_counts_.reserve(dataset.graphs.size());
  for (Graph& graph : dataset.graphs) {
    const std::size_t slot = graphs_.size();
    node_counts_.push_back(static_cast<std::uint32_t>(graph.node_count()));
    for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
      if (graph.state(i) != NodeState::kTombstone) slots_of_subject_[graph.node_id(i)].push_back(slot);
    }
    graphs_.emplace_back(std::move(graph));
  }
  for (std::size_t slot = 0; slot < graph_ids_.size(); ++slot) slot_of_graph_id_[graph_ids_[slot]] = slot;
}

const Graph* GraphCollection::graph(std::size_t slot) const {
  return slot < graphs_.size() && graphs_[slot] ? &*graphs_[slot] : nullptr;
}

Dataset GraphCollection::remaining() const {
  Dataset dataset;
  dataset.name = name_;
  dataset.class_names = class_names_;
  for (std::size_t slot = 0; slot < graphs_.size(); ++slot) {
    if (!graphs_[slot]) continue;
    dataset.graphs.push_back(*graphs_[slot]);
    dataset.labels.push_back(labels_[slot]);
    if (!graph_ids_.empty()) dataset.graph_ids.push_back(graph_ids_[slot]);
  }
  return dataset;
}

// Applies requests one after the other to working copies.
class Planner {
 public:
  Planner(const GraphCollection& graphs, NodeRemoval style) : graphs_(graphs), style_(style) {}

  Status operator()(const ForgetFeatures& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    UNSCATTER_TRY(node, find_node(slot, request.node));
    ++plan_.requests.features;
    return edit(slot, RemoveFeatures{node}, ChangeKind::kFeatures);
  }
  Status operator()(const ForgetNode& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    UNSCATTER_TRY(node, find_node(slot, request.node));
    ++plan_.requests.nodes;
    return remove_node(slot, node);
  }
  Status operator()(const ForgetEdge& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    UNSCATTER_TRY(from, find_node(slot, request.from));
    UNSCATTER_TRY(to, find_node(slot, request.to));
    ++plan_.requests.edges;
    if (!current(slot)->has_edge(from, to)) {  // in the request's own numbers, which the edit does not know
      return Error{ErrorCode::kNotFound, "there is no such edge (or it is removed already)"};
    }
    return edit(slot, RemoveEdge{from, to}, ChangeKind::kStructure);
  }
  Status operator()(const ForgetGraph& request) {
    UNSCATTER_TRY(slot, find_graph(request.graph));
    ++plan_.requests.graphs;
    drop(change_of(slot));
    return ok_status();
  }
  Status operator()(const ForgetSubject& request) {
    ++plan_.requests.subjects;
    const auto entry = graphs_.slots_of_subject_.find(request.id);
    bool found = false;
    if (entry != graphs_.slots_of_subject_.end()) {
      for (const std::size_t slot : entry->second) {
        if (current(slot) == nullptr) continue;
        const Result<NodeIndex> node = find_node(slot, request.id);
        if (!node.ok()) continue;  // removed earlier in this batch
        UNSCATTER_CHECK_OK(remove_node(slot, *node));
        found = true;
      }
    }
    if (!found) return Error{ErrorCode::kNotFound, "no graph has such a node (or all are removed already)"};
    return ok_status();
  }

  void drop_all() {
    for (GraphChange& change : plan_.changes) drop(change);
  }

  [[nodiscard]] RemovalPlan& plan() { return plan_; }

 private:
  // The graph as earlier requests of this batch left it; null if they removed it.
  [[nodiscard]] const Graph* current(std::size_t slot) const {
    const auto touched = change_at_.find(slot);
    if (touched == change_at_.end()) return graphs_.graph(slot);
    const GraphChange& change = plan_.changes[touched->second];
    return change.graph ? &*change.graph : nullptr;
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
      slot = std::get<std::size_t>(key);
      if (slot >= graphs_.slots()) {
        return Error{ErrorCode::kNotFound, fmt::format("there is no graph {} among {}", slot, graphs_.slots())};
      }
    }
    if (current(slot) == nullptr) return Error{ErrorCode::kInvalidArgument, fmt::format("graph {} is removed already", slot)};
    return slot;
  }

  // Where the node stands in current(slot).
  [[nodiscard]] Result<NodeIndex> find_node(std::size_t slot, const NodeKey& key) const {
    const Graph& graph = *current(slot);
    if (const auto* id = std::get_if<std::string>(&key)) {
      for (NodeIndex i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
        if (graph.node_id(i) == *id && graph.state(i) != NodeState::kTombstone) return i;
      }
      return Error{ErrorCode::kNotFound, fmt::format("graph {} has no node '{}' (or it is removed already)", slot, *id)};
    }
    const std::size_t number = std::get<std::size_t>(key);
    if (number >= graphs_.node_counts_[slot]) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("graph {} has no node {}; it began with {}", slot, number, graphs_.node_counts_[slot])};
    }
    const auto touched = change_at_.find(slot);
    const std::vector<std::uint32_t>& numbers =
        touched == change_at_.end() ? graphs_.numbers_[slot] : plan_.changes[touched->second].numbers;
    auto index = static_cast<NodeIndex>(number);
    if (!numbers.empty()) {
      const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
      if (place == numbers.end() || *place != number) return removed_already(slot, number);
      index = static_cast<NodeIndex>(place - numbers.begin());
    }
    if (graph.state(index) == NodeState::kTombstone) return removed_already(slot, number);
    return index;
  }

  static Error removed_already(std::size_t slot, std::size_t number) {
    return {ErrorCode::kInvalidArgument, fmt::format("node {} of graph {} is removed already", number, slot)};
  }

  // The caller sets the graph of a new change.
  GraphChange& change_of(std::size_t slot) {
    const auto [entry, is_new] = change_at_.try_emplace(slot, plan_.changes.size());
    if (is_new) plan_.changes.push_back({slot, std::nullopt, graphs_.numbers_[slot], ChangeKind::kFeatures});
    return plan_.changes[entry->second];
  }

  // A working copy still holds what this batch removes, so it is overwritten too.
  static void drop(GraphChange& change) {
    if (change.graph) change.graph->wipe();
    change.graph.reset();
    change.numbers.clear();
    change.kind = ChangeKind::kRemoved;
  }

  Status edit(std::size_t slot, const GraphEdit& graph_edit, ChangeKind kind) {
    UNSCATTER_TRY(edited, apply(*current(slot), graph_edit));
    GraphChange& change = change_of(slot);
    if (!edited) {
      drop(change);
      return ok_status();
    }
    if (change.graph) change.graph->wipe();
    change.graph = *std::move(edited);
    change.kind = std::max(change.kind, kind);
    return ok_status();
  }

  Status remove_node(std::size_t slot, NodeIndex node) {
    const std::size_t count = current(slot)->node_count();
    UNSCATTER_CHECK_OK(edit(slot, RemoveNode{node, style_}, ChangeKind::kStructure));
    GraphChange& change = change_of(slot);
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
  RemovalPlan plan_;
  std::unordered_map<std::size_t, std::size_t> change_at_;  // slot -> index in plan_.changes
};

Result<RemovalPlan> GraphCollection::plan(std::span<const RemovalRequest> requests, NodeRemoval style,
                                          bool whole_graphs) const {
  if (requests.empty()) return Error{ErrorCode::kInvalidArgument, "there is nothing to forget: the batch is empty"};
  Planner planner(*this, style);
  for (std::size_t r = 0; r < requests.size(); ++r) {
    Status status = std::visit(planner, requests[r]);
    if (status.ok()) continue;
    const std::string where = requests.size() == 1 ? "" : fmt::format("request {} of {}: ", r + 1, requests.size());
    return Error{status.error().code, fmt::format("{}{}: {}", where, describe(requests[r]), status.error().message)};
  }
  if (whole_graphs) planner.drop_all();
  RemovalPlan& plan = planner.plan();
  if (plan.graphs_removed() == living_) {
    return Error{ErrorCode::kInvalidArgument,
                 "nothing would be left to learn from; to forget everything, delete the model and the data"};
  }
  // Ascending, so that the update does not depend on the order in which graphs were named.
  std::sort(plan.changes.begin(), plan.changes.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
  return std::move(plan);
}

void GraphCollection::forget_ids(std::size_t slot, const Graph& before, const Graph* after) noexcept {
  if (before.has_node_ids()) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < before.node_count(); ++i) {
      const std::string& id = before.node_id(i);
      if (after != nullptr && next < after->node_count() && after->node_id(next) == id) {
        ++next;
        continue;
      }
      // A tombstone keeps its place under another id; a compact removal closes the gap.
      if (after != nullptr && after->node_count() == before.node_count()) ++next;
      const auto entry = slots_of_subject_.find(id);
      if (entry == slots_of_subject_.end()) continue;
      std::erase(entry->second, slot);
      if (entry->second.empty()) erase_and_wipe(slots_of_subject_, entry);
    }
  }
  if (after == nullptr && !graph_ids_.empty()) {
    if (const auto entry = slot_of_graph_id_.find(graph_ids_[slot]); entry != slot_of_graph_id_.end()) {
      erase_and_wipe(slot_of_graph_id_, entry);
    }
    wipe(graph_ids_[slot]);
  }
}

void GraphCollection::commit(RemovalPlan& plan) noexcept {
  for (GraphChange& change : plan.changes) {
    std::optional<Graph>& kept = graphs_[change.slot];
    forget_ids(change.slot, *kept, change.graph ? &*change.graph : nullptr);
    kept->wipe();
    kept = std::move(change.graph);
    numbers_[change.slot] = std::move(change.numbers);
    if (!kept) {
      labels_[change.slot] = 0;
      --living_;
    }
  }
}

}  // namespace unscatter
