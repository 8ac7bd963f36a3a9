#include "service/preview_picture.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace unscatter::service {
namespace {

// Nodes of a graph by their numbers at creation, which stay the same when others go.
struct Numbered {
  const Graph* graph;
  std::span<const std::uint32_t> numbers;
  [[nodiscard]] std::size_t number(std::size_t node) const { return numbers.empty() ? node : numbers[node]; }
};

using Ends = std::pair<std::size_t, std::size_t>;

std::set<Ends> edges_of(const Numbered& one) {
  std::set<Ends> edges;
  for (std::size_t to = 0; to < one.graph->node_count(); ++to) {
    for (const NodeIndex from : one.graph->neighbours(to)) {
      Ends ends(one.number(from), one.number(to));
      // An undirected edge stands in both rows.
      if (!one.graph->directed() && ends.first > ends.second) std::swap(ends.first, ends.second);
      edges.insert(ends);
    }
  }
  return edges;
}

Json nodes_json(const Numbered& before, const std::optional<Numbered>& after) {
  std::map<std::size_t, std::size_t> left;  // number -> place afterwards
  if (after) {
    for (std::size_t i = 0; i < after->graph->node_count(); ++i) left.emplace(after->number(i), i);
  }
  Json nodes = Json::array();
  for (std::size_t i = 0; i < before.graph->node_count(); ++i) {
    const auto stays = left.find(before.number(i));
    const bool gone = stays == left.end() || after->graph->state(stays->second) == NodeState::kTombstone;
    const bool features_gone = !gone && before.graph->has_features(i) && !after->graph->has_features(stays->second);
    const std::string id = before.graph->has_node_ids() ? before.graph->node_id(i) : "";
    nodes.push_back({{"number", before.number(i)},
                     {"id", id.empty() ? Json(nullptr) : Json(id)},
                     {"label", before.graph->has_labels() ? Json(before.graph->label(i)) : Json(nullptr)},
                     {"gone", gone},
                     {"features_gone", features_gone}});
  }
  return nodes;
}

Json picture_json(const SlotSnapshot& slot, const std::string& class_name, const SlotChange& change) {
  const Numbered before{&*slot.graph, slot.node_numbers};
  std::optional<Numbered> after;
  if (change.graph != nullptr) after = Numbered{change.graph, change.node_numbers};
  const std::set<Ends> left = after ? edges_of(*after) : std::set<Ends>();
  Json edges = Json::array();
  for (const Ends& ends : edges_of(before)) {
    edges.push_back({{"from", ends.first}, {"to", ends.second}, {"gone", !left.contains(ends)}});
  }
  return {{"graph", slot.number},
          {"id", slot.graph_id.empty() ? Json(nullptr) : Json(slot.graph_id)},
          {"class", class_name},
          {"removed", change.graph == nullptr},
          {"directed", slot.graph->directed()},
          {"nodes", nodes_json(before, after)},
          {"edges", std::move(edges)}};
}

}  // namespace

Outcome<Pictures> pictures_of(const Workspace& workspace, const Workspace::Removal& removal) {
  Pictures pictures;
  const std::vector<std::string> classes = workspace.info().class_names;
  for (const SlotChange& change : removal.changes()) {
    if (pictures.list.size() == kMostPictures) {
      ++pictures.left_out;
      continue;
    }
    const auto slot = workspace.slot(change.slot);
    if (!slot.ok()) return refusal_of(slot.error());
    const bool fits = slot->graph && slot->graph->node_count() <= kMostPictureNodes &&
                      slot->graph->edge_count() <= kMostPictureEdges;
    if (!fits) {
      ++pictures.left_out;
      continue;
    }
    const std::string name = slot->label < classes.size() ? classes[slot->label] : std::string();
    pictures.list.push_back(picture_json(*slot, name, change));
  }
  return pictures;
}

}  // namespace unscatter::service
