// Sending requests, and looking at them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "service/handlers.h"
#include "service/removal_body.h"
#include "service/request_document.h"
#include "service/service.h"

namespace unscatter::service {
namespace {

constexpr std::int64_t kLongestWait = 60;

// "wait=5" of the header Prefer, which may name others beside it (RFC 7240).  They are passed over, as that document
// asks.
std::chrono::seconds preferred_wait(const HttpRequest& request) {
  constexpr std::string_view kWait = "wait=";
  const std::string list = request.list_header("prefer").value_or("");
  std::string_view text = list;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(", \t"), text.size()));
    if (text.starts_with(kWait)) break;
    text.remove_prefix(std::min(text.find(','), text.size()));
  }
  if (text.empty()) return std::chrono::seconds(0);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data() + kWait.size(), text.data() + text.size(), seconds);
  if (error != std::errc() || seconds < 0) return std::chrono::seconds(0);
  return std::chrono::seconds(std::min(seconds, kLongestWait));
}

Outcome<std::string> idempotency_key(const HttpRequest& request) {
  // Whoever sends two means that nothing is done twice, and nobody knows by which of them.
  if (request.came_twice("idempotency-key")) {
    return Refusal{.status = 400, .detail = "There is more than one Idempotency-Key."};
  }
  const auto key = request.header("idempotency-key");
  if (!key) return std::string();
  const bool printable = std::all_of(key->begin(), key->end(), [](char byte) { return byte > ' ' && byte < 0x7f; });
  if (key->empty() || key->size() > 200 || !printable) {
    return Refusal{.status = 400, .detail = "An Idempotency-Key has 1 to 200 visible characters of ASCII."};
  }
  return std::string(*key);
}

Refusal refusal_of_submission(const Submitted& outcome) {
  if (outcome.outcome == Submitted::Outcome::kConflict) {
    return Refusal{.status = 422, .detail = "This Idempotency-Key was used with another body."};
  }
  if (outcome.error && outcome.error->code == ErrorCode::kLimitExceeded) {
    return Refusal{.status = 503, .detail = "There are too many open requests.", .retry_after = 60};
  }
  return Refusal{.status = 422, .detail = "The queue does not take this request: it is too long."};
}

Outcome<HttpResponse> submission_answer(Service& service, const Submitted& outcome, bool batch) {
  using enum Submitted::Outcome;
  if (outcome.outcome == kConflict || outcome.outcome == kRefused) return refusal_of_submission(outcome);
  Json list = Json::array();
  for (const RequestId& id : outcome.ids) {
    const auto request = service.queue().find(id);
    if (!request.ok()) return refusal_of(request.error());
    list.push_back(request_json(*request, service.now()));
  }
  HttpResponse response = json_response(batch ? Json{{"requests", list}} : list.at(0), 202);
  if (!batch) response.headers.emplace_back("Location", "/v1/requests/" + outcome.ids.at(0).hex());
  if (outcome.outcome == kReplayed) response.headers.emplace_back("Idempotency-Replayed", "true");
  return response;
}

void send(Service& service, const CallPtr& call, Submission submission, bool batch) {
  const std::string key = submission.key;
  const std::string token = call->principal.token;
  if (!key.empty() && !service.begin_key(token, key)) {
    return call->finish(
        Refusal{.status = 409, .detail = "A request with this Idempotency-Key is in work.", .retry_after = 1});
  }
  const auto done = [&service, call, batch, key, token](Result<Submitted> outcome) {
    if (!key.empty()) service.end_key(token, key);
    if (!outcome.ok()) return call->finish(refusal_of(outcome.error()));
    call->finish(submission_answer(service, *outcome, batch));
  };
  if (service.writer().submit(std::move(submission), preferred_wait(call->request), done)) return;
  if (!key.empty()) service.end_key(token, key);
  call->finish(Refusal{.status = 503, .detail = "The service is about to end.", .retry_after = 5});
}

Outcome<Submission> submission_of(const Call& call, bool batch) {
  UNSCATTER_TRY(body, json_body(call.request));
  Submission submission;
  UNSCATTER_TRY(key, idempotency_key(call.request));
  if (batch) {
    if (auto wrong = check_fields(body, {"requests"})) return *std::move(wrong);
    UNSCATTER_TRY(requests, removals_of(body));
    submission.requests = std::move(requests);
  } else {
    UNSCATTER_TRY(request, removal_of(body));
    submission.requests.push_back(std::move(request));
  }
  submission.actor = call.principal.token;
  submission.key = std::move(key);
  // The same key for one request and for a batch is a conflict.
  if (!submission.key.empty()) submission.body = (batch ? "batch\n" : "one\n") + call.request.body;
  return submission;
}

void submit(Service& service, const CallPtr& call, bool batch) {
  auto submission = submission_of(*call, batch);
  if (!submission.ok()) return call->finish(submission.error());
  send(service, call, std::move(submission).value(), batch);
}

struct ListQuery {
  std::optional<RequestState> state;
  std::string search;
  bool overdue = false;
  std::size_t limit = 50;
  std::optional<std::uint64_t> before;
};

