#include "store/tables.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/wipe.h"
#include "store/schema.h"

namespace unscatter {
namespace {

Error damaged_row(std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: {}", what)};
}

template <std::size_t kSize>
std::span<const std::byte> as_blob(const std::array<std::uint8_t, kSize>& bytes) {
  return std::as_bytes(std::span(bytes));
}

// A blob that is too short would otherwise be read beyond its end.
template <std::size_t kSize>
Status copy_exactly(const std::vector<std::byte>& blob, std::array<std::uint8_t, kSize>& bytes) {
  if (blob.size() != kSize) return damaged_row("a digest or key has the wrong length");
  std::memcpy(bytes.data(), blob.data(), kSize);
  return ok_status();
}

Result<Digest> digest_at(const Statement& statement, int column) {
  Digest digest;
  UNSCATTER_TRY(blob, statement.blob(column));
  UNSCATTER_CHECK_OK(copy_exactly(blob, digest.bytes));
  return digest;
}

// Columns body, hash and signature from `first` on.
Result<LedgerRow> entry_at(const Statement& statement, int first) {
  LedgerRow row;
  UNSCATTER_TRY(body, statement.text(first));
  UNSCATTER_TRY(hash, digest_at(statement, first + 1));
  UNSCATTER_TRY(signature, statement.blob(first + 2));
  UNSCATTER_CHECK_OK(copy_exactly(signature, row.signature.bytes));
  row.body = std::move(body);
  row.hash = hash;
  return row;
}

// A seal has no key, so whoever changes a row can change its seal as well.  It tells damage (invariant 12).
Status check_seal(const Statement& statement, int column, const Digest& expected, std::string_view what) {
  UNSCATTER_TRY(seal, digest_at(statement, column));
  if (seal == expected) return ok_status();
  return damaged_row(fmt::format("{} is not what was written", what));
}

Digest seal_of(const Identity& identity) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter workspace 1")).add(identity.id).add(identity.created);
  return hasher.add_bytes(as_blob(identity.signer.bytes))
      .add(identity.constants)
      .add_bytes(as_blob(identity.list_key.bytes))
      .finish();
}

Digest seal_of(std::span<const std::byte> weights, std::string_view details) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter published 1")).add(std::uint64_t{weights.size()});
  return hasher.add_bytes(weights).add(details).finish();
}

// With the sequence: salts that were moved to another entry open nothing, and this says so.
Digest seal_of_salts(std::size_t sequence, std::span<const std::byte> salts) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter salts 1")).add(std::uint64_t{sequence});
  return hasher.add_bytes(salts).finish();
}

// Rows of unscatter 0.1 have no entries and keep the seal that they had.
Digest seal_of_list(const Digest& done, std::span<const std::byte> entries) {
  Hasher hasher;
  hasher.add(std::string_view(entries.empty() ? "unscatter lists 1" : "unscatter lists 2"));
  return hasher.add_bytes(as_blob(done.bytes)).add_bytes(entries).finish();
}

// Two numbers of 8 little-endian bytes per run.
Result<std::vector<EntryRun>> runs_of(const std::vector<std::byte>& blob) {
  static_assert(sizeof(EntryRun) == 16 && std::endian::native == std::endian::little);
  if (blob.size() % sizeof(EntryRun) != 0) return damaged_row("the entries of a list have the wrong length");
  std::vector<EntryRun> runs(blob.size() / sizeof(EntryRun));
  if (!runs.empty()) std::memcpy(runs.data(), blob.data(), blob.size());
  std::uint64_t next = 0;
  for (const EntryRun& run : runs) {
    if (run.first < next || run.last < run.first) return damaged_row("the entries of a list do not ascend");
    next = run.last + 1;
  }
  return runs;
}

// What is signed: the hash, under a name that keeps it apart from everything else that the key signs.  The hash of an
// entry must never pass for a receipt.
std::string signed_hash(const Digest& hash) { return fmt::format("unscatter ledger entry 1\n{}", hash.hex()); }

