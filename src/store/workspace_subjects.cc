// What is held about people, for those who ask.
#include <fnmatch.h>

#include <utility>
#include <vector>

#include "store/expiry.h"
#include "store/stored_graph.h"
#include "store/subject_slots.h"
#include "store/workspace_state.h"

namespace unscatter {
namespace {

std::size_t number_at_creation(const SlotSnapshot& slot, std::size_t i) {
  return slot.node_numbers.empty() ? i : slot.node_numbers[i];
}

// Both directions: row i of a directed graph lists the nodes with an edge to i only.
std::vector<HeldEdge> edges_of(const SlotSnapshot& slot, std::size_t subject) {
  using Direction = HeldEdge::Direction;
  const Graph& graph = *slot.graph;
  std::vector<HeldEdge> edges;
  const auto add = [&](std::size_t other, Direction direction, std::size_t row, std::size_t place) {
    HeldEdge edge{number_at_creation(slot, other), graph.node_id(other), direction, std::nullopt};
    if (graph.has_weights()) edge.weight = graph.weights(row)[place];
    edges.push_back(std::move(edge));
  };
  for (std::size_t k = 0; k < graph.degree(subject); ++k) {
    add(graph.neighbours(subject)[k], graph.directed() ? Direction::kToSubject : Direction::kBoth, subject, k);
  }
  for (std::size_t row = 0; graph.directed() && row < graph.node_count(); ++row) {
    for (std::size_t k = 0; k < graph.degree(row); ++k) {
      if (graph.neighbours(row)[k] == subject) add(row, Direction::kFromSubject, row, k);
    }
  }
  return edges;
}

HeldNode held_node(const SlotSnapshot& slot, std::size_t i) {
  const Graph& graph = *slot.graph;
  HeldNode node;
  node.number = number_at_creation(slot, i);
  node.has_features = graph.has_features(i);
  // Zeros in the place of removed features are not features.
  if (node.has_features) {
    if (graph.has_labels()) node.label = graph.label(i);
    node.attributes.assign(graph.attributes(i).begin(), graph.attributes(i).end());
    if (graph.has_positions()) node.position.assign(graph.position(i).begin(), graph.position(i).end());
  }
  node.edges = edges_of(slot, i);
  return node;
}

bool fits(const std::string& text, const std::string& id) {
  if (text.find_first_of("*?") == std::string::npos) return id.find(text) != std::string::npos;
  return ::fnmatch(text.c_str(), id.c_str(), 0) == 0;
}

}  // namespace

Result<HeldSubject> Workspace::subject(const std::string& id) const {
  const Database& database = state_->database;
  HeldSubject held;
  UNSCATTER_TRY(due, read_due(database, id));
  held.due = due;
  UNSCATTER_TRY(slots, slots_with(state_->tables, std::span(&id, 1)));
  for (const std::size_t place : slots.front()) {
    UNSCATTER_TRY(row, read_graph(state_->tables, place));
    UNSCATTER_TRY(slot, slot_from_row(row));
    UNSCATTER_TRY(date, read_due(database, place));
    HeldGraph graph{slot.number, slot.graph_id, state_->contents.class_names.at(slot.label), date, {}};
    for (std::size_t i = 0; i < slot.graph->node_count(); ++i) {
      if (slot.graph->node_id(i) == id && slot.graph->state(i) != NodeState::kTombstone) {
        graph.nodes.push_back(held_node(slot, i));
      }
    }
    held.graphs.push_back(std::move(graph));
  }
  return held;
}

Result<SubjectList> Workspace::subjects(const SubjectSearch& search) const {
  UNSCATTER_TRY(counts, graphs_per_subject(state_->tables));
  SubjectList list;
  list.subjects = counts.size();
  for (const auto& [id, graphs] : counts) {
    if (!fits(search.text, id)) continue;
    const std::size_t place = list.found++;
    if (place < search.offset || (search.limit > 0 && place - search.offset >= search.limit)) continue;
    UNSCATTER_TRY(due, read_due(state_->database, id));
    list.entries.push_back({id, graphs, due});
  }
  return list;
}

}  // namespace unscatter
