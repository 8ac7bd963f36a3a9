#include "unlearn/working_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace unscatter {

const Graph* WorkingCopies::current(std::size_t slot) const {
  const auto touched = changes_.find(slot);
  if (touched == changes_.end()) return graphs_.graph(slot);
  return touched->second.graph ? &*touched->second.graph : nullptr;
}

Result<std::size_t> WorkingCopies::slot_of_number(std::size_t number) const {
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

Result<std::size_t> WorkingCopies::find_graph(const GraphKey& key) const {
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

Result<NodeIndex> WorkingCopies::find_node(std::size_t slot, const NodeKey& key) const {
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
    return Error{ErrorCode::kNotFound, fmt::format("graph {} has no node {}; it began with {}", graphs_.number_of(slot),
                                                   number, graphs_.node_counts_[slot])};
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

Error WorkingCopies::removed_already(std::size_t slot, std::size_t number) const {
  return {ErrorCode::kInvalidArgument,
          fmt::format("node {} of graph {} is removed already", number, graphs_.number_of(slot))};
}

std::uint32_t WorkingCopies::label(std::size_t slot) const {
  const auto touched = changes_.find(slot);
  if (touched != changes_.end() && touched->second.label) return *touched->second.label;
  return graphs_.labels_[slot];
}

std::span<const std::size_t> WorkingCopies::slots_of_subject(const std::string& id) const {
  const auto entry = graphs_.slots_of_subject_.find(id);
  if (entry == graphs_.slots_of_subject_.end()) return {};
  return entry->second;
}

GraphChange& WorkingCopies::change_of(std::size_t slot) {
  const auto [entry, is_new] = changes_.try_emplace(slot);
  if (is_new) {
    entry->second.slot = slot;
    entry->second.numbers = graphs_.numbers_[slot];
  }
  return entry->second;
}

void WorkingCopies::replace(std::size_t slot, Graph&& graph, ChangeKind kind) {
  GraphChange& change = change_of(slot);
  if (change.graph) change.graph->wipe();
  change.graph = std::move(graph);
  // Bounds read the kind, and the largest effect of the batch is the one that they have to cover.
  change.kind = std::max(change.kind, kind);
}

void WorkingCopies::drop(GraphChange& change) noexcept {
  if (change.graph) change.graph->wipe();
  change.graph.reset();
  change.numbers.clear();
  change.kind = ChangeKind::kRemoved;
}

void WorkingCopies::drop_all() noexcept {
  for (auto& [slot, change] : changes_) drop(change);
}

std::vector<GraphChange> WorkingCopies::take_changes() {
  std::vector<GraphChange> changes;
  changes.reserve(changes_.size());
  for (auto& [slot, change] : changes_) changes.push_back(std::move(change));
  changes_.clear();
  return changes;
}

}  // namespace unscatter
