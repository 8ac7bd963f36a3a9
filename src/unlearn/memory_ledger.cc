#include "unscatter/unlearn/ledger.h"

namespace unscatter {

Status MemoryLedger::append(const LedgerEntry& entry) {
  entries_.push_back(entry);
  return ok_status();
}

}  // namespace unscatter
