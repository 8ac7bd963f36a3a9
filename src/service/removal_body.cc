#include "service/removal_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "unscatter/store/request_text.h"

namespace unscatter::service {
namespace {

struct Kind {
  std::string_view name;
  std::array<const char*, 3> fields;  // beside "forget"; null: no more
};
constexpr std::array kKinds = {Kind{"features", {"graph", "node", nullptr}}, Kind{"node", {"graph", "node", nullptr}},
                               Kind{"edge", {"graph", "from", "to"}}, Kind{"graph", {"graph", nullptr, nullptr}},
                               Kind{"subject", {"id", nullptr, nullptr}}};

Refusal wrong(std::string detail) { return Refusal{.status = 422, .detail = std::move(detail)}; }

const Kind* kind_of(const Json& document) {
  const auto forget = document.find("forget");
  if (forget == document.end() || !forget->is_string()) return nullptr;
  const auto text = forget->get<std::string>();
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.name == text; });
  return found == kKinds.end() ? nullptr : &*found;
}

// What the parser would say with words of the client's in it, said without them.
std::optional<Refusal> check_removal(const Json& document) {
  if (!document.is_object()) return wrong("A request is a JSON object.");
  const Kind* kind = kind_of(document);
  if (kind == nullptr) return wrong("The field 'forget' has to be features, node, edge, graph or subject.");
  std::size_t known = 1;
  for (const char* field : kind->fields) {
    if (field == nullptr) continue;
    if (!document.contains(field)) return wrong(fmt::format("A request for '{}' needs the field '{}'.", kind->name, field));
    ++known;
  }
  if (document.size() != known) return wrong(fmt::format("A request for '{}' has a field that does not belong there.", kind->name));
  return std::nullopt;
}

}  // namespace

Outcome<RemovalRequest> removal_of(const Json& document) {
  if (auto refusal = check_removal(document)) return *std::move(refusal);
  auto request = parse_request(document.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!request.ok()) {
    return wrong("A graph or a node is a number from 0, a text that is not empty, or {\"bytes\": ...} for an id that is no "
                 "text; a subject is one of the last two.");
  }
  return *std::move(request);
}

Outcome<std::vector<RemovalRequest>> removals_of(const Json& document) {
  const auto list = document.find("requests");
  if (list == document.end() || !list->is_array() || list->empty() || list->size() > kMostRequests) {
    return wrong(fmt::format("The field 'requests' is a list of 1 to {} requests.", kMostRequests));
  }
  std::vector<RemovalRequest> requests;
  for (const Json& one : *list) {
    auto request = removal_of(one);
    if (!request.ok()) {
      Refusal refusal = request.error();
      refusal.request = requests.size();
      return refusal;
    }
    requests.push_back(std::move(request).value());
  }
  return requests;
}

}  // namespace unscatter::service
