// What is held about people.  The writer reads it, because the workspace is its own.
#include <utility>

#include "service/handlers.h"
#include "service/service.h"
#include "unscatter/store/subject_text.h"

namespace unscatter::service {
namespace {

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
  Json entries = Json::parse(subject_list_text(*list));
  const std::size_t end = search.offset + entries.size();
  const bool more = !entries.empty() && end < list->found;
  return json_response({{"subjects", list->subjects},
                        {"found", list->found},
                        {"list", std::move(entries)},
                        {"next", more ? Json(std::to_string(end)) : Json(nullptr)}});
}

void ask_writer(Service& service, const CallPtr& call, std::function<Outcome<HttpResponse>(const Workspace&)> ask) {
  service.on_writer(
      call, [call, ask = std::move(ask)](Workspace& workspace, RequestQueue&) { call->finish(ask(workspace)); });
}

}  // namespace

void list_subjects(Service& service, const CallPtr& call) {
  auto search = search_of(call->target);
  if (!search.ok()) return call->finish(search.error());
  ask_writer(service, call,
             [search = *search](const Workspace& workspace) { return subjects_answer(workspace, search); });
}

void get_subject(Service& service, const CallPtr& call) {
  if (auto wrong = check_query(call->target, {"hide_neighbours"})) return call->finish(*std::move(wrong));
  const auto hide = flag_query(call->target, "hide_neighbours");
  if (!hide.ok()) return call->finish(hide.error());
  ask_writer(service, call,
             [id = call->parameters.at(0), hide = *hide](const Workspace& workspace) -> Outcome<HttpResponse> {
               const auto held = workspace.subject(id);
               if (!held.ok()) return refusal_of(held.error());
               return json_response(Json::parse(subject_text(id, *held, hide)));
             });
}

}  // namespace unscatter::service
