#include "unlearn/graph_collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/wipe.h"
#include "unscatter/base/digest.h"

namespace unscatter {
namespace {

// Takes an entry out of a map keyed by text and overwrites the text.  erase() would free the id and leave its bytes in
// memory.
template <typename Map>
void erase_and_wipe(Map& map, typename Map::iterator entry) noexcept {
  auto node = map.extract(entry);
  wipe(node.key());
}

}  // namespace

GraphCollection::GraphCollection(Dataset dataset)
    : name_(std::move(dataset.name)),
      labels_(std::move(dataset.labels)),
      class_names_(std::move(dataset.class_names)),
      graph_ids_(std::move(dataset.graph_ids)),
      graph_numbers_(std::move(dataset.numbers)),
      living_(dataset.graphs.size()),
      numbers_(dataset.graphs.size()) {
  graphs_.reserve(dataset.graphs.size());
  node_counts_.reserve(dataset.graphs.size());
  for (Graph& graph : dataset.graphs) {
    node_counts_.push_back(static_cast<std::uint32_t>(graph.node_count()));
    graphs_.emplace_back(std::move(graph));
    add_to_index(graphs_.size() - 1);
  }
}

void GraphCollection::add_to_index(std::size_t slot) {
  const Graph& graph = *graphs_[slot];
  for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
    // A tombstone is no subject any more.  Nobody can ask for it a second time.
    if (graph.state(i) != NodeState::kTombstone) slots_of_subject_[graph.node_id(i)].push_back(slot);
  }
  if (!graph_ids_.empty()) slot_of_graph_id_[graph_ids_[slot]] = slot;
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
    dataset.numbers.push_back(number_of(slot));
  }
  // As a data set that never had other graphs would have it.
  if (dataset.numbers.back() + 1 == dataset.size()) dataset.numbers.clear();  // ascending, so they are 0, 1, 2, ...
  return dataset;
}

SlotSnapshot GraphCollection::save(std::size_t slot) const {
  return {number_of(slot),    graphs_[slot], labels_[slot], graph_ids_.empty() ? "" : graph_ids_[slot],
          node_counts_[slot], numbers_[slot]};
}

Result<GraphCollection> GraphCollection::restore(SessionSnapshot& snapshot) {
  const auto broken = [](std::size_t slot, std::string_view what) {
    return Error{ErrorCode::kMalformedInput, fmt::format("graph in slot {}: {}", slot, what)};
  };
  GraphCollection graphs;
  graphs.name_ = std::move(snapshot.name);
  graphs.class_names_ = std::move(snapshot.class_names);
  // An empty slot has lost its id, so one living graph decides whether the data has ids.
  const auto has_id = [](const SlotSnapshot& slot) { return !slot.graph_id.empty(); };
  const bool ids = std::any_of(snapshot.slots.begin(), snapshot.slots.end(), has_id);
  for (SlotSnapshot& kept : snapshot.slots) {
    const std::size_t slot = graphs.slots();
    // Numbers are searched by halving.  A number out of order would hide a graph from requests.
    if (slot > 0 && kept.number <= graphs.graph_numbers_.back()) return broken(slot, "its number does not ascend");
    // A removed graph must be gone with all that was known of it (docs/workspace-format.md, "Tables").
    if (!kept.graph &&
        (has_id(kept) || kept.label != 0 || kept.node_count_at_creation != 0 || !kept.node_numbers.empty())) {
      return broken(slot, "it is removed, but something of it is left");
    }
    if (kept.graph && ids && !has_id(kept)) return broken(slot, "it has no id, but others have");
    if (kept.graph && kept.label >= graphs.class_names_.size()) return broken(slot, "there is no such class");
    if (kept.graph) {
      // Wrong numbers would make a request for one node remove another one.
      const std::vector<std::uint32_t>& numbers = kept.node_numbers;
      const bool fits = numbers.empty() ? kept.graph->node_count() == kept.node_count_at_creation
                                        : numbers.size() == kept.graph->node_count() &&
                                              std::adjacent_find(numbers.begin(), numbers.end(),
                                                                 std::greater_equal<>()) == numbers.end() &&
                                              numbers.back() < kept.node_count_at_creation;
      if (!fits) return broken(slot, "its nodes' numbers do not fit");
      ++graphs.living_;
    }
    graphs.graph_numbers_.push_back(kept.number);
    graphs.graphs_.push_back(std::move(kept.graph));
    graphs.labels_.push_back(kept.label);
    if (ids) graphs.graph_ids_.push_back(std::move(kept.graph_id));
    graphs.node_counts_.push_back(kept.node_count_at_creation);
    graphs.numbers_.push_back(std::move(kept.node_numbers));
    if (graphs.graphs_[slot]) graphs.add_to_index(slot);
  }
  graphs.others_ = std::move(snapshot.others);
  if (graphs.others_) {
    const OtherSlots& others = *graphs.others_;
    if (others.places.size() != graphs.slots()) return broken(graphs.slots(), "its place is not known");
    graphs.living_ += others.graphs;
  }
  if (graphs.living_ == 0) return Error{ErrorCode::kMalformedInput, "there is no graph to learn from"};
  return graphs;
}