Outcome<ListQuery> list_query(const Target& target) {
  if (auto wrong = check_query(target, {"state", "search", "overdue", "limit", "cursor"})) return *std::move(wrong);
  ListQuery query;
  if (const auto state = target.query.find("state"); state != target.query.end()) {
    const auto parsed = parse_request_state(state->second);
    if (!parsed.ok()) return Refusal{.status = 400, .detail = "There is no such state."};
    query.state = *parsed;
  }
  if (const auto search = target.query.find("search"); search != target.query.end()) query.search = search->second;
  if (query.search.size() > 200) return Refusal{.status = 400, .detail = "'search' has at most 200 bytes."};
  UNSCATTER_TRY(overdue, flag_query(target, "overdue"));
  UNSCATTER_TRY(limit, number_query(target, {"limit", 1, 200, 50}));
  UNSCATTER_TRY(before, number_query(target, {"cursor", 1, std::int64_t{1} << 62, 0}));
  query.overdue = overdue;
  query.limit = static_cast<std::size_t>(limit);
  if (before > 0) query.before = static_cast<std::uint64_t>(before);
  return query;
}

// Does an open request name exactly this?
bool names(const QueuedRequest& request, const std::string& text) {
  const Json document = Json::parse(request.text, nullptr, false);
  if (!document.is_object()) return false;
  for (const char* field : {"id", "graph", "node", "from", "to"}) {
    const auto found = document.find(field);
    if (found == document.end()) continue;
    if (found->is_string() && found->get<std::string>() == text) return true;
    if (found->is_number() && found->dump() == text) return true;
  }
  return false;
}

bool fits(const QueuedRequest& request, const ListQuery& query, std::int64_t now) {
  if (query.before && request.number >= *query.before) return false;
  if (query.state && request.state != *query.state) return false;
  if (query.overdue && now <= request.due) return false;
  return query.search.empty() || request.id.hex().starts_with(query.search) || names(request, query.search);
}

// The newest first.  One more than the limit, so that it is known whether there are more.
Outcome<std::vector<QueuedRequest>> open_ones(const Service& service, const ListQuery& query) {
  std::vector<QueuedRequest> found;
  const auto view = service.queue().view();
  for (auto one = view->open.rbegin(); one != view->open.rend() && found.size() <= query.limit; ++one) {
    if (fits(**one, query, service.now())) found.push_back(**one);
  }
  return found;
}

Outcome<std::vector<QueuedRequest>> finished_ones(const Service& service, const ListQuery& query) {
  std::vector<QueuedRequest> found;
  if (query.overdue || (query.state && !is_final(*query.state))) return found;
  if (!query.search.empty()) {
    // Their names are erased, so only the whole id finds them.
    const auto id = parse_request_id(query.search);
    const auto request = id.ok() ? service.queue().find(*id) : Result<QueuedRequest>(id.error());
    if (request.ok() && is_final(request->state) && fits(*request, query, service.now())) found.push_back(*request);
    return found;
  }
  FinishedQuery finished;
  finished.before = query.before;
  finished.limit = query.limit + 1;
  finished.state = query.state;
  auto page = service.queue().finished(finished);
  if (!page.ok()) return refusal_of(page.error());
  return std::move(page->requests);
}

Outcome<HttpResponse> request_page(Service& service, const Call& call) {
  UNSCATTER_TRY(query, list_query(call.target));
  // In this order: a request that ends in between is then in both and not in neither.
  UNSCATTER_TRY(all, open_ones(service, query));
  UNSCATTER_TRY(finished, finished_ones(service, query));
  for (QueuedRequest& one : finished) all.push_back(std::move(one));
  // Of the two states of such a request the final one comes first.
  std::stable_sort(all.begin(), all.end(), [](const QueuedRequest& one, const QueuedRequest& other) {
    return std::pair(one.number, is_final(one.state)) > std::pair(other.number, is_final(other.state));
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const auto& one, const auto& other) { return one.number == other.number; }),
            all.end());
  const bool more = all.size() > query.limit;
  if (more) all.resize(query.limit);
  Json list = Json::array();
  for (const QueuedRequest& one : all) list.push_back(request_json(one, service.now()));
  return json_response({{"requests", list}, {"next", more ? Json(std::to_string(all.back().number)) : Json(nullptr)}});
}

Outcome<HttpResponse> one_request(Service& service, const Call& call) {
  if (auto wrong = check_query(call.target, {})) return *std::move(wrong);
  const auto id = parse_request_id(call.parameters.at(0));
  const auto request = id.ok() ? service.queue().find(*id) : Result<QueuedRequest>(id.error());
  const bool own = request.ok() && !request->history.empty() && request->history.front().actor == call.principal.token;
  if (!request.ok() || (!own && !call.principal.scopes.has(Scope::kRead))) {
    return Refusal{.status = 404, .detail = "There is no such request."};
  }
  return tagged_response(request_json(*request, service.now()));
}

}  // namespace

void submit_request(Service& service, const CallPtr& call) { submit(service, call, false); }
void submit_batch(Service& service, const CallPtr& call) { submit(service, call, true); }
void list_requests(Service& service, const CallPtr& call) { call->finish(request_page(service, *call)); }
void get_request(Service& service, const CallPtr& call) { call->finish(one_request(service, *call)); }

}  // namespace unscatter::service
