#include "learn/unseen_rows.h"

#include "base/wipe.h"

namespace unscatter {
namespace {

void wipe_row(BlockRow& row) noexcept {
  // Segments go too: they tell which channels a graph had.
  wipe(row.values);
  wipe(row.segments);
}

}  // namespace

void UnseenRows::settle(const SparseBlockRows& rows) noexcept {
  for (auto entry = known_.begin(); entry != known_.end();) {
    // Equal bit for bit.  Only then is there nothing to follow.
    if (rows.row(entry->first) == entry->second) {
      wipe_row(entry->second);
      entry = known_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void UnseenRows::clear() noexcept {
  for (auto& [number, row] : known_) wipe_row(row);
  known_.clear();
}

}  // namespace unscatter
