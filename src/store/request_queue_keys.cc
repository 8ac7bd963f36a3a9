// Keys of idempotency.  A client that got no answer sends the same again, and must not become a second request.
#include "store/request_queue_rows.h"

namespace unscatter {
namespace {

constexpr std::size_t kIdBytes = std::tuple_size_v<decltype(RequestId::bytes)>;

std::vector<std::byte> joined(const std::vector<RequestId>& ids) {
  std::vector<std::byte> bytes;
  bytes.reserve(ids.size() * kIdBytes);
  for (const RequestId& id : ids) bytes.insert(bytes.end(), bytes_of(id).begin(), bytes_of(id).end());
  return bytes;
}

// Columns key, body, expires, requests and seal from 0 on.
Result<KeyRow> key_row_at(const Statement& statement) {
  UNSCATTER_TRY(key_bytes, statement.blob_view(0));
  UNSCATTER_TRY(key, digest_from(key_bytes));
  UNSCATTER_TRY(body_bytes, statement.blob_view(1));
  UNSCATTER_TRY(body, digest_from(body_bytes));
  UNSCATTER_TRY(expires, statement.integer(2));
  UNSCATTER_TRY(ids, statement.blob(3));
  UNSCATTER_TRY(seal_bytes, statement.blob_view(4));
  UNSCATTER_TRY(seal, digest_from(seal_bytes));
  KeyRow row{key, body, expires, {}, {}};
  for (std::size_t i = 0; i < ids.size(); i += kIdBytes) {
    UNSCATTER_TRY(id, id_from(std::span(ids).subspan(i, std::min(kIdBytes, ids.size() - i))));
    row.requests.push_back(id);
  }
  seal_row(row);
  if (row.seal != seal) return damaged_queue("a key of idempotency is not what was written");
  return row;
}

Result<std::vector<KeyRow>> rows_of(Statement statement) {
  std::vector<KeyRow> rows;
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return rows;
    UNSCATTER_TRY(row, key_row_at(statement));
    rows.push_back(std::move(row));
  }
}

}  // namespace

void seal_row(KeyRow& row) {
  row.seal = Hasher()
                 .add(std::string_view("unscatter queue key 1"))
                 .add_bytes(bytes_of(row.key))
                 .add_bytes(bytes_of(row.body))
                 .add(static_cast<std::uint64_t>(row.expires))
                 .add(static_cast<std::uint64_t>(row.requests.size()))
                 .add_bytes(joined(row.requests))
                 .finish();
}

Status write_key(const Database& database, const KeyRow& row) {
  const std::vector<std::byte> ids = joined(row.requests);
  return database.prepare("INSERT INTO queue_keys(key, body, expires, requests, seal) VALUES(?, ?, ?, ?, ?)")
      .bind(1, bytes_of(row.key))
      .bind(2, bytes_of(row.body))
      .bind(3, row.expires)
      .bind(4, std::span<const std::byte>(ids))
      .bind(5, bytes_of(row.seal))
      .run();
}

Status erase_key(const Database& database, const Digest& key) {
  return database.prepare("DELETE FROM queue_keys WHERE key = ?").bind(1, bytes_of(key)).run();
}

Result<std::optional<KeyRow>> read_key(const Database& database, const Digest& key) {
  Statement statement = database.prepare("SELECT key, body, expires, requests, seal FROM queue_keys WHERE key = ?");
  statement.bind(1, bytes_of(key));
  UNSCATTER_TRY(rows, rows_of(std::move(statement)));
  if (rows.empty()) return std::optional<KeyRow>();
  return std::optional(std::move(rows.front()));
}

Result<std::vector<KeyRow>> expired_keys(const Database& database, std::int64_t now, std::size_t limit) {
  Statement statement = database.prepare(
      "SELECT key, body, expires, requests, seal FROM queue_keys WHERE expires <= ? ORDER BY expires LIMIT ?");
  statement.bind(1, now).bind(2, static_cast<std::int64_t>(limit));
  return rows_of(std::move(statement));
}

Status visit_keys(const Database& database, const std::function<Status(KeyRow&&)>& take) {
  Statement statement = database.prepare("SELECT key, body, expires, requests, seal FROM queue_keys");
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return ok_status();
    UNSCATTER_TRY(row, key_row_at(statement));
    UNSCATTER_CHECK_OK(take(std::move(row)));
  }
}

}  // namespace unscatter
