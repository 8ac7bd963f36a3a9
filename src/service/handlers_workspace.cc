// Status, statistics, and the stream of events.  None of them waits for the writer.
#include <fmt/format.h>

#include <algorithm>

#include "base/utc_time.h"
#include "service/handlers.h"
#include "service/service.h"
#include "service/words.h"
#include "unscatter/base/version.h"

namespace unscatter::service {
namespace {

Json models_left(const WorkspaceInfo& info) {
  if (info.options.mechanism != Mechanism::kRelease) return nullptr;
  return info.options.releases - std::min(info.options.releases, info.published_in_count);
}

Json due_json(const QueueView& view, std::int64_t now) {
  const auto& next = view.statistics.next_due;
  return {{"open", view.open.size()},
          {"overdue", view.overdue(now)},
          {"next", next ? Json(utc_text(*next)) : Json(nullptr)}};
}

bool model_is_current(const WorkspaceInfo& info, const std::shared_ptr<const Published>& model) {
  // Whatever changes the data writes an entry, and so does another model.
  return model != nullptr && model->entry + 1 == info.entries;
}

Json status_json(Service& service) {
  const auto info = service.queue().info();
  const auto view = service.queue().view();
  const auto problem = info->outdated ? std::optional<std::string>("outdated") : service.writer().problem();
  const auto& by_state = view->statistics.by_state;
  return {{"id", info->id},
          {"data", info->name},
          {"created", info->created},
          {"software", fmt::format("unscatter {}", version())},
          {"signer", info->signer.hex()},
          {"classes", info->class_names},
          {"graphs", info->graphs},
          {"graphs_at_creation", info->slots},
          {"entries", info->entries},
          {"hash", info->head.hex()},
          {"updates", info->updates},
          {"published", info->published},
          {"published_in_count", info->published_in_count},
          {"releases", info->options.releases},
          {"models_left", models_left(*info)},
          {"model_is_current", model_is_current(*info, service.writer().published())},
          {"promise", promise_words(info->certificate.promise)},
          {"protects", protection_words(info->options)},
          {"certificate", certificate_json(info->certificate)},
          {"certificate_words", certificate_words(info->certificate)},
          {"requests", due_json(*view, service.now())},
          {"queued", by_state[static_cast<std::size_t>(RequestState::kQueued)]},
          {"read_only", problem.has_value()},
          {"problem", problem ? Json(*problem) : Json(nullptr)}};
}

Json day_json(const QueueDay& day) {
  constexpr std::int64_t kSeconds = 86400;
  return {{"day", short_utc_text(day.day * kSeconds)},
          {"received", day.received},
          {"done", day.done},
          {"already-absent", day.already_absent},
          {"refused", day.refused},
          {"cancelled", day.cancelled},
          {"late", day.late},
          {"latencies", day.latencies}};
}

Json process_json(Service& service) {
  const Metrics& metrics = service.metrics();
  return {{"since", utc_text(service.started())},
          {"updates", metrics.updates.load()},
          {"requests", metrics.updated_requests.load()},
          {"update_seconds", static_cast<double>(metrics.update_microseconds.load()) / 1e6}};
}

Outcome<HttpResponse> statistics(Service& service, const Call& call) {
  if (auto wrong = check_query(call.target, {"days"})) return *std::move(wrong);
  UNSCATTER_TRY(days, number_query(call.target, {"days", 1, 366, 30}));
  const auto view = service.queue().view();
  const QueueStatistics& counts = view->statistics;
  Json states = Json::object();
  for (std::size_t i = 0; i < kRequestStates; ++i) {
    states[std::string(request_state_name(static_cast<RequestState>(i)))] = counts.by_state[i];
  }
  Json list = Json::array();
  for (const QueueDay& day : counts.days) {
    if (day.day > service.now() / 86400 - days) list.push_back(day_json(day));
  }
  return json_response({{"states", states},
                        {"next_due", counts.next_due ? Json(utc_text(*counts.next_due)) : Json(nullptr)},
                        {"open", view->open.size()},
                        {"overdue", view->overdue(service.now())},
                        {"pending_events", counts.pending_events},
                        {"latency_bounds", kLatencyBounds},
                        {"latencies", counts.latencies},
                        {"days", list},
                        {"process", process_json(service)}});
}

}  // namespace

void get_status(Service& service, const CallPtr& call) {
  if (auto wrong = check_query(call->target, {})) return call->finish(*std::move(wrong));
  call->finish(tagged_response(status_json(service)));
}

void get_statistics(Service& service, const CallPtr& call) { call->finish(statistics(service, *call)); }

void get_events(Service&, const CallPtr& call) {
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  response.events = true;
  call->finish(std::move(response));
}

}  // namespace unscatter::service
