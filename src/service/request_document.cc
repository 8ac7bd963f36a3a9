#include "service/request_document.h"

#include <fmt/format.h>

#include <utility>

#include "base/utc_time.h"

namespace unscatter::service {
namespace {

constexpr std::int64_t kDay = 86400;

// Rounded down, so that "0 days left" is today, and what has passed is negative.
std::int64_t whole_days(std::int64_t seconds) { return seconds >= 0 ? seconds / kDay : -((-seconds + kDay - 1) / kDay); }

Json actions_json(const QueuedRequest& request, std::int64_t now) {
  Json actions = Json::array();
  if (is_final(request.state)) return actions;
  if (request.state == RequestState::kReceived) actions.push_back("verify");
  if (request.state == RequestState::kFailed) actions.push_back("retry");
  actions.push_back("refuse");
  actions.push_back("cancel");
  if (!request.extended && now < request.due) actions.push_back("extend");
  return actions;
}

Json history_json(const QueuedRequest& request) {
  Json history = Json::array();
  for (const RequestChange& change : request.history) {
    history.push_back({{"time", utc_text(change.time)},
                       {"from", change.from ? Json(request_state_name(*change.from)) : Json(nullptr)},
                       {"to", request_state_name(change.to)},
                       {"by", change.actor},
                       {"note", request_note_name(change.note)}});
  }
  return history;
}

}  // namespace

Json request_json(const QueuedRequest& request, std::int64_t now) {
  const bool open = !is_final(request.state);
  Json json = {{"id", request.id.hex()},
               {"number", request.number},
               {"state", request_state_name(request.state)},
               {"kind", request_kind_name(request.kind)},
               {"received", utc_text(request.received)},
               {"due", utc_text(request.due)},
               {"first_due", utc_text(request.first_due)},
               {"extended", request.extended},
               {"finished", request.finished ? Json(utc_text(*request.finished)) : Json(nullptr)},
               {"overdue", open && now > request.due},
               {"days_left", open ? Json(whole_days(request.due - now)) : Json(nullptr)},
               {"request", open && !request.text.empty() ? Json::parse(request.text) : Json(nullptr)},
               {"entry", nullptr},
               {"commitment", nullptr},
               {"commitment_index", nullptr},
               {"receipt", nullptr},
               {"actions", actions_json(request, now)},
               {"history", history_json(request)}};
  if (request.result) {
    json["entry"] = request.result->entry;
    json["commitment"] = request.result->commitment.hex();
    json["commitment_index"] = request.result->commitment_index;
    json["receipt"] = fmt::format("/v1/receipts/{}", request.result->entry);
  }
  return json;
}

}  // namespace unscatter::service
