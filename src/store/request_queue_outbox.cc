// What a queue is done with: events that were delivered, and what is old enough to be dropped.
#include <fmt/format.h>

#include "store/request_queue_inside.h"

namespace unscatter {

Result<std::vector<QueueEvent>> RequestQueue::due_events(std::int64_t now, std::size_t limit,
                                                         std::int64_t longest_pause) const {
  const auto gate = inside_->state.database.hold();
  // Not those that were given up, even at the end of time.
  const std::int64_t last = now == kNever ? kNever - 1 : now;
  UNSCATTER_TRY(rows, events_between(inside_->state.database, INT64_MIN, last, limit));
  if (rows.size() < limit && last < kNever - longest_pause) {
    UNSCATTER_TRY(ahead,
                  events_between(inside_->state.database, last + longest_pause + 1, kNever - 1, limit - rows.size()));
    rows.insert(rows.end(), ahead.begin(), ahead.end());
  }
  std::vector<QueueEvent> events;
  events.reserve(rows.size());
  for (const EventRow& row : rows) events.push_back(row.event);
  return events;
}

Status RequestQueue::settle(std::span<const Delivery> deliveries) {
  return inside_->in_transaction(false, [&](QueueChange& change) -> Status {
    for (const Delivery& delivery : deliveries) {
      UNSCATTER_TRY(row, read_event(inside_->state.database, delivery.number));
      if (!row || row->event.given_up) continue;
      std::optional<QueueEvent> after;
      if (delivery.outcome != Delivery::Outcome::kDelivered) {
        after = row->event;
        ++after->attempts;
        after->given_up = delivery.outcome == Delivery::Outcome::kGiveUp;
        after->next_attempt = after->given_up ? kNever : std::min(delivery.next_attempt, kNever - 1);
      }
      UNSCATTER_CHECK_OK(change.replace_event(*row, after));
    }
    return ok_status();
  });
}

namespace {

Result<std::vector<RequestRow>> finished_until(const Database& database, std::int64_t until, std::size_t limit) {
  std::vector<RequestRow> rows;
  Statement statement = database.prepare(fmt::format(
      "SELECT {} FROM queue_requests WHERE finished IS NOT NULL AND finished <= ? ORDER BY finished LIMIT ?",
      kRequestColumns));
  statement.bind(1, until).bind(2, static_cast<std::int64_t>(limit));
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return rows;
    UNSCATTER_TRY(row, request_row_at(statement));
    rows.push_back(std::move(row));
  }
}

}  // namespace

Result<std::size_t> RequestQueue::drop_finished(std::size_t limit) {
  std::size_t dropped = 0;
  const Database& database = inside_->state.database;
  const auto drop_old = [&](QueueChange& change) -> Status {
    UNSCATTER_TRY(keys, expired_keys(database, change.now(), limit));
    for (const KeyRow& row : keys) UNSCATTER_CHECK_OK(change.drop_key(row));
    const auto keep_days = inside_->summary.policy.keep_days;
    if (!keep_days) return ok_status();
    const std::int64_t until = change.now() - *keep_days * kSecondsOfDay;
    UNSCATTER_TRY(rows, finished_until(database, until, limit));
    for (const RequestRow& row : rows) UNSCATTER_CHECK_OK(change.drop(row));
    UNSCATTER_TRY(events, events_between(database, kNever, kNever, limit));
    for (const EventRow& row : events) {
      if (row.event.time <= until) UNSCATTER_CHECK_OK(change.replace_event(row, std::nullopt));
    }
    dropped = rows.size();
    return ok_status();
  };
  UNSCATTER_CHECK_OK(inside_->in_transaction(true, drop_old));
  return dropped;
}

}  // namespace unscatter
