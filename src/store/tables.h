// The other rows of a workspace file, read and written.
//
// A ledger entry commits to graphs, model and constants, so they need no check of their own.  Entries and receipts are
// signed.  All other rows carry a seal, a digest of the row.  It tells damage, not forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite.h"
#include "store/stored_model.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// Table `workspace`.
struct Identity {
  std::string id;       // 32 hexadecimal digits
  std::string created;  // time
  PublicKey signer;
  std::string constants;  // constants_text()
  Salt list_key;          // of the digests in table `lists`
};
[[nodiscard]] Status write_identity(const Database& database, const Identity& identity);
[[nodiscard]] Result<Identity> read_identity(const Database& database);
// What every ledger entry says of the constants.
[[nodiscard]] Digest constants_digest(const Identity& identity);

// Table `model`.
[[nodiscard]] Status write_model(const Database& database, const ModelRow& row);
[[nodiscard]] Result<ModelRow> read_model(const Database& database);

// Table `published`: the published model of the present state, if there is one.
[[nodiscard]] Status write_published(const Database& database, const PublishedModel& model);
[[nodiscard]] Status erase_published(const Database& database);
// `version`: of its details, as published_text() spells them.
[[nodiscard]] Result<std::optional<PublishedModel>> read_published(const Database& database, std::size_t width,
                                                                   std::size_t classes,
                                                                   std::uint32_t version = kModelVersion);

// Table `ledger`, and `receipts` for removals and releases.
struct LedgerRow {
  std::string body;  // ledger_text()
  Digest hash;       // entry_hash() of it
  Signature signature;
};
// Spells, hashes and signs.
[[nodiscard]] LedgerRow make_entry(const LedgerRecord& record, const SigningKey& key);
[[nodiscard]] bool is_signed(const LedgerRow& row, const PublicKey& signer);
[[nodiscard]] Status append_entry(const Database& database, std::size_t sequence, const LedgerRow& row);
[[nodiscard]] Result<LedgerRow> read_entry(const Database& database, std::size_t sequence);
// The largest sequence; nothing for an empty ledger.
[[nodiscard]] Result<std::optional<std::size_t>> last_entry(const Database& database);
// Calls `visit` for every entry in order and stops at its first error.  Errors: kMalformedInput where a number is
// missing.
[[nodiscard]] Status visit_entries(const Database& database,
                                   const std::function<Status(std::size_t sequence, const LedgerRow& row)>& visit);
[[nodiscard]] Status write_receipt(const Database& database, std::size_t sequence, std::string_view text);
[[nodiscard]] Result<std::string> read_receipt(const Database& database, std::size_t sequence);
[[nodiscard]] Result<std::size_t> count_receipts(const Database& database);

// Table `salts`: those of the request commitments of one entry, in their order.  An all-zero salt was destroyed.
[[nodiscard]] Status write_salts(const Database& database, std::size_t sequence, std::span<const Salt> salts);
// None if none was kept.
[[nodiscard]] Result<std::vector<Salt>> read_salts(const Database& database, std::size_t sequence);
// Calls `visit` for every entry that has salts.
[[nodiscard]] Status visit_salts(const Database& database,
                                 const std::function<Status(std::size_t sequence, std::vector<Salt>& salts)>& visit);
[[nodiscard]] Status erase_salts(const Database& database, std::size_t sequence);

// Ledger entries first, first + 1, ..., last.
struct EntryRun {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const EntryRun&, const EntryRun&) = default;
};
// The runs with one more entry at their end.
[[nodiscard]] std::vector<EntryRun> with_entry(std::vector<EntryRun> runs, std::uint64_t sequence);
// Table `lists`: how far lists of requests were honoured (Workspace::forget_list()).
struct ListRow {
  Digest done;
  // The entries that the list has made, ascending.  None in a row that unscatter 0.1 wrote.
  std::vector<EntryRun> entries;
};
[[nodiscard]] Status write_list(const Database& database, const ListRow& row);
[[nodiscard]] Status erase_list(const Database& database, const Digest& done);
// Of a file of format 1 or 2.
[[nodiscard]] Result<std::vector<ListRow>> read_lists(const Database& database);

}  // namespace unscatter
