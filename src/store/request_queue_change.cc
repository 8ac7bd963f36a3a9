// One change of the queue: rows, statistics, events and the summary, in one transaction.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/wipe.h"
#include "store/request_queue_inside.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Downwards, also before 1970.
std::int64_t day_of_time(std::int64_t time) {
  return time >= 0 ? time / kSecondsOfDay : -((kSecondsOfDay - 1 - time) / kSecondsOfDay);
}

std::size_t latency_bucket(std::int64_t seconds) {
  const auto* bound = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), seconds);
  return static_cast<std::size_t>(bound - kLatencyBounds.begin());
}

}  // namespace

const OpenRequest& QueueChange::at(std::uint64_t number) const {
  const auto changed = changed_.find(number);
  if (changed != changed_.end()) return changed->second;
  const auto open = inside_.open.find(number);
  invariant(open != inside_.open.end(), "the request is open");
  return open->second;
}

QueueDay& QueueChange::today() {
  const std::int64_t day = day_of_time(now_);
  const auto [place, fresh] = days_.try_emplace(day);
  if (fresh) {
    const auto before = inside_.days.find(day);
    if (before != inside_.days.end()) place->second = before->second;
    place->second.day.day = day;
  }
  return place->second.day;
}

Status QueueChange::tell(const QueuedRequest& request) {
  if (!summary_.policy.events) return ok_status();
  const RequestChange& last = request.history.back();
  EventRow row;
  row.event = {summary_.next_event++, request.id, last.to, last.note, last.time, 0, last.time, false};
  seal_row(row);
  summary_.total.add(row.seal);
  ++pending_events_;
  return write_event(inside_.state.database, row);
}

Result<RequestId> QueueChange::add(RequestKind kind, std::string_view text, std::string_view actor) {
  RequestRow row;
  QueuedRequest& request = row.request;
  inside_.state.random->fill(std::as_writable_bytes(std::span(request.id.bytes)));
  request.number = summary_.next_request++;
  request.kind = kind;
  request.received = now_;
  request.due = request.first_due = now_ + summary_.policy.days * kSecondsOfDay;
  request.history.push_back({now_, {}, RequestState::kReceived, std::string(actor), RequestNote::kNone});
  request.text = text;
  row.slot = keys_.take(*inside_.state.random);
  row.text = encipher(text, keys_.key(*row.slot));
  row.text_digest = digest_of_cipher(row.text);
  UNSCATTER_CHECK_OK(tell(request));
  if (!summary_.policy.verify) {
    request.state = RequestState::kQueued;
    request.history.push_back({now_, RequestState::kReceived, RequestState::kQueued, "queue", RequestNote::kByPolicy});
    UNSCATTER_CHECK_OK(tell(request));
  }
  seal_row(row);
  summary_.total.add(row.seal);
  ++today().received;
  ++added_;
  UNSCATTER_CHECK_OK(insert_request(inside_.state.database, row));
  const RequestId id = request.id;
  const std::uint64_t number = request.number;
  changed_[number] = {std::make_shared<const QueuedRequest>(std::move(request)), *row.slot, row.text_digest, row.seal};
  return id;
}

Status QueueChange::write_changed(std::uint64_t number, QueuedRequest&& changed) {
  const OpenRequest before = at(number);
  RequestRow row;
  row.request = std::move(changed);
  const bool final = is_final(row.request.state);
  if (final) {
    keys_.erase(before.slot);
    row.text_digest = digest_of_cipher({});
  } else {
    row.slot = before.slot;
    row.text_digest = before.text_digest;
  }
  seal_row(row);
  summary_.total.subtract(before.seal);
  summary_.total.add(row.seal);
  UNSCATTER_CHECK_OK(update_request(inside_.state.database, row));
  UNSCATTER_CHECK_OK(tell(row.request));
  changed_[number] = {std::make_shared<const QueuedRequest>(std::move(row.request)), before.slot, row.text_digest,
                      row.seal};
  return ok_status();
}

