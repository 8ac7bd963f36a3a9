// The record of removals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// One update.  Says what was done, never what was removed: no id, no number, no feature.
struct LedgerEntry {
  std::uint64_t sequence = 0;  // 0, 1, 2, ...
  RequestCounts requests;
  std::size_t graphs_edited = 0;
  std::size_t graphs_removed = 0;
  Certificate certificate;
};

// Append-only.  A session appends before it commits: an update whose entry cannot be written does not happen.
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  virtual ~Ledger() = default;

  // An error leaves the ledger as it was.
  [[nodiscard]] virtual Status append(const LedgerEntry& entry) = 0;
};

// For sessions that live in memory.
class MemoryLedger final : public Ledger {
 public:
  [[nodiscard]] Status append(const LedgerEntry& entry) override;
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }

 private:
  std::vector<LedgerEntry> entries_;
};

}  // namespace unscatter
