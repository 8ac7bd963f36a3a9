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

  // For RowPile.  Over how many processes rows of this width are to be spread as they come, this one included.  1: they
  // stay here, and nothing else of this is called.
  [[nodiscard]] virtual std::size_t begin_pile(std::size_t columns, std::size_t threads) = 0;
  // Process 1, 2, ... keeps these rows, after those that it has.
  virtual void add_to_pile(std::size_t process, const SparseBlockRows& rows) = 0;
  // Every process has counts[process] rows, this one those of `own`, and from now on they are shared as spread() says.
  virtual void share_pile(SparseBlockRows& own, std::span<const std::size_t> counts,
                          std::span<const std::uint32_t> labels) = 0;
  // Some rows of a process, from its row `first` on, at least one.  No learner has them.
  [[nodiscard]] virtual SparseBlockRows rows_of_pile(std::size_t process, std::size_t first) = 0;
  // Nobody needs the rows any more.
  virtual void end_pile() = 0;
};

}  // namespace unscatter
