// Other processes that hold rows and learn together with this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "embedding/embed_crew.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

class RowCrew : public EmbedCrew {
 public:
  // Gives every process a share of the rows, of which there is one per label, and returns that of this one.  A learner
  // that is made of it works together with mirrors in the others (learner_mirrors.h), on so many threads each (0: all).
  // Nothing: the rows are too few to be worth it.  Rows are copied.
  [[nodiscard]] virtual std::optional<KeptState::Rows> spread(const SparseBlockRows& rows,
                                                              std::span<const std::uint32_t> labels,
                                                              std::size_t threads) = 0;
};

}  // namespace unscatter
