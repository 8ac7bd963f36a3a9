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
  Digest head;        // hash of the last entry
  LedgerRecord last;  // the last entry
};

// Hashes and links of all entries, read without looking into them.  Only the last one is parsed.  Every opening does
// this.  Errors: kMalformedInput, naming the entry.
[[nodiscard]] Result<ChainEnd> check_links(const Database& database);

// What the entries count up to.
struct ChainTotals {
  std::size_t forgotten = 0;
  std::size_t released = 0;
  RungCounts rungs;
};
// All that entries say, held against one another and against `identity`.  There is one workspace and one set of
// constants.  Only removals change data.  Graphs only get fewer.  Every entry is within its guarantee.  Errors:
// kMalformedInput, naming the entry.
[[nodiscard]] Result<ChainTotals> check_entries(const Database& database, const Identity& identity);

}  // namespace unscatter
