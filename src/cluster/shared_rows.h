// How rows get to the ranks that share them: from the first rank, or from the shards of a workspace.
//
// Each of these is called by all ranks at once, with share_rows() as its end.  docs/scale.md counts the messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "store/shard_crew.h"
#include "store/slot_partition.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter::cluster {

// Where the rows of each rank begin, and the end: about equally many leaves of the summation tree for each.
[[nodiscard]] std::vector<std::size_t> even_shares(std::size_t rows, std::size_t ranks);
// Which shards each rank reads: rank r those from begins[r] to before begins[r + 1].
[[nodiscard]] std::vector<std::size_t> shards_of_ranks(std::size_t shards, std::size_t ranks);

// The first rank has all rows.  It sends the others theirs, some megabytes at a time, and returns a copy of its own.
[[nodiscard]] KeptState::Rows spread_rows(Communicator& job, const SparseBlockRows& rows,
                                          std::span<const std::uint32_t> labels);
// The other ranks' end.
[[nodiscard]] KeptState::Rows take_spread_rows(Communicator& job, std::size_t columns);

// Every rank reads the rows of its shards.  Nothing, on all ranks, if one of them could not read what it should or if
// the number of rows is not that of the graphs.
[[nodiscard]] std::optional<KeptState::Rows> read_shared_rows(Communicator& job, const ShardedRows& kept);
// The other ranks' end.
[[nodiscard]] std::optional<KeptState::Rows> read_own_shards(Communicator& job);

}  // namespace unscatter::cluster
