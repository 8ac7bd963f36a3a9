#include "base/near_miss.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace unscatter {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table.  The oldest one is for two neighbours in the wrong order.
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> old(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(older, old);
    std::swap(old, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), old[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates, std::size_t slips) {
  std::string_view best;
  std::size_t distance = slips + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t found = edit_distance(word, candidate);
    if (found >= distance) continue;
    distance = found;
    best = candidate;
  }
  return best;
}

}  // namespace unscatter
