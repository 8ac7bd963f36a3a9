// A matrix whose rows are sparse in blocks of neighbouring columns: the embeddings Z.
//
// A scattering embedding has tree nodes x channels x moments coordinates.  Only the channels that occur in the graph
// are not identically zero (IMDB-BINARY: 3 % of them).  So a row is a list of segments, each a run of consecutive
// columns:
//
//   columns   0 1 2 3 4 5 6 7 8
//   row       . a b c . . d e .      segments {1, 3}, {6, 2}; values a b c d e
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "unscatter/linalg/dense.h"

namespace unscatter {

class Communicator;

// `length` consecutive columns from `column` on.
struct Segment {
  std::uint32_t column;
  std::uint32_t length;
  friend bool operator==(const Segment&, const Segment&) = default;
};

// One row, owned.  Segments ascend and do not overlap.  The values of all segments follow one another.
struct BlockRow {
  std::vector<Segment> segments;
  std::vector<double> values;

  void clear() {
    segments.clear();
    values.clear();
  }
  // Adds `count` columns from `column` on and returns where their values go (valid until the next call).  If the last
  // segment ends at `column`, it grows instead.  `column` must not lie before the end of the last segment.
  double* append(std::size_t column, std::size_t count);
  // Only the segment part of append(), for callers that size `values` themselves.
  void extend(std::size_t column, std::size_t count);
  // Adds all of `other`, with its columns counted from `first_column` on.
  void append_shifted(const BlockRow& other, std::size_t first_column);
  friend bool operator==(const BlockRow&, const BlockRow&) = default;
};

// A row that another rank of a job holds, as far as it is known here: an update has told of it.
struct RowElsewhere {
  BlockRow row;
  std::uint32_t label = 0;  // of its graph
};

// How the rows of a matrix are spread over the ranks of a job (src/linalg/row_share.h).
struct RowShare {
  Communicator* communicator = nullptr;
  std::size_t rank = 0;                                // this one
  std::vector<std::size_t> begins;                     // rank r holds the rows [begins[r], begins[r + 1]) of all
  std::size_t stored_values = 0;                       // of all ranks together
  std::map<std::size_t, RowElsewhere> elsewhere = {};  // by their numbers among all rows
};

// Rows of equal width.  Each is stored on its own, so that replacing or erasing one touches no other.
//
// They may be a share of the rows of a job.  Then rows() and every number of a row are about those that are here, and
// what has `total` or `of_all` in its name is about all of them.  Without a share the two are the same.
class SparseBlockRows {
 public:
  SparseBlockRows() = default;
  SparseBlockRows(std::size_t rows, std::size_t columns)
      : columns_(columns), rows_(rows), norms_(rows, 0.0), depths_(rows, 0) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] const BlockRow& row(std::size_t i) const { return rows_.at(i); }
  // The number of stored values: an upper bound on the number of entries that are not zero.
  [[nodiscard]] std::size_t stored_values() const noexcept { return stored_; }

  void set_row(std::size_t i, BlockRow row);
  void append_row(BlockRow row);
  // Empty rows at the end.  If memory runs out, nothing has changed.
  void append_empty_rows(std::size_t count);
  // Keeps the first `count` rows and overwrites the others.
  void truncate(std::size_t count) noexcept;
  // Exchanges row i and `row`; no value is copied.
  void swap_row(std::size_t i, BlockRow& row);

  // Writes all columns() entries of row i, zeros included.
  void copy_row(std::size_t i, std::span<double> dense) const;
  [[nodiscard]] RowMatrix to_dense() const;
  // |row i|_2 and its product_depth() (row_products.h), computed when the row was put there.
  [[nodiscard]] double row_norm(std::size_t i) const { return norms_.at(i); }
  [[nodiscard]] std::size_t row_product_depth(std::size_t i) const { return depths_.at(i); }

  // Null: all rows are here.
  [[nodiscard]] const RowShare* share() const noexcept { return share_ ? &*share_ : nullptr; }
  // For share_rows(), which knows what fits together.
  void set_share(std::optional<RowShare> share) { share_ = std::move(share); }
  [[nodiscard]] std::size_t total_rows() const noexcept { return share_ ? share_->begins.back() : rows(); }
  [[nodiscard]] std::size_t total_stored_values() const noexcept { return share_ ? share_->stored_values : stored_; }
  // The number of the first row here.
  [[nodiscard]] std::size_t first_of_all() const noexcept { return share_ ? share_->begins[share_->rank] : 0; }
  // Where row `number` of all stands here; nothing: another rank holds it.
  [[nodiscard]] std::optional<std::size_t> place_of(std::size_t number) const noexcept;
  // Row `number` of all.  One that another rank holds must have been told of.
  [[nodiscard]] const BlockRow& row_of_all(std::size_t number) const;
  // Another rank holds row `number`, which had `stored_before` values and is now `now`.
  void set_elsewhere(std::size_t number, std::size_t stored_before, RowElsewhere now);
  [[nodiscard]] const RowElsewhere& elsewhere(std::size_t number) const;
  // Exchanges what is told of row `number`, which another rank holds, and `row`; no value is copied.
  void swap_elsewhere(std::size_t number, BlockRow& row, std::uint32_t label);
  // Overwrites and forgets all that was told of rows elsewhere.
  void forget_elsewhere() noexcept;
  // Empty rows at the end of all, which the rank takes that holds the last one; and back.  All ranks call this.
  void append_empty_rows_to_all(std::size_t count);
  void truncate_all(std::size_t total) noexcept;

 private:
  // Brings what is known about row i up to date.  The row had `stored_before` values before it changed.
  void note_row(std::size_t i, std::size_t stored_before);

  std::size_t columns_ = 0;
  std::size_t stored_ = 0;
  std::vector<BlockRow> rows_;
  std::vector<double> norms_;
  std::vector<std::uint32_t> depths_;
  std::optional<RowShare> share_;
};

}  // namespace unscatter
