#include "unscatter/unlearn/ledger.h"

namespace unscatter {

Status MemoryLedger::append(const LedgerEntry& entry, const PendingUpdate& /*update*/) {
  entries_.push_back(entry);
  return ok_status();
}

}  // namespace unscatter
