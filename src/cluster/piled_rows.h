// How rows of a pile (unlearn/row_pile.h) get to the ranks that keep them, and back.  docs/scale.md counts messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comm/communicator.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter::cluster {

// The first `count` rows on their way from one rank to another: one block, whatever its size.
void send_piled(Communicator& job, std::size_t to, const SparseBlockRows& rows, std::size_t count);
// Appends them.
void take_piled(Communicator& job, std::size_t from, SparseBlockRows& rows);
// As many rows as fit a block of some megabytes, from row `first` on and at least one.
void send_piled_from(Communicator& job, std::size_t to, const SparseBlockRows& rows, std::size_t first);

// All ranks share their rows.  The first one has the labels of all, and counts[rank] rows are on each rank.
void share_piled(Communicator& job, SparseBlockRows& own, std::span<const std::size_t> counts,
                 std::span<const std::uint32_t> labels);
// The other ranks' end.
void share_own_pile(Communicator& job, KeptState::Rows& own);

}  // namespace unscatter::cluster
