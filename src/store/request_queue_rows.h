// Rows of the queue of requests in a workspace file, read and written (docs/workspace-format.md, "The queue").
//
// Every row has a seal.  One row sums all of them up and is signed (row_total.h).  Rows name nobody: what was asked for
// stands in them enciphered, and request_queue_texts.h has the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/row_total.h"
#include "store/sqlite.h"
#include "store/tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/request_queue.h"
#include "unscatter/store/signing_key.h"

namespace unscatter {

inline constexpr std::int64_t kSecondsOfDay = 86400;

[[nodiscard]] std::string policy_text(const QueuePolicy& policy);
[[nodiscard]] Result<QueuePolicy> parse_policy(std::string_view text);

// "the workspace is damaged: <what>"
[[nodiscard]] Error damaged_queue(std::string_view what);
[[nodiscard]] std::span<const std::byte> bytes_of(const RequestId& id);
[[nodiscard]] std::span<const std::byte> bytes_of(const Digest& digest);
// Errors: kMalformedInput for another length.
[[nodiscard]] Result<Digest> digest_from(std::span<const std::byte> bytes);
[[nodiscard]] Result<RequestId> id_from(std::span<const std::byte> bytes);

// Table `queue_summary`.
struct QueueSummary {
  QueuePolicy policy;
  std::uint64_t next_request = 1;
  std::uint64_t next_event = 1;
  RowTotal total;  // of all rows with a seal
};
[[nodiscard]] Result<bool> has_queue(const Database& database);
[[nodiscard]] Status write_summary(const Database& database, const Identity& identity, const SigningKey& key,
                                   const QueueSummary& summary);
// Errors: kMalformedInput where it is missing or not signed.
[[nodiscard]] Result<QueueSummary> read_summary(const Database& database, const Identity& identity);

// Table `queue_requests`.
struct RequestRow {
  QueuedRequest request;              // without its text
  std::optional<std::uint64_t> slot;  // of the key of its text, while it is open
  std::vector<std::byte> text;        // enciphered; empty once it is final
  Digest text_digest;                 // of these bytes
  Digest seal;
};
[[nodiscard]] Digest digest_of_cipher(std::span<const std::byte> text);
// Fills in row.seal, from the request, the slot and the digest of the text.
void seal_row(RequestRow& row);
[[nodiscard]] Status insert_request(const Database& database, const RequestRow& row);
// All but the text, which goes if the state is final and stays otherwise.
[[nodiscard]] Status update_request(const Database& database, const RequestRow& row);
[[nodiscard]] Status erase_request(const Database& database, std::uint64_t number);
inline constexpr std::string_view kRequestColumns = "number, id, state, finished, details, text, seal";
// The row that `statement` stands on, with kRequestColumns from 0 on.  Errors: kMalformedInput for a row that is not
// what was written.
struct RequestColumns {
  std::uint64_t number = 0;
  RequestId id;
  RequestState state = RequestState::kReceived;
  std::optional<std::int64_t> finished;
  Digest seal;
};
[[nodiscard]] Result<RequestColumns> request_columns_at(const Statement& statement);
// All of it.  Errors also: kMalformedInput for a row that breaks a rule of the life of a request.
[[nodiscard]] Result<RequestRow> request_row_at(const Statement& statement);

// Table `queue_days`.
struct DayRow {
  QueueDay day;
  Digest seal;
};
void seal_row(DayRow& row);
[[nodiscard]] Status write_day(const Database& database, const DayRow& row);
[[nodiscard]] Status visit_days(const Database& database, const std::function<Status(const DayRow&)>& take);

// Table `queue_events`.
struct EventRow {
  QueueEvent event;
  Digest seal;
};
void seal_row(EventRow& row);
[[nodiscard]] Status write_event(const Database& database, const EventRow& row);
[[nodiscard]] Status erase_event(const Database& database, std::uint64_t number);
[[nodiscard]] Result<std::optional<EventRow>> read_event(const Database& database, std::uint64_t number);
// Those whose next attempt is from `first` to `last`, in that order, at most `limit`.
[[nodiscard]] Result<std::vector<EventRow>> events_between(const Database& database, std::int64_t first,
                                                           std::int64_t last, std::size_t limit);
[[nodiscard]] Status visit_events(const Database& database, const std::function<Status(const EventRow&)>& take);
// What stands in the column `next_attempt` of an event that was given up.
inline constexpr std::int64_t kNever = INT64_MAX;

// Table `queue_keys`: keys of idempotency.
struct KeyRow {
  Digest key;   // keyed digest of actor and key
  Digest body;  // keyed digest of actor, key and body
  std::int64_t expires = 0;
  std::vector<RequestId> requests;
  Digest seal;
};
void seal_row(KeyRow& row);
[[nodiscard]] Status write_key(const Database& database, const KeyRow& row);
[[nodiscard]] Status erase_key(const Database& database, const Digest& key);
[[nodiscard]] Result<std::optional<KeyRow>> read_key(const Database& database, const Digest& key);
// Those that expired at `now` or before, at most `limit`.
[[nodiscard]] Result<std::vector<KeyRow>> expired_keys(const Database& database, std::int64_t now, std::size_t limit);
[[nodiscard]] Status visit_keys(const Database& database, const std::function<Status(KeyRow&&)>& take);

}  // namespace unscatter
