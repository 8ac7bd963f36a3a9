#include "unscatter/store/subject_text.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/utc_time.h"
#include "store/request_json.h"

namespace unscatter {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson due_json(const std::optional<std::int64_t>& due) {
  return due ? OrderedJson(utc_text(*due)) : OrderedJson(nullptr);
}

// Ids come from files, so they may be any bytes.
OrderedJson id_value(const std::string& id) { return OrderedJson::parse(id_json(id)); }

// A name of a class that is not UTF-8 cannot be told as it is, and must not end the program.
std::string dumped(const OrderedJson& json) { return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace); }

std::string_view direction_name(HeldEdge::Direction direction) {
  switch (direction) {
    case HeldEdge::Direction::kBoth: return "both";
    case HeldEdge::Direction::kFromSubject: return "from";
    case HeldEdge::Direction::kToSubject: return "to";
  }
  return "both";
}

OrderedJson held_node_json(const HeldNode& node, bool hide_neighbours) {
  OrderedJson json = {{"number", node.number}, {"features_removed", !node.has_features}};
  if (node.label) json["label"] = *node.label;
  if (!node.attributes.empty()) json["attributes"] = node.attributes;
  if (!node.position.empty()) json["position"] = node.position;
  json["edges"] = OrderedJson::array();
  for (const HeldEdge& edge : node.edges) {
    OrderedJson one = {{"node", edge.node}};
    if (!hide_neighbours) one["id"] = id_value(edge.id);
    one["direction"] = direction_name(edge.direction);
    if (edge.weight) one["weight"] = *edge.weight;
    json["edges"].push_back(std::move(one));
  }
  return json;
}

OrderedJson held_graph_json(const HeldGraph& graph, bool hide_neighbours) {
  OrderedJson json = {{"number", graph.number},
                      {"id", graph.id.empty() ? OrderedJson(nullptr) : id_value(graph.id)},
                      {"class", graph.class_name},
                      {"due", due_json(graph.due)},
                      {"nodes", OrderedJson::array()}};
  for (const HeldNode& node : graph.nodes) json["nodes"].push_back(held_node_json(node, hide_neighbours));
  return json;
}

}  // namespace

std::string subject_text(const std::string& id, const HeldSubject& held, bool hide_neighbours) {
  OrderedJson json = {{"subject", id_value(id)},
                      {"held", !held.graphs.empty()},
                      {"due", due_json(held.due)},
                      {"graphs", OrderedJson::array()}};
  for (const HeldGraph& graph : held.graphs) json["graphs"].push_back(held_graph_json(graph, hide_neighbours));
  return dumped(json);
}

std::string subject_list_text(const SubjectList& list) {
  OrderedJson json = OrderedJson::array();
  for (const SubjectList::Entry& entry : list.entries) {
    json.push_back({{"id", id_value(entry.id)}, {"graphs", entry.graphs}, {"due", due_json(entry.due)}});
  }
  return dumped(json);
}

}  // namespace unscatter