std::vector<RemovalRequest> GraphCollection::memberships_beyond(std::size_t most) const {
  std::vector<RemovalRequest> requests;
  for (const auto& [subject, slots] : slots_of_subject_) {
    if (slots.size() <= most) continue;
    std::vector<std::pair<Digest, std::size_t>> ranked;
    ranked.reserve(slots.size());
    for (const std::size_t slot : slots) {
      Hasher hasher;
      hasher.add(std::string_view("unscatter membership 1")).add(std::string_view(subject));
      if (graph_ids_.empty()) {
        hasher.add(static_cast<std::uint64_t>(number_of(slot)));
      } else {
        hasher.add(std::string_view(graph_ids_[slot]));
      }
      ranked.emplace_back(hasher.finish(), slot);
    }
    std::sort(ranked.begin(), ranked.end(), [](const auto& one, const auto& other) {
      return std::tie(one.first.bytes, one.second) < std::tie(other.first.bytes, other.second);
    });
    for (std::size_t i = most; i < ranked.size(); ++i) {
      requests.emplace_back(ForgetNode{number_of(ranked[i].second), subject});
    }
  }
  return requests;
}

void GraphCollection::forget_ids(std::size_t slot, const Graph& before, const Graph* after) noexcept {
  if (before.has_node_ids()) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < before.node_count(); ++i) {
      // Nodes that stay keep their order, so one pass over both graphs finds those that went.  commit() must not fail,
      // and a set of ids would need memory.
      const std::string& id = before.node_id(i);
      if (after != nullptr && next < after->node_count() && after->node_id(next) == id) {
        ++next;
        continue;
      }
      // A tombstone keeps its place under another id.  A compact removal closes the gap.
      if (after != nullptr && after->node_count() == before.node_count()) ++next;
      const auto entry = slots_of_subject_.find(id);
      if (entry == slots_of_subject_.end()) continue;
      std::erase(entry->second, slot);
      // Other graphs may still have a node of this subject.
      if (entry->second.empty()) erase_and_wipe(slots_of_subject_, entry);
    }
  }
  if (after == nullptr && !graph_ids_.empty()) {
    if (const auto entry = slot_of_graph_id_.find(graph_ids_[slot]); entry != slot_of_graph_id_.end()) {
      erase_and_wipe(slot_of_graph_id_, entry);
    }
    // The map and the list each have a copy of the id.
    wipe(graph_ids_[slot]);
  }
}

void GraphCollection::set_classes(std::vector<std::string>&& names, std::vector<std::uint32_t>&& labels) noexcept {
  // The name of a class that left may be known from its graphs alone.
  for (std::string& name : class_names_) wipe(name);
  wipe(labels_);
  class_names_ = std::move(names);
  labels_ = std::move(labels);
}

void GraphCollection::commit(RemovalPlan& plan) noexcept {
  take_room();
  for (GraphChange& change : plan.changes) {
    if (change.kind == ChangeKind::kAdded) {
      append(change);
      continue;
    }
    std::optional<Graph>& kept = graphs_[change.slot];
    forget_ids(change.slot, *kept, change.graph ? &*change.graph : nullptr);
    // After forget_ids(), which still reads the old ids.
    kept->wipe();
    kept = std::move(change.graph);
    numbers_[change.slot] = std::move(change.numbers);
    if (change.label) labels_[change.slot] = *change.label;
    if (!kept) {
      // Label and size are data about the graph too.
      labels_[change.slot] = 0;
      node_counts_[change.slot] = 0;
      --living_;
    }
  }
}

}  // namespace unscatter
