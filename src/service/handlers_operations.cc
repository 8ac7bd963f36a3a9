// For those who watch over the service.
#include <fmt/format.h>

#include "service/assets.h"
#include "service/handlers.h"
#include "service/published.h"
#include "service/service.h"

namespace unscatter::service {

void get_openapi(Service&, const CallPtr& call) {
  HttpResponse response;
  response.body = embedded_openapi();
  response.headers.emplace_back("ETag", etag_of(response.body));
  call->finish(std::move(response));
}

void get_health(Service&, const CallPtr& call) { call->finish(json_response({{"status", "ok"}})); }

void get_ready(Service& service, const CallPtr& call) {
  const auto problem = service.writer().problem();
  const bool outdated = service.queue().info()->outdated.has_value();
  if (problem || outdated) {
    return call->finish(
        Refusal{.status = 503,
                .detail = outdated ? "The workspace is an older copy." : "The workspace cannot be changed at present.",
                .retry_after = 10});
  }
  call->finish(json_response({{"status", "ready"}, {"reason", nullptr}}));
}

void get_metrics(Service& service, const CallPtr& call) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = service.metrics().text();
  const auto view = service.queue().view();
  const auto info = service.queue().info();
  response.body +=
      "# HELP unscatter_requests Erasure requests by state; final states count all that ever were.\n"
      "# TYPE unscatter_requests gauge\n";
  for (std::size_t i = 0; i < kRequestStates; ++i) {
    response.body += fmt::format("unscatter_requests{{state=\"{}\"}} {}\n",
                                 request_state_name(static_cast<RequestState>(i)), view->statistics.by_state[i]);
  }
  response.body += fmt::format(
      "# HELP unscatter_requests_overdue Open requests whose due date has passed.\n"
      "# TYPE unscatter_requests_overdue gauge\nunscatter_requests_overdue {}\n"
      "# HELP unscatter_pending_events Events that webhooks have not accepted yet.\n"
      "# TYPE unscatter_pending_events gauge\nunscatter_pending_events {}\n"
      "# HELP unscatter_ledger_entries Entries of the ledger.\n"
      "# TYPE unscatter_ledger_entries gauge\nunscatter_ledger_entries {}\n"
      "# HELP unscatter_models_published Models published in all.\n"
      "# TYPE unscatter_models_published gauge\nunscatter_models_published {}\n",
      view->overdue(service.now()), view->statistics.pending_events, info->entries, info->published);
  call->finish(std::move(response));
}

}  // namespace unscatter::service
