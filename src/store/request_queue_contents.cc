#include "store/request_queue_contents.h"

#include <fmt/format.h>

#include <utility>

#include "unscatter/store/ledger_record.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// Reads all tables of a queue, and sums up what it finds.
class QueueReading {
 public:
  QueueReading(const Database& database, const std::function<Status(const QueuedRequest&)>& see_finished)
      : database_(database), see_finished_(see_finished) {}

  [[nodiscard]] Result<QueueContents> read(const Identity& identity) {
    UNSCATTER_TRY(summary, read_summary(database_, identity));
    contents_.summary = summary;
    UNSCATTER_TRY(keys, TextKeys::read(database_));
    contents_.keys = std::move(keys);
    UNSCATTER_CHECK_OK(read_requests_of_queue());
    UNSCATTER_CHECK_OK(read_other_rows());
    if (found_ != contents_.summary.total) return damaged_queue("rows of the queue were added, changed or taken out");
    // A key that no request names would keep the text of a finished one readable.
    if (contents_.keys.used() != contents_.open.size()) return damaged_queue("the queue has a key without a text");
    return std::move(contents_);
  }

 private:
  Status read_requests_of_queue() {
    // By the table, so that a row that an index has lost is read too.
    Statement statement =
        database_.prepare(fmt::format("SELECT {} FROM queue_requests ORDER BY number", kRequestColumns));
    for (;;) {
      UNSCATTER_TRY(more, statement.step());
      if (!more) return ok_status();
      UNSCATTER_TRY(columns, request_columns_at(statement));
      found_.add(columns.seal);
      if (columns.number >= contents_.summary.next_request) return damaged_queue("a request comes from the future");
      const bool final = is_final(columns.state);
      if (final) ++contents_.finished;
      // There may be very many finished ones.  Their seals say that they are what was written.
      if (final && !see_finished_) continue;
      UNSCATTER_TRY(row, request_row_at(statement));
      UNSCATTER_CHECK_OK(final ? see_finished_(row.request) : keep_open(std::move(row)));
    }
  }

  Status keep_open(RequestRow&& row) {
    UNSCATTER_TRY(key, contents_.keys.key(row.slot.value()));
    std::optional<std::string> text = decipher(row.text, key);
    if (!text) return damaged_queue("the text of a request cannot be deciphered");
    row.request.text = *std::move(text);
    // It was written by this program, so it is a request, in its one spelling.
    UNSCATTER_TRY(parsed, parse_request(row.request.text));
    if (static_cast<std::size_t>(row.request.kind) != parsed.index())
      return damaged_queue("a request changed its kind");
    const std::uint64_t number = row.request.number;
    OpenRequest open{std::make_shared<const QueuedRequest>(std::move(row.request)), *row.slot, row.text_digest,
                     row.seal};
    contents_.open.emplace(number, std::move(open));
    return ok_status();
  }

  Status read_other_rows() {
    UNSCATTER_CHECK_OK(visit_days(database_, [&](const DayRow& row) -> Status {
      found_.add(row.seal);
      contents_.days.emplace(row.day.day, row);
      return ok_status();
    }));
    UNSCATTER_CHECK_OK(visit_keys(database_, [&](KeyRow&& row) -> Status {
      found_.add(row.seal);
      return ok_status();
    }));
    return visit_events(database_, [&](const EventRow& row) -> Status {
      found_.add(row.seal);
      if (row.event.number >= contents_.summary.next_event) return damaged_queue("an event comes from the future");
      if (!row.event.given_up) ++contents_.pending_events;
      return ok_status();
    });
  }

  const Database& database_;
  const std::function<Status(const QueuedRequest&)>& see_finished_;
  QueueContents contents_;
  RowTotal found_;
};

}  // namespace

Result<QueueContents> read_queue(const Database& database, const Identity& identity,
                                 const std::function<Status(const QueuedRequest&)>& see_finished) {
  return QueueReading(database, see_finished).read(identity);
}

Result<std::string> check_queue(const Database& database, const Contents& contents) {
  UNSCATTER_TRY(there, has_queue(database));
  if (!there) return std::string();
  // Requests of one update follow one another, so the entry of the last one is kept.
  std::optional<LedgerRecord> entry;
  const auto in_ledger = [&](const QueuedRequest& request) -> Status {
    if (!request.result) return ok_status();
    const RequestResult& result = *request.result;
    if (!entry || entry->sequence != result.entry) {
      UNSCATTER_TRY(row, read_entry(database, result.entry));
      UNSCATTER_TRY(record, parse_ledger_text(row.body));
      entry = std::move(record);
    }
    const auto& commitments = entry->commitments;
    if (result.commitment_index < commitments.size() && commitments[result.commitment_index] == result.commitment) {
      return ok_status();
    }
    return damaged_queue("a request of the queue is done, and its entry does not say so");
  };
  UNSCATTER_TRY(queue, read_queue(database, contents.identity, in_ledger));
  return fmt::format("{} open and {} finished requests", queue.open.size(), queue.finished);
}

}  // namespace unscatter