void QueueChange::count(const QueuedRequest& finished) {
  QueueDay& day = today();
  if (now_ > finished.due) ++day.late;
  switch (finished.state) {
    case RequestState::kDone:
      ++day.done;
      // A clock that was set back makes no negative latency.
      ++day.latencies[latency_bucket(std::max<std::int64_t>(0, now_ - finished.received))];
      break;
    case RequestState::kAlreadyAbsent: ++day.already_absent; break;
    case RequestState::kRefused: ++day.refused; break;
    case RequestState::kCancelled: ++day.cancelled; break;
    default: throw InvariantViolation("the request is not finished");
  }
}

Status QueueChange::move(std::uint64_t number, RequestState to, std::string_view actor, RequestNote note,
                         std::optional<RequestResult> result) {
  QueuedRequest changed = request(number);
  if (!may_move(changed.state, to)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("a request that is {} cannot become {}",
                                                          request_state_name(changed.state), request_state_name(to))};
  }
  changed.history.push_back({now_, changed.state, to, std::string(actor), note});
  changed.state = to;
  invariant(result.has_value() == (to == RequestState::kDone), "a result is that of a request that is done");
  if (is_final(to)) {
    changed.finished = now_;
    changed.result = result;
    if (!result) changed.kept_commitment = inside_.kept_commitment(changed.id, changed.text);
    // What stays names nobody.
    wipe(changed.text);
    count(changed);
  }
  return write_changed(number, std::move(changed));
}

Status QueueChange::extend(std::uint64_t number, std::string_view actor, RequestNote note) {
  QueuedRequest changed = request(number);
  const auto refused = [](std::string_view why) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("the request cannot be extended: {}", why)};
  };
  if (changed.extended) return refused("it was extended before, and once is allowed");
  if (summary_.policy.extension_days == 0) return refused("the policy gives no extension");
  if (now_ >= changed.due) return refused("it is due already");
  changed.extended = true;
  changed.due += summary_.policy.extension_days * kSecondsOfDay;
  changed.history.push_back({now_, changed.state, changed.state, std::string(actor), note});
  return write_changed(number, std::move(changed));
}

Status QueueChange::add_key(KeyRow row) {
  seal_row(row);
  summary_.total.add(row.seal);
  return write_key(inside_.state.database, row);
}

Status QueueChange::drop_key(const KeyRow& row) {
  summary_.total.subtract(row.seal);
  return erase_key(inside_.state.database, row.key);
}

Status QueueChange::replace_event(const EventRow& before, const std::optional<QueueEvent>& after) {
  summary_.total.subtract(before.seal);
  if (!before.event.given_up) --pending_events_;
  if (!after) return erase_event(inside_.state.database, before.event.number);
  EventRow row{*after, {}};
  seal_row(row);
  summary_.total.add(row.seal);
  if (!row.event.given_up) ++pending_events_;
  return write_event(inside_.state.database, row);
}

Status QueueChange::drop(const RequestRow& row) {
  summary_.total.subtract(row.seal);
  dropped_.push_back(row.request.id);
  return erase_request(inside_.state.database, row.request.number);
}

Status QueueChange::finish() {
  const Workspace::State& state = inside_.state;
  UNSCATTER_CHECK_OK(keys_.write(state.database));
  for (auto& [number, row] : days_) {
    const auto before = inside_.days.find(number);
    if (before != inside_.days.end()) summary_.total.subtract(before->second.seal);
    seal_row(row);
    summary_.total.add(row.seal);
    UNSCATTER_CHECK_OK(write_day(state.database, row));
  }
  return write_summary(state.database, state.contents.identity, *state.options.key, summary_);
}

void QueueChange::keep() {
  const std::lock_guard lock(inside_.mutex);
  keys_.keep();
  for (auto& [number, changed] : changed_) {
    const RequestId id = changed.request->id;
    if (is_final(changed.request->state)) {
      inside_.open.erase(number);
      inside_.number_of.erase(id);
      inside_.keep_recent(std::move(changed.request));
    } else {
      inside_.open.insert_or_assign(number, std::move(changed));
      inside_.number_of.insert_or_assign(id, number);
    }
  }
  for (const RequestId& id : dropped_) inside_.recent.erase(id);
  for (auto& [number, row] : days_) inside_.days.insert_or_assign(number, row);
  inside_.pending_events =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(inside_.pending_events) + pending_events_);
  inside_.summary = summary_;
  inside_.policy = summary_.policy;
  ++inside_.version;
}

}  // namespace unscatter
