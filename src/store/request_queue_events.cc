// The outbox: what webhooks are still to be told.
#include <cstring>

#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

// As it stands in the file, little-endian.
struct [[gnu::packed]] Content {
  std::array<std::uint8_t, 16> request;
  std::uint8_t state;
  std::uint8_t note;
  std::int64_t time;
  std::uint32_t attempts;
};

Content content_of(const QueueEvent& event) {
  return {event.request.bytes, static_cast<std::uint8_t>(event.state), static_cast<std::uint8_t>(event.note),
          event.time, event.attempts};
}

std::int64_t next_column(const QueueEvent& event) { return event.given_up ? kNever : event.next_attempt; }

Result<EventRow> event_row_at(const Statement& statement) {
  UNSCATTER_TRY(number, statement.integer(0));
  UNSCATTER_TRY(next, statement.integer(1));
  UNSCATTER_TRY(bytes, statement.blob(2));
  UNSCATTER_TRY(seal_bytes, statement.blob_view(3));
  UNSCATTER_TRY(seal, digest_from(seal_bytes));
  Content content{};
  if (bytes.size() != sizeof(content)) return damaged_queue("an event of the queue has the wrong length");
  std::memcpy(&content, bytes.data(), bytes.size());
  if (content.state >= kRequestStates || content.note > static_cast<unsigned>(RequestNote::kTriedAgain)) {
    return damaged_queue("an event of the queue says nothing that is known");
  }
  EventRow row;
  row.event = {static_cast<std::uint64_t>(number),
               {content.request},
               static_cast<RequestState>(content.state),
               static_cast<RequestNote>(content.note),
               content.time,
               content.attempts,
               next,
               next == kNever};
  seal_row(row);
  if (row.seal != seal) return damaged_queue("an event of the queue is not what was written");
  return row;
}

Result<std::vector<EventRow>> event_rows(Statement statement) {
  std::vector<EventRow> rows;
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return rows;
    UNSCATTER_TRY(row, event_row_at(statement));
    rows.push_back(row);
  }
}

}  // namespace

void seal_row(EventRow& row) {
  static_assert(std::endian::native == std::endian::little && sizeof(Content) == 30);
  const Content content = content_of(row.event);
  row.seal = Hasher()
                 .add(std::string_view("unscatter queue event 1"))
                 .add(row.event.number)
                 .add(static_cast<std::uint64_t>(next_column(row.event)))
                 .add_bytes(std::as_bytes(std::span(&content, 1)))
                 .finish();
}

Status write_event(const Database& database, const EventRow& row) {
  const Content content = content_of(row.event);
  return database.prepare("INSERT OR REPLACE INTO queue_events(number, next_attempt, content, seal) VALUES(?, ?, ?, ?)")
      .bind(1, static_cast<std::int64_t>(row.event.number))
      .bind(2, next_column(row.event))
      .bind(3, std::as_bytes(std::span(&content, 1)))
      .bind(4, bytes_of(row.seal))
      .run();
}

Status erase_event(const Database& database, std::uint64_t number) {
  return database.prepare("DELETE FROM queue_events WHERE number = ?").bind(1, static_cast<std::int64_t>(number)).run();
}

Result<std::optional<EventRow>> read_event(const Database& database, std::uint64_t number) {
  Statement statement =
      database.prepare("SELECT number, next_attempt, content, seal FROM queue_events WHERE number = ?");
  statement.bind(1, static_cast<std::int64_t>(number));
  UNSCATTER_TRY(rows, event_rows(std::move(statement)));
  if (rows.empty()) return std::optional<EventRow>();
  return std::optional(rows.front());
}

Status visit_events(const Database& database, const std::function<Status(const EventRow&)>& take) {
  Statement statement = database.prepare("SELECT number, next_attempt, content, seal FROM queue_events");
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return ok_status();
    UNSCATTER_TRY(row, event_row_at(statement));
    UNSCATTER_CHECK_OK(take(row));
  }
}

Result<std::vector<EventRow>> events_between(const Database& database, std::int64_t first, std::int64_t last,
                                             std::size_t limit) {
  Statement statement = database.prepare(
      "SELECT number, next_attempt, content, seal FROM queue_events WHERE next_attempt >= ? AND next_attempt <= ? "
      "ORDER BY next_attempt, number LIMIT ?");
  statement.bind(1, first).bind(2, last).bind(3, static_cast<std::int64_t>(limit));
  return event_rows(std::move(statement));
}

}  // namespace unscatter