// Columns salts and seal from `first` on.
Result<std::vector<Salt>> salts_at(const Statement& statement, int first, std::size_t sequence) {
  UNSCATTER_TRY(blob, statement.blob(first));
  UNSCATTER_CHECK_OK(
      check_seal(statement, first + 1, seal_of_salts(sequence, blob), fmt::format("the salts of entry {}", sequence)));
  if (blob.size() % sizeof(Salt) != 0) return damaged_row("a salt has the wrong length");
  std::vector<Salt> salts(blob.size() / sizeof(Salt));
  if (!salts.empty()) std::memcpy(salts.data(), blob.data(), blob.size());
  // Salts open commitments.  A second copy in freed memory would outlive a --shred.
  wipe(blob);
  return salts;
}

std::int64_t row_number(std::size_t sequence) { return static_cast<std::int64_t>(sequence); }

}  // namespace

Status write_identity(const Database& database, const Identity& identity) {
  const Digest seal = seal_of(identity);
  return database
      .prepare(
          "INSERT INTO workspace(only, id, created, signer, constants, list_key, seal) VALUES(1, ?, ?, ?, ?, ?, ?)")
      .bind(1, identity.id)
      .bind(2, identity.created)
      .bind(3, as_blob(identity.signer.bytes))
      .bind(4, identity.constants)
      .bind(5, as_blob(identity.list_key.bytes))
      .bind(6, as_blob(seal.bytes))
      .run();
}

Result<Identity> read_identity(const Database& database) {
  Statement statement =
      database.prepare("SELECT id, created, signer, constants, list_key, seal FROM workspace WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_row("it does not say who it is");
  Identity identity;
  UNSCATTER_TRY(id, statement.text(0));
  UNSCATTER_TRY(created, statement.text(1));
  UNSCATTER_TRY(signer, statement.blob(2));
  UNSCATTER_TRY(constants, statement.text(3));
  UNSCATTER_TRY(list_key, statement.blob(4));
  identity.id = std::move(id);
  identity.created = std::move(created);
  UNSCATTER_CHECK_OK(copy_exactly(signer, identity.signer.bytes));
  identity.constants = std::move(constants);
  UNSCATTER_CHECK_OK(copy_exactly(list_key, identity.list_key.bytes));
  UNSCATTER_CHECK_OK(check_seal(statement, 5, seal_of(identity), "its name or its constants"));
  return identity;
}

// In every entry, and so under every signature: nobody can give an old ledger another epsilon.
Digest constants_digest(const Identity& identity) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter constants 1")).add(identity.id).add(identity.created);
  return hasher.add_bytes(as_blob(identity.signer.bytes)).add(identity.constants).finish();
}

// REPLACE overwrites the one row there is.  No old model stays, because old weights carry what was removed.
Status write_model(const Database& database, const ModelRow& row) {
  Statement statement = database.prepare(
      "INSERT OR REPLACE INTO model(only, weights, residuals, perturbation, details, salt) VALUES(1, ?, ?, ?, ?, ?)");
  statement.bind(1, row.weights).bind(2, row.residuals).bind(4, row.details).bind(5, as_blob(row.salt.bytes));
  if (row.perturbation) statement.bind(3, *row.perturbation);
  return statement.run();
}

