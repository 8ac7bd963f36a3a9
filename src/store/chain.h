// The ledger as a chain: every entry holds the hash of the one before.
#pragma once

#include <cstddef>

#include "store/sqlite.h"
#include "store/tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/ledger_record.h"

namespace unscatter {

struct ChainEnd {
  std::size_t entries = 0;
  Digest head;               // hash of the last entry
  LedgerRecord last;         // the last entry
  Signature signature = {};  // of the last entry; not checked here
};
// Is the last entry signed by `signer`?  It holds the hashes of all others, so one signature speaks for the chain.
// Errors: kMalformedInput.
[[nodiscard]] Status check_head_signature(const ChainEnd& chain, const PublicKey& signer);

// The last entry alone, and whether its hash fits.  Every opening does this.  Errors: kMalformedInput.
[[nodiscard]] Result<ChainEnd> read_chain_end(const Database& database);
// The same after the hashes and links of all entries were checked, without looking into them.  Errors: kMalformedInput,
// naming the entry.
[[nodiscard]] Result<ChainEnd> check_links(const Database& database);

// What the entries count up to.
struct ChainTotals {
  std::size_t forgotten = 0;  // replays included
  std::size_t added = 0;
  std::size_t corrected = 0;
  std::size_t released = 0;
  std::size_t receipts = 0;  // entries that have one
  RungCounts rungs;
};
// Removals have receipts, and since version 2 releases have them too.
[[nodiscard]] bool has_receipt(const LedgerRecord& record);
// Does it say that data was removed?
[[nodiscard]] bool is_removal(EntryKind kind);
// Does it say that data was removed, added or corrected?
[[nodiscard]] bool changes_data(EntryKind kind);

// All that entries say, held against one another and against `identity`.  There is one workspace and one set of
// constants.  Only removals, additions and corrections change data, and all graphs that go or come are counted.  Every
// entry is within its guarantee.  Errors: kMalformedInput, naming the entry.
[[nodiscard]] Result<ChainTotals> check_entries(const Database& database, const Identity& identity);

}  // namespace unscatter
