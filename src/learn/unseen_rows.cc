#include "learn/unseen_rows.h"

#include "base/wipe.h"

namespace unscatter {
namespace {

void wipe_row(BlockRow& row) noexcept {
  // Segments go too: they tell which channels a graph had.
  wipe(row.values);
  wipe(row.segments);
}

std::uint32_t label_now(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, std::size_t number) {
  const std::optional<std::size_t> place = rows.place_of(number);
  return place ? labels[*place] : rows.elsewhere(number).label;
}

}  // namespace

void UnseenRows::note(std::size_t number, const BlockRow& before, std::optional<std::uint32_t> label) {
  const bool is_new = known_.try_emplace(number, before).second;
  if (is_new && label) labels_.emplace(number, *label);
}

std::optional<std::uint32_t> UnseenRows::label(std::size_t number) const {
  const auto noted = labels_.find(number);
  return noted == labels_.end() ? std::nullopt : std::optional(noted->second);
}

void UnseenRows::settle(const SparseBlockRows& rows, std::span<const std::uint32_t> labels) noexcept {
  for (auto entry = known_.begin(); entry != known_.end();) {
    const auto noted = labels_.find(entry->first);
    // The curvature of a row depends on the sign of its margin, so a label that changed has to be followed too.
    const bool same_label = noted == labels_.end() || noted->second == label_now(rows, labels, entry->first);
    // Equal bit for bit.  Only then is there nothing to follow.
    if (same_label && rows.row_of_all(entry->first) == entry->second) {
      wipe_row(entry->second);
      if (noted != labels_.end()) labels_.erase(noted);
      entry = known_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void UnseenRows::clear() noexcept {
  for (auto& [number, row] : known_) wipe_row(row);
  known_.clear();
  for (auto& [number, label] : labels_) label = 0;
  labels_.clear();
}

}  // namespace unscatter