Result<ModelRow> read_model(const Database& database) {
  Statement statement =
      database.prepare("SELECT weights, residuals, perturbation, details, salt FROM model WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_row("it has no model");
  ModelRow row;
  UNSCATTER_TRY(weights, statement.blob(0));
  UNSCATTER_TRY(residuals, statement.blob(1));
  UNSCATTER_TRY(details, statement.text(3));
  UNSCATTER_TRY(salt, statement.blob(4));
  row.weights = std::move(weights);
  row.residuals = std::move(residuals);
  row.details = std::move(details);
  UNSCATTER_CHECK_OK(copy_exactly(salt, row.salt.bytes));
  if (!statement.is_null(2)) {
    UNSCATTER_TRY(perturbation, statement.blob(2));
    row.perturbation = std::move(perturbation);
  }
  return row;
}

Status write_published(const Database& database, const PublishedModel& model) {
  const std::vector<std::byte> weights = to_blob(model.weights);
  const std::string details = published_text(model);
  const Digest seal = seal_of(weights, details);
  return database.prepare("INSERT OR REPLACE INTO published(only, weights, details, seal) VALUES(1, ?, ?, ?)")
      .bind(1, weights)
      .bind(2, details)
      .bind(3, as_blob(seal.bytes))
      .run();
}

Status erase_published(const Database& database) { return database.run("DELETE FROM published"); }

Result<std::optional<PublishedModel>> read_published(const Database& database, std::size_t width, std::size_t classes,
                                                     std::uint32_t version) {
  Statement statement = database.prepare("SELECT weights, details, seal FROM published WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return std::optional<PublishedModel>();
  UNSCATTER_TRY(weights, statement.blob(0));
  UNSCATTER_TRY(details, statement.text(1));
  UNSCATTER_CHECK_OK(check_seal(statement, 2, seal_of(weights, details), "the published model"));
  UNSCATTER_TRY(model, parse_published(details, version));
  UNSCATTER_TRY(matrix, matrix_from_blob(weights, width, classes));
  model.weights = std::move(matrix);
  return std::optional<PublishedModel>(std::move(model));
}

LedgerRow make_entry(const LedgerRecord& record, const SigningKey& key) {
  LedgerRow row;
  row.body = ledger_text(record);
  row.hash = entry_hash(row.body);
  row.signature = key.sign(signed_hash(row.hash));
  return row;
}

bool is_signed(const LedgerRow& row, const PublicKey& signer) {
  return verify_signature(signed_hash(row.hash), row.signature, signer);
}

// INSERT without REPLACE, here and for receipts: an entry that exists is never written again.
Status append_entry(const Database& database, std::size_t sequence, const LedgerRow& row) {
  return database.prepare("INSERT INTO ledger(sequence, body, hash, signature) VALUES(?, ?, ?, ?)")
      .bind(1, row_number(sequence))
      .bind(2, row.body)
      .bind(3, as_blob(row.hash.bytes))
      .bind(4, as_blob(row.signature.bytes))
      .run();
}

Result<std::optional<std::size_t>> last_entry(const Database& database) {
  Statement statement = database.prepare("SELECT sequence FROM ledger ORDER BY sequence DESC LIMIT 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return std::optional<std::size_t>();
  UNSCATTER_TRY(sequence, statement.integer(0));
  if (sequence < 0) return damaged_row("an entry of the ledger has a negative number");
  return std::optional(static_cast<std::size_t>(sequence));
}

Result<LedgerRow> read_entry(const Database& database, std::size_t sequence) {
  Statement statement = database.prepare("SELECT body, hash, signature FROM ledger WHERE sequence = ?");
  statement.bind(1, row_number(sequence));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return Error{ErrorCode::kNotFound, fmt::format("the ledger has no entry {}", sequence)};
  return entry_at(statement, 0);
}

Status visit_entries(const Database& database,
                     const std::function<Status(std::size_t sequence, const LedgerRow& row)>& visit) {
  Statement statement = database.prepare("SELECT sequence, body, hash, signature FROM ledger ORDER BY sequence");
  // Invariant 3.  An entry that was taken out of the middle leaves a gap in the numbers.
  for (std::size_t expected = 0;; ++expected) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return ok_status();
    UNSCATTER_TRY(sequence, statement.integer(0));
    if (sequence != row_number(expected))
      return damaged_row(fmt::format("entry {} of the ledger is missing", expected));
    UNSCATTER_TRY(row, entry_at(statement, 1));
    UNSCATTER_CHECK_OK(visit(expected, row));
  }
}

Status write_receipt(const Database& database, std::size_t sequence, std::string_view text) {
  return database.prepare("INSERT INTO receipts(sequence, body) VALUES(?, ?)")
      .bind(1, row_number(sequence))
      .bind(2, text)
      .run();
}

Result<std::string> read_receipt(const Database& database, std::size_t sequence) {
  Statement statement = database.prepare("SELECT body FROM receipts WHERE sequence = ?");
  statement.bind(1, row_number(sequence));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return Error{ErrorCode::kNotFound, fmt::format("entry {} has no receipt", sequence)};
  return statement.text(0);
}

Result<std::size_t> count_receipts(const Database& database) {
  UNSCATTER_TRY(count, database.integer("SELECT count(*) FROM receipts"));
  return static_cast<std::size_t>(count);
}

Status write_salts(const Database& database, std::size_t sequence, std::span<const Salt> salts) {
  // The salts are written as they lie in memory, one after the other.
  static_assert(sizeof(Salt) == sizeof(Salt::bytes));
  const std::span<const std::byte> blob = std::as_bytes(salts);
  const Digest seal = seal_of_salts(sequence, blob);
  return database.prepare("INSERT OR REPLACE INTO salts(sequence, salts, seal) VALUES(?, ?, ?)")
      .bind(1, row_number(sequence))
      .bind(2, blob)
      .bind(3, as_blob(seal.bytes))
      .run();
}

Result<std::vector<Salt>> read_salts(const Database& database, std::size_t sequence) {
  Statement statement = database.prepare("SELECT salts, seal FROM salts WHERE sequence = ?");
  statement.bind(1, row_number(sequence));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return std::vector<Salt>();
  return salts_at(statement, 0, sequence);
}

Status visit_salts(const Database& database,
                   const std::function<Status(std::size_t sequence, std::vector<Salt>& salts)>& visit) {
  Statement statement = database.prepare("SELECT sequence, salts, seal FROM salts ORDER BY sequence");
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return ok_status();
    UNSCATTER_TRY(number, statement.integer(0));
    const auto sequence = static_cast<std::size_t>(number);
    UNSCATTER_TRY(salts, salts_at(statement, 1, sequence));
    // Wiped before the status is looked at, so that an error leaves none behind.
    Status status = visit(sequence, salts);
    wipe(salts);
    UNSCATTER_CHECK_OK(std::move(status));
  }
}

Status erase_salts(const Database& database, std::size_t sequence) {
  return database.prepare("DELETE FROM salts WHERE sequence = ?").bind(1, row_number(sequence)).run();
}

std::vector<EntryRun> with_entry(std::vector<EntryRun> runs, std::uint64_t sequence) {
  // A list that is not interrupted is one run, however long it is.
  if (!runs.empty() && runs.back().last + 1 == sequence) {
    ++runs.back().last;
  } else {
    runs.push_back({sequence, sequence});
  }
  return runs;
}

Status write_list(const Database& database, const ListRow& row) {
  const std::span<const std::byte> entries = std::as_bytes(std::span(row.entries));
  const Digest seal = seal_of_list(row.done, entries);
  return database.prepare("INSERT OR REPLACE INTO lists(done, entries, seal) VALUES(?, ?, ?)")
      .bind(1, as_blob(row.done.bytes))
      .bind(2, entries)
      .bind(3, as_blob(seal.bytes))
      .run();
}

Status erase_list(const Database& database, const Digest& done) {
  return database.prepare("DELETE FROM lists WHERE done = ?").bind(1, as_blob(done.bytes)).run();
}

Result<std::vector<ListRow>> read_lists(const Database& database) {
  UNSCATTER_TRY(format, format_of(database));
  std::vector<ListRow> lists;
  Statement statement = database.prepare(format == kFirstFormat ? "SELECT done, x'', seal FROM lists"
                                                                : "SELECT done, entries, seal FROM lists");
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return lists;
    UNSCATTER_TRY(done, digest_at(statement, 0));
    UNSCATTER_TRY(entries, statement.blob(1));
    UNSCATTER_CHECK_OK(check_seal(statement, 2, seal_of_list(done, entries), "the record of a list of requests"));
    UNSCATTER_TRY(runs, runs_of(entries));
    lists.push_back({done, std::move(runs)});
  }
}

}  // namespace unscatter
