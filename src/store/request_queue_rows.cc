#include "store/request_queue_rows.h"

#include <utility>

#include "store/json_fields.h"

namespace unscatter {
namespace {

using nlohmann::json;

// What stands in the column `details`.
struct Details {
  QueuedRequest request;
  std::optional<std::uint64_t> slot;
};

json change_json(const RequestChange& change) {
  const json from = change.from ? json(static_cast<unsigned>(*change.from)) : json(nullptr);
  return json::array(
      {change.time, from, static_cast<unsigned>(change.to), change.actor, static_cast<unsigned>(change.note)});
}

std::string request_details_text(const Details& details) {
  const QueuedRequest& request = details.request;
  json written = {{"due", request.due},
                  {"extended", request.extended},
                  {"first_due", request.first_due},
                  {"history", json::array()},
                  {"kind", static_cast<unsigned>(request.kind)},
                  {"received", request.received}};
  for (const RequestChange& change : request.history) written["history"].push_back(change_json(change));
  if (details.slot) written["slot"] = *details.slot;
  if (request.kept_commitment) written["kept"] = request.kept_commitment->hex();
  if (request.result) {
    written["result"] = {{"commitment", request.result->commitment.hex()},
                         {"entry", request.result->entry},
                         {"index", request.result->commitment_index}};
  }
  return written.dump();
}

// Before get(): it turns a number that is none of ours into some other one.
std::int64_t time_from(const json& value) {
  if (!value.is_number_integer()) throw json::other_error::create(599, "no whole number", &value);
  return value.get<std::int64_t>();
}

template <typename Value>
Value enum_from(const json& value, Value last) {
  const std::uint64_t number = whole_number(value);
  if (number > static_cast<std::uint64_t>(last)) throw json::other_error::create(599, "unknown value", &value);
  return static_cast<Value>(number);
}

RequestState state_from(const json& value) { return enum_from(value, RequestState::kCancelled); }

RequestChange change_from(const json& value) {
  RequestChange change;
  change.time = time_from(value.at(0));
  if (!value.at(1).is_null()) change.from = state_from(value.at(1));
  change.to = state_from(value.at(2));
  change.actor = value.at(3).get<std::string>();
  change.note = enum_from(value.at(4), RequestNote::kTriedAgain);
  return change;
}

Result<Details> details_from(const json& written) {
  Details details;
  QueuedRequest& request = details.request;
  request.due = time_from(written.at("due"));
  request.first_due = time_from(written.at("first_due"));
  request.received = time_from(written.at("received"));
  request.extended = written.at("extended").get<bool>();
  request.kind = enum_from(written.at("kind"), RequestKind::kSubject);
  for (const json& change : written.at("history")) request.history.push_back(change_from(change));
  if (written.contains("slot")) details.slot = whole_number(written.at("slot"));
  if (written.contains("kept")) {
    UNSCATTER_TRY(kept, digest_from_json(written.at("kept")));
    request.kept_commitment = kept;
  }
  if (written.contains("result")) {
    const json& result = written.at("result");
    UNSCATTER_TRY(commitment, digest_from_json(result.at("commitment")));
    request.result = RequestResult{whole_number(result.at("entry")), whole_number(result.at("index")), commitment};
  }
  return details;
}

// The rules of the life of a request (invariant 14).
bool lived_by_the_rules(const RequestRow& row) {
  const QueuedRequest& request = row.request;
  if (request.history.empty() || request.history.front().from) return false;
  if (request.history.front().to != RequestState::kReceived) return false;
  RequestState state = RequestState::kReceived;
  for (std::size_t i = 1; i < request.history.size(); ++i) {
    const RequestChange& change = request.history[i];
    // An extension changes no state.
    const bool moved = change.from == state && (change.to == state ? !is_final(state) : may_move(state, change.to));
    if (!moved) return false;
    state = change.to;
  }
  const bool final = is_final(state);
  return state == request.state && request.finished.has_value() == final && row.slot.has_value() != final &&
         row.text.empty() == final && request.result.has_value() == (state == RequestState::kDone) &&
         request.kept_commitment.has_value() == (final && state != RequestState::kDone);
}

constexpr std::uint64_t kNoTime = UINT64_MAX;

Digest seal_of(const RequestColumns& columns, std::string_view details, const Digest& text_digest) {
  return Hasher()
      .add(std::string_view("unscatter queue request 1"))
      .add(columns.number)
      .add_bytes(bytes_of(columns.id))
      .add(static_cast<std::uint64_t>(columns.state))
      .add(columns.finished ? static_cast<std::uint64_t>(*columns.finished) : kNoTime)
      .add(static_cast<std::uint64_t>(columns.finished.has_value()))
      .add(details)
      .add_bytes(bytes_of(text_digest))
      .finish();
}

std::string details_of(const RequestRow& row) { return request_details_text({row.request, row.slot}); }

}  // namespace

Digest digest_of_cipher(std::span<const std::byte> text) {
  return Hasher()
      .add(std::string_view("unscatter queue text 1"))
      .add(static_cast<std::uint64_t>(text.size()))
      .add_bytes(text)
      .finish();
}

void seal_row(RequestRow& row) {
  const QueuedRequest& request = row.request;
  const RequestColumns columns{request.number, request.id, request.state, request.finished, {}};
  row.seal = seal_of(columns, details_of(row), row.text_digest);
}

Status insert_request(const Database& database, const RequestRow& row) {
  const std::string details = details_of(row);
  return database
      .prepare(
          "INSERT INTO queue_requests(number, id, state, finished, details, text, seal) "
          "VALUES(?, ?, ?, NULL, ?, ?, ?)")
      .bind(1, static_cast<std::int64_t>(row.request.number))
      .bind(2, bytes_of(row.request.id))
      .bind(3, static_cast<std::int64_t>(row.request.state))
      .bind(4, std::string_view(details))
      .bind(5, std::span<const std::byte>(row.text))
      .bind(6, bytes_of(row.seal))
      .run();
}

Status update_request(const Database& database, const RequestRow& row) {
  const std::string details = details_of(row);
  const bool final = is_final(row.request.state);
  Statement statement = database.prepare(
      final ? "UPDATE queue_requests SET state = ?, finished = ?, details = ?, seal = ?, text = NULL WHERE number = ?"
            : "UPDATE queue_requests SET state = ?, finished = ?, details = ?, seal = ? WHERE number = ?");
  statement.bind(1, static_cast<std::int64_t>(row.request.state))
      .bind(3, std::string_view(details))
      .bind(4, bytes_of(row.seal))
      .bind(5, static_cast<std::int64_t>(row.request.number));
  if (row.request.finished) {
    statement.bind(2, *row.request.finished);
  } else {
    statement.bind_null(2);
  }
  return statement.run();
}

Status erase_request(const Database& database, std::uint64_t number) {
  return database.prepare("DELETE FROM queue_requests WHERE number = ?")
      .bind(1, static_cast<std::int64_t>(number))
      .run();
}

Result<RequestColumns> request_columns_at(const Statement& statement) {
  UNSCATTER_TRY(number, statement.integer(0));
  UNSCATTER_TRY(id_bytes, statement.blob_view(1));
  UNSCATTER_TRY(id, id_from(id_bytes));
  UNSCATTER_TRY(state, statement.integer(2));
  if (state < 0 || state >= static_cast<std::int64_t>(kRequestStates)) return damaged_queue("a request has no state");
  RequestColumns columns{static_cast<std::uint64_t>(number), id, static_cast<RequestState>(state), {}, {}};
  if (!statement.is_null(3)) {
    UNSCATTER_TRY(finished, statement.integer(3));
    columns.finished = finished;
  }
  UNSCATTER_TRY(details, statement.text(4));
  std::span<const std::byte> text;
  if (!statement.is_null(5)) {
    UNSCATTER_TRY(cipher, statement.blob_view(5));
    text = cipher;
  }
  UNSCATTER_TRY(seal_bytes, statement.blob_view(6));
  UNSCATTER_TRY(seal, digest_from(seal_bytes));
  columns.seal = seal_of(columns, details, digest_of_cipher(text));
  if (columns.seal != seal) return damaged_queue("a request of the queue is not what was written");
  return columns;
}

Result<RequestRow> request_row_at(const Statement& statement) {
  UNSCATTER_TRY(columns, request_columns_at(statement));
  UNSCATTER_TRY(details, statement.text(4));
  UNSCATTER_TRY(read, read_canonical<Details>(details, "request of a queue", details_from, request_details_text));
  RequestRow row;
  row.request = std::move(read.request);
  row.slot = read.slot;
  row.request.number = columns.number;
  row.request.id = columns.id;
  row.request.state = columns.state;
  row.request.finished = columns.finished;
  if (!statement.is_null(5)) {
    UNSCATTER_TRY(text, statement.blob(5));
    row.text = std::move(text);
  }
  row.text_digest = digest_of_cipher(row.text);
  row.seal = columns.seal;
  if (!lived_by_the_rules(row)) return damaged_queue("a request of the queue has a life that is not allowed");
  return row;
}

}  // namespace unscatter
