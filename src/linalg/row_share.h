// Rows that several ranks of a job share: how they come to the same sums over all rows.
//
// A rank holds neighbouring rows, and where its rows begin a leaf of the summation tree begins (row_pass.cc).  All
// ranks call the same functions in the same order, each with its own rows (src/comm/communicator.h).  Then every sum
// over rows is that of one process, bit for bit, and it is known to all ranks:
//
//   * Sums in the tree, such as Z^T F.  A rank adds up the nodes whose rows it has.  The others are finished by
//     messages along the tree: the rank with the right part sends to the one with the left part.  The root tells all.
//   * Sums that are added one after the other.  The ranks take turns: each goes on where the one before it ended.  The
//     last one tells all.
//   * Largest numbers and counts, which do not depend on the order.
//
// What is sent, with R ranks of which r have rows (docs/scale.md):
//
//   a sum in the tree of m numbers       messages_up() + R - 1 messages of 8 m bytes
//   a sum in turns of m numbers          r - 1 + R - 1 messages of 8 m bytes
//   largest or count of m numbers        2 (R - 1) messages of 8 m bytes
//
// Where `share` is null all rows are here, and nothing is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "comm/communicator.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// Makes `rows` a share of the rows of all ranks: rank 0 has the first ones.  Called by all ranks, with rows of equal
// width.  Every rank but the last with rows has a multiple of kLeafRows rows; anything else ends the job.  A job of one
// rank shares nothing.  The communicator must outlive the rows.
//
// Ranks repeat what does not grow with the rows, such as factors of Hessians, and must get the same numbers.  So all of
// them round in the same way: machines of one kind, with one program and one mathematical library.  A few numbers are
// computed to see that; ranks that differ end the job.
void share_rows(Communicator& communicator, SparseBlockRows& rows);

// Ends the job with `sentence` unless all ranks give the same number.  Called by all ranks.
void require_same(Communicator& communicator, std::uint64_t number, std::string_view sentence);

// Which rank holds row `number`.
[[nodiscard]] std::size_t rank_of_row(const RowShare& share, std::size_t number);
// The first and the last rank that have rows.  There is one.
[[nodiscard]] std::size_t first_rank(const RowShare& share);
[[nodiscard]] std::size_t last_rank(const RowShare& share);
// The next rank with rows after, or before, one that has some; size() if there is none.
[[nodiscard]] std::size_t rank_after(const RowShare& share, std::size_t rank);
[[nodiscard]] std::size_t rank_before(const RowShare& share, std::size_t rank);
[[nodiscard]] inline bool has_rows(const RowShare& share) {
  return share.begins[share.rank] != share.begins[share.rank + 1];
}

// So many messages go up the tree in one sum over all rows.  R - 1 where each rank has one node of the tree; a rank
// whose rows are several nodes may send one for each.
[[nodiscard]] std::size_t messages_up(const RowShare& share);

// Calls go_on() on one rank with rows after the other, each with the `state` that the one before it left.  All ranks
// have the state of the last one at the end.  It has the same size everywhere; the first rank finds what it gave.
template <typename GoOn>
void in_turns(const RowShare* share, std::span<double> state, const GoOn& go_on) {
  if (share == nullptr) return go_on();
  Communicator& ranks = *share->communicator;
  if (has_rows(*share)) {
    if (const std::size_t before = rank_before(*share, share->rank); before != ranks.size()) {
      ranks.receive_numbers(before, state);
    }
    go_on();
    if (const std::size_t after = rank_after(*share, share->rank); after != ranks.size()) {
      ranks.send_numbers(after, std::span<const double>(state));
    }
  }
  ranks.broadcast_numbers(state, last_rank(*share));
}

// Every number becomes the largest one of all ranks.  NaN does not count.
void largest_of_all(const RowShare* share, std::span<double> numbers);
[[nodiscard]] double largest_of_all(const RowShare* share, double number);
[[nodiscard]] bool true_anywhere(const RowShare* share, bool here);
[[nodiscard]] std::uint64_t count_of_all(const RowShare* share, std::uint64_t here);

// The sum of `terms`, one per row, none of them negative: what terms.sum() is where all rows are here, bit for bit.
[[nodiscard]] double sum_of_all(const RowShare* share, const Vector& terms);

}  // namespace unscatter
