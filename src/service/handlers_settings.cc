// Policy of the queue, and webhooks.
#include <fmt/format.h>

#include <utility>

#include "service/handlers.h"
#include "service/published.h"
#include "service/service.h"

namespace unscatter::service {
namespace {

Json policy_json(const QueuePolicy& policy) {
  return {{"days", policy.days},
          {"extension_days", policy.extension_days},
          {"most_days", policy.most_days},
          {"verify", policy.verify},
          {"most_open", policy.most_open},
          {"key_hours", policy.key_hours},
          {"keep_days", policy.keep_days ? Json(*policy.keep_days) : Json(nullptr)},
          {"events", policy.events}};
}

Outcome<std::int64_t> whole_number(const Json& document, const char* name) {
  const auto found = document.find(name);
  if (found == document.end() || !found->is_number_integer()) {
    return Refusal{.status = 422, .detail = fmt::format("The field '{}' has to be a whole number.", name)};
  }
  return found->get<std::int64_t>();
}

Outcome<QueuePolicy> policy_of(const HttpRequest& request) {
  UNSCATTER_TRY(body, json_body(request));
  if (auto wrong = check_fields(
          body, {"days", "extension_days", "most_days", "verify", "most_open", "key_hours", "keep_days", "events"})) {
    return *std::move(wrong);
  }
  QueuePolicy policy;
  for (const auto& [name, field] :
       {std::pair{"days", &policy.days}, std::pair{"extension_days", &policy.extension_days},
        std::pair{"most_days", &policy.most_days}, std::pair{"most_open", &policy.most_open},
        std::pair{"key_hours", &policy.key_hours}}) {
    UNSCATTER_TRY(number, whole_number(body, name));
    *field = number;
  }
  for (const auto& [name, field] : {std::pair{"verify", &policy.verify}, std::pair{"events", &policy.events}}) {
    if (!body.contains(name)) return Refusal{.status = 422, .detail = fmt::format("The field '{}' is missing.", name)};
    UNSCATTER_TRY(flag, flag_field(body, name));
    *field = flag;
  }
  if (!body.contains("keep_days")) return Refusal{.status = 422, .detail = "The field 'keep_days' is missing."};
  if (!body.at("keep_days").is_null()) {
    UNSCATTER_TRY(days, whole_number(body, "keep_days"));
    policy.keep_days = days;
  }
  if (!check_policy(policy).ok()) {
    return Refusal{.status = 422,
                   .detail = "A number is outside of its range; the document of the interface states them."};
  }
  return policy;
}

void change_policy(Service& service, const CallPtr& call, RequestQueue& queue, const QueuePolicy& policy) {
  const auto wanted = call->request.list_header("if-match");
  const std::string present = etag_of(json_response(policy_json(queue.view()->policy)).body);
  if (wanted && !has_tag(*wanted, present, false)) {
    return call->finish(Refusal{.status = 412, .detail = "The policy was changed in between."});
  }
  const Status changed = queue.set_policy(policy);
  if (!changed.ok()) return call->finish(refusal_of(changed.error()));
  service.log().note("info", "the policy of the queue was changed");
  call->finish(tagged_response(policy_json(policy)));
}

Outcome<Webhook> webhook_of(const HttpRequest& request, std::string id) {
  UNSCATTER_TRY(body, json_body(request));
  if (auto wrong = check_fields(body, {"url", "events", "active"})) return *std::move(wrong);
  Webhook webhook;
  webhook.id = std::move(id);
  UNSCATTER_TRY(url, text_field(body, {"url", 2000, true}));
  const auto parsed = parse_webhook_url(url);
  if (!parsed.ok()) return Refusal{.status = 422, .detail = parsed.error().message};
  webhook.url = std::move(url);
  if (body.contains("active")) {
    UNSCATTER_TRY(active, flag_field(body, "active"));
    webhook.active = active;
  }
  if (!body.contains("events")) return webhook;
  for (const Json& one : body.at("events").is_array() ? body.at("events") : Json::array({nullptr})) {
    const std::string name = one.is_string() ? one.get<std::string>() : std::string();
    if (!is_event_name(name))
      return Refusal{.status = 422, .detail = "'events' is a list of states, and of 'extended'."};
    webhook.events.insert(name);
  }
  return webhook;
}

Refusal refusal_of_webhook(const Error& error) {
  if (error.code == ErrorCode::kNotFound) return Refusal{.status = 404, .detail = "There is no such webhook."};
  if (error.code == ErrorCode::kLimitExceeded)
    return Refusal{.status = 422, .detail = "There are 16 webhooks already."};
  return refusal_of(error);
}

Outcome<HttpResponse> put_one(Service& service, const Call& call, std::string id, int status) {
  UNSCATTER_TRY(webhook, webhook_of(call.request, std::move(id)));
  const auto put = service.webhooks().put(std::move(webhook));
  if (!put.ok()) return refusal_of_webhook(put.error());
  HttpResponse response = json_response(webhook_json(*put), status);
  if (status == 201) response.headers.emplace_back("Location", "/v1/webhooks/" + put->id);
  return response;
}

}  // namespace

void get_policy(Service& service, const CallPtr& call) {
  call->finish(tagged_response(policy_json(service.queue().view()->policy)));
}

void put_policy(Service& service, const CallPtr& call) {
  auto policy = policy_of(call->request);
  if (!policy.ok()) return call->finish(policy.error());
  service.on_writer(call, [&service, call, policy = *policy](Workspace&, RequestQueue& queue) {
    change_policy(service, call, queue, policy);
  });
}

void list_webhooks(Service& service, const CallPtr& call) {
  Json list = Json::array();
  for (const Webhook& one : service.webhooks().list()) list.push_back(webhook_json(one));
  call->finish(json_response({{"webhooks", std::move(list)},
                              {"waiting", service.queue().view()->statistics.pending_events},
                              {"failed", service.metrics().failed_deliveries.load()}}));
}

void add_webhook(Service& service, const CallPtr& call) { call->finish(put_one(service, *call, "", 201)); }

void put_webhook(Service& service, const CallPtr& call) {
  call->finish(put_one(service, *call, call->parameters.at(0), 200));
}

void delete_webhook(Service& service, const CallPtr& call) {
  const Status removed = service.webhooks().remove(call->parameters.at(0));
  if (!removed.ok()) return call->finish(refusal_of_webhook(removed.error()));
  HttpResponse response;
  response.status = 204;
  call->finish(std::move(response));
}

}  // namespace unscatter::service
