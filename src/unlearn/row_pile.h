// Rows that come one after the other, in the order of their graphs, and need not fit one process.
//
// With a crew, every process keeps neighbouring rows: those that it has in the training that follows.  So no process
// holds more than about its share of them at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unlearn/row_crew.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

class RowPile {
 public:
  // `crew` may be null, and outlives the pile.  `threads`: as for RowCrew::spread().  One pile of a crew at a time.
  RowPile(std::size_t columns, RowCrew* crew, std::size_t threads);
  RowPile(const RowPile&) = delete;
  RowPile& operator=(const RowPile&) = delete;
  ~RowPile();

  // About `came_before` of all rows came before this one, from 0 to 1.  That decides who keeps it, and nothing else.
  void append(BlockRow row, double came_before);
  // In the place of all append(): every process has made the rows that it keeps, process p made[p] of them, in the
  // order of the processes; this one `own`.
  void made_everywhere(SparseBlockRows own, std::span<const std::size_t> made);
  [[nodiscard]] std::size_t rows() const noexcept { return total_; }
  [[nodiscard]] std::size_t processes() const noexcept { return counts_.size(); }

  // share() was called: the rows are somebody else's.
  [[nodiscard]] bool taken() const noexcept { return taken_; }
  // Once.  No more rows come, and these are their labels.  Returns the share of this process (RowCrew::spread()), or
  // all rows where that is the better way to train.
  [[nodiscard]] KeptState::Rows share(std::span<const std::uint32_t> labels);
  // Row `number`, which share() did not return, as it came.  After the last learner of that share has gone.  It is
  // valid until the next call; neighbouring numbers one after the other are cheap.
  [[nodiscard]] const BlockRow& row_elsewhere(std::size_t number);

 private:
  void send();

  std::size_t columns_;
  RowCrew* crew_;
  std::vector<std::size_t> counts_;  // rows of each process, this one first
  std::size_t keeper_ = 0;           // the process that gets the next row
  std::size_t total_ = 0;
  bool taken_ = false;
  SparseBlockRows here_;
  SparseBlockRows waiting_;  // for keeper_, and soon sent
  SparseBlockRows block_;    // some rows of another process, from number block_begin_ on
  std::size_t block_begin_ = 0;
};

}  // namespace unscatter
