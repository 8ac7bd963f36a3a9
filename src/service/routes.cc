#include "service/routes.h"

#include "service/handlers.h"

namespace unscatter::service {
namespace {

// Does `path` fit the template?  Fills in what stands for its parameters.
bool fits(std::string_view pattern, const std::vector<std::string>& path, std::vector<std::string>& parameters) {
  parameters.clear();
  for (const std::string& segment : path) {
    if (pattern.empty()) return false;
    pattern.remove_prefix(1);  // the slash
    const std::string_view wanted = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(wanted.size());
    if (wanted.starts_with('{')) {
      parameters.push_back(segment);
    } else if (wanted != segment) {
      return false;
    }
  }
  return pattern.empty();
}

}  // namespace

const std::vector<Route>& routes() {
  using enum Scope;
  using enum Access;
  static const std::vector<Route> all = {
      {"POST", "/v1/session", kPublic, {}, open_session},
      {"GET", "/v1/session", kPublic, {}, get_session},
      {"DELETE", "/v1/session", kPublic, {}, close_session},
      {"POST", "/v1/requests", kScope, {kSubmit}, submit_request},
      {"GET", "/v1/requests", kScope, {kRead}, list_requests},
      {"POST", "/v1/request-batches", kScope, {kSubmit}, submit_batch},
      {"GET", "/v1/requests/{id}", kScope, {kRead, kSubmit}, get_request},
      {"POST", "/v1/requests/{id}/verify", kScope, {kOperate}, verify_request},
      {"POST", "/v1/requests/{id}/refuse", kScope, {kOperate}, refuse_request},
      {"POST", "/v1/requests/{id}/cancel", kScope, {kOperate}, cancel_request},
      {"POST", "/v1/requests/{id}/extend", kScope, {kOperate}, extend_request},
      {"POST", "/v1/requests/{id}/retry", kScope, {kOperate}, retry_request},
      {"POST", "/v1/preview", kScope, {kOperate}, preview},
      {"GET", "/v1/status", kScope, {kRead}, get_status},
      {"GET", "/v1/statistics", kScope, {kRead}, get_statistics},
      {"GET", "/v1/ledger", kScope, {kRead}, list_ledger},
      {"GET", "/v1/ledger/{sequence}", kScope, {kRead}, get_entry},
      // Before the next one, whose parameter it would fit.
      {"POST", "/v1/receipts/verify", kPublic, {}, verify_receipt},
      {"GET", "/v1/receipts/{sequence}", kScope, {kRead}, get_receipt},
      {"GET", "/v1/key", kPublic, {}, get_key},
      {"GET", "/v1/model", kScope, {kPredict}, get_model},
      {"POST", "/v1/releases", kScope, {kOperate}, publish_model},
      {"POST", "/v1/predict", kScope, {kPredict}, predict},
      {"GET", "/v1/subjects", kScope, {kOperate}, list_subjects},
      {"GET", "/v1/subjects/{id}", kScope, {kOperate}, get_subject},
      {"GET", "/v1/policy", kScope, {kRead}, get_policy},
      {"PUT", "/v1/policy", kScope, {kOperate}, put_policy},
      {"GET", "/v1/webhooks", kScope, {kOperate}, list_webhooks},
      {"POST", "/v1/webhooks", kScope, {kOperate}, add_webhook},
      {"PUT", "/v1/webhooks/{id}", kScope, {kOperate}, put_webhook},
      {"DELETE", "/v1/webhooks/{id}", kScope, {kOperate}, delete_webhook},
      {"GET", "/v1/events", kScope, {kRead}, get_events},
      {"GET", "/v1/openapi.json", kPublic, {}, get_openapi},
      {"GET", "/healthz", kPublic, {}, get_health},
      {"GET", "/readyz", kPublic, {}, get_ready},
      {"GET", "/metrics", kLocal, {kRead}, get_metrics},
  };
  return all;
}

Match match_route(std::string_view method, const std::vector<std::string>& path) {
  Match match;
  for (const Route& route : routes()) {
    std::vector<std::string> parameters;
    if (!fits(route.path, path, parameters)) continue;
    if (route.method == method) return {&route, std::move(parameters), {}};
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += route.method;
    if (route.method == "GET") match.allow += ", HEAD";
  }
  return match;
}

}  // namespace unscatter::service
