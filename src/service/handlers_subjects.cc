// What is held about people.  The writer reads it, because the workspace is its own.
#include <utility>

#include "base/utc_time.h"
#include "service/handlers.h"
#include "service/service.h"

namespace unscatter::service {
namespace {

Json date_json(const std::optional<std::int64_t>& date) { return date ? Json(short_utc_text(*date)) : Json(nullptr); }

std::string_view direction_name(HeldEdge::Direction direction) {
  switch (direction) {
    case HeldEdge::Direction::kBoth: return "both";
    case HeldEdge::Direction::kFromSubject: return "from";
    case HeldEdge::Direction::kToSubject: return "to";
  }
  return "both";
}

Json held_node_json(const HeldNode& node, bool hide) {
  Json json = {{"number", node.number}, {"features_removed", !node.has_features}};
  if (node.label) json["label"] = *node.label;
  if (!node.attributes.empty()) json["attributes"] = node.attributes;
  if (!node.position.empty()) json["position"] = node.position;
  json["edges"] = Json::array();
  for (const HeldEdge& edge : node.edges) {
    Json one = {{"node", edge.node}};
    if (!hide) one["id"] = edge.id;
    one["direction"] = direction_name(edge.direction);
    if (edge.weight) one["weight"] = *edge.weight;
    json["edges"].push_back(std::move(one));
  }
  return json;
}

Json held_json(const std::string& id, const HeldSubject& held, bool hide) {
  Json json = {{"subject", id}, {"held", !held.graphs.empty()}, {"due", date_json(held.due)}, {"graphs", Json::array()}};
  for (const HeldGraph& graph : held.graphs) {
    Json one = {{"number", graph.number},
                {"id", graph.id.empty() ? Json(nullptr) : Json(graph.id)},
                {"class", graph.class_name},
                {"due", date_json(graph.due)},
                {"nodes", Json::array()}};
    for (const HeldNode& node : graph.nodes) one["nodes"].push_back(held_node_json(node, hide));
    json["graphs"].push_back(std::move(one));
  }
  return json;
}

Outcome<SubjectSearch> search_of(const Target& target) {
  if (auto wrong = check_query(target, {"search", "limit", "cursor"})) return *std::move(wrong);
  SubjectSearch search;
  if (const auto text = target.query.find("search"); text != target.query.end()) search.text = text->second;
  if (search.text.size() > 200) return Refusal{.status = 400, .detail = "'search' has at most 200 bytes."};
  UNSCATTER_TRY(limit, number_query(target, {"limit", 1, 200, 50}));
  UNSCATTER_TRY(offset, number_query(target, {"cursor", 0, std::int64_t{1} << 53, 0}));
  search.limit = static_cast<std::size_t>(limit);
  search.offset = static_cast<std::size_t>(offset);
  return search;
}

Outcome<HttpResponse> subjects_answer(const Workspace& workspace, const SubjectSearch& search) {
  const auto list = workspace.subjects(search);
  if (!list.ok()) return refusal_of(list.error());
  Json entries = Json::array();
  for (const SubjectList::Entry& entry : list->entries) {
    entries.push_back({{"id", entry.id}, {"graphs", entry.graphs}, {"due", date_json(entry.due)}});
  }
  const std::size_t end = search.offset + entries.size();
  const bool more = !entries.empty() && end < list->found;
  return json_response({{"subjects", list->subjects},
                        {"found", list->found},
                        {"list", std::move(entries)},
                        {"next", more ? Json(std::to_string(end)) : Json(nullptr)}});
}

void ask_writer(Service& service, const CallPtr& call, std::function<Outcome<HttpResponse>(const Workspace&)> ask) {
  const bool taken = service.writer().run(
      [call, ask = std::move(ask)](Workspace& workspace, RequestQueue&) { call->finish(ask(workspace)); });
  if (!taken) call->finish(Refusal{.status = 503, .detail = "The service is about to end.", .retry_after = 5});
}

}  // namespace

void list_subjects(Service& service, CallPtr call) {
  auto search = search_of(call->target);
  if (!search.ok()) return call->finish(search.error());
  ask_writer(service, call,
             [search = *search](const Workspace& workspace) { return subjects_answer(workspace, search); });
}

void get_subject(Service& service, CallPtr call) {
  if (auto wrong = check_query(call->target, {"hide_neighbours"})) return call->finish(*std::move(wrong));
  const auto hide = flag_query(call->target, "hide_neighbours");
  if (!hide.ok()) return call->finish(hide.error());
  ask_writer(service, call, [id = call->parameters.at(0), hide = *hide](const Workspace& workspace) -> Outcome<HttpResponse> {
    const auto held = workspace.subject(id);
    if (!held.ok()) return refusal_of(held.error());
    return json_response(held_json(id, *held, hide));
  });
}

}  // namespace unscatter::service
