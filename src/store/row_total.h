// The sum of many rows as one small value, so that one signature speaks for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "unscatter/base/digest.h"

namespace unscatter {

// All rows together.  The digest is one that can be updated: 1,024 numbers of 16 bits, the sums of what the seals of
// the rows expand to [Bellare97; Lewi19].  To find other rows with the same sums is a hard problem about
// lattices.  So the signature speaks for every row, and a change is signed without reading the rows that stay.
struct RowTotal {
  static constexpr std::size_t kLanes = 1024;
  std::int64_t rows = 0;
  std::array<std::uint16_t, kLanes> lanes{};

  void add(const Digest& seal);
  void subtract(const Digest& seal);
  // Of the lanes: what is signed, beside the number of rows.
  [[nodiscard]] Digest digest() const;
  friend bool operator==(const RowTotal&, const RowTotal&) = default;
};

}  // namespace unscatter
