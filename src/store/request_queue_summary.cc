// The one row that speaks for all rows of the queue.
#include <fmt/format.h>

#include <cstring>

#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

// What is signed.  Its own first line keeps it apart from everything else that the key signs.
std::string signed_summary(const Identity& identity, const QueueSummary& summary) {
  return fmt::format("unscatter queue 1\n{}\n{}\n{}\n{}\n{}\n{}", identity.id, policy_text(summary.policy),
                     summary.next_request, summary.next_event, summary.total.rows, summary.total.digest().hex());
}

}  // namespace

Error damaged_queue(std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: {}", what)};
}

std::span<const std::byte> bytes_of(const RequestId& id) { return std::as_bytes(std::span(id.bytes)); }
std::span<const std::byte> bytes_of(const Digest& digest) { return std::as_bytes(std::span(digest.bytes)); }

Result<Digest> digest_from(std::span<const std::byte> bytes) {
  Digest digest;
  if (bytes.size() != digest.bytes.size()) return damaged_queue("a digest in the queue has the wrong length");
  std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
  return digest;
}

Result<RequestId> id_from(std::span<const std::byte> bytes) {
  RequestId id;
  if (bytes.size() != id.bytes.size()) return damaged_queue("the id of a request has the wrong length");
  std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
  return id;
}

Result<bool> has_queue(const Database& database) {
  UNSCATTER_TRY(tables, database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'queue_summary'"));
  return tables != 0;
}

Status write_summary(const Database& database, const Identity& identity, const SigningKey& key,
                     const QueueSummary& summary) {
  const Signature signature = key.sign(signed_summary(identity, summary));
  const std::string policy = policy_text(summary.policy);
  return database
      .prepare(
          "INSERT OR REPLACE INTO queue_summary(only, policy, next_request, next_event, rows, digest, signature) "
          "VALUES(1, ?, ?, ?, ?, ?, ?)")
      .bind(1, std::string_view(policy))
      .bind(2, static_cast<std::int64_t>(summary.next_request))
      .bind(3, static_cast<std::int64_t>(summary.next_event))
      .bind(4, summary.total.rows)
      .bind(5, std::as_bytes(std::span(summary.total.lanes)))
      .bind(6, std::as_bytes(std::span(signature.bytes)))
      .run();
}

Result<QueueSummary> read_summary(const Database& database, const Identity& identity) {
  Statement statement = database.prepare(
      "SELECT policy, next_request, next_event, rows, digest, signature FROM queue_summary WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  // It is there from the first day on, also where nobody asked for anything.  Otherwise all requests could go
  // unnoticed.
  if (!found) return damaged_queue("the summary of the queue is missing");
  UNSCATTER_TRY(policy_words, statement.text(0));
  UNSCATTER_TRY(next_request, statement.integer(1));
  UNSCATTER_TRY(next_event, statement.integer(2));
  UNSCATTER_TRY(rows, statement.integer(3));
  UNSCATTER_TRY(digest, statement.blob(4));
  UNSCATTER_TRY(signed_by, statement.blob(5));
  UNSCATTER_TRY(policy, parse_policy(policy_words));
  QueueSummary summary;
  Signature signature;
  if (digest.size() != sizeof(summary.total.lanes) || signed_by.size() != signature.bytes.size()) {
    return damaged_queue("the summary of the queue has the wrong length");
  }
  summary.policy = policy;
  summary.next_request = static_cast<std::uint64_t>(next_request);
  summary.next_event = static_cast<std::uint64_t>(next_event);
  summary.total.rows = rows;
  std::memcpy(summary.total.lanes.data(), digest.data(), digest.size());
  std::memcpy(signature.bytes.data(), signed_by.data(), signed_by.size());
  if (!verify_signature(signed_summary(identity, summary), signature, identity.signer)) {
    return damaged_queue("the summary of the queue is not signed by its key");
  }
  return summary;
}

}  // namespace unscatter
