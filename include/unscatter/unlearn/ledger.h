// The record of removals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"
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

// What a graph becomes.
struct SlotChange {
  std::size_t slot = 0;
  const Graph* graph = nullptr;                      // null: the graph goes
  const std::vector<std::uint32_t>* node_numbers{};  // at creation; empty: 0, 1, 2, ...
};

// The state that an update leads to, for those who have to write it down.  Views, valid during the call.
struct PendingUpdate {
  std::span<const SlotChange> changes;
  const Matrix& weights;
  const Vector& residuals;     // per class
  const Matrix* perturbation;  // null under the release mechanism
  RungCounts rungs;            // this update included
};

// Append-only.  A session appends before it commits: an update whose entry cannot be written does not happen, and one
// whose entry is written does.
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  virtual ~Ledger() = default;

  // An error leaves the ledger as it was.
  [[nodiscard]] virtual Status append(const LedgerEntry& entry, const PendingUpdate& update) = 0;
};

// For sessions that live in memory.
class MemoryLedger final : public Ledger {
 public:
  [[nodiscard]] Status append(const LedgerEntry& entry, const PendingUpdate& update) override;
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }

 private:
  std::vector<LedgerEntry> entries_;
};

}  // namespace unscatter
