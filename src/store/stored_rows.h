// Embedded rows in the file: table `embeddings`.
//
// They can be derived from the graphs, so nothing vouches for them but a checksum.  Its seed is the digest of the graph
// that a row belongs to.  A row that is damaged, that stands in the wrong place, or that is of a graph as it was before
// an edit does not pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "store/sqlite.h"
#include "store/workspace_tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// `leaf`: the digest of the graph in that slot (GraphRow::leaf()).
[[nodiscard]] Status write_row(const WorkspaceTables& tables, std::size_t slot, const BlockRow& row,
                               std::uint32_t label, const Digest& leaf);
// Its bytes are overwritten (`secure_delete`).
[[nodiscard]] Status erase_row(const WorkspaceTables& tables, std::size_t slot);

// Is told of a row: label, number of segments, segments, values.  The view is valid until the function returns.
using VisitRow = std::function<Status(std::size_t slot, std::span<const std::byte> content)>;

// Some neighbouring slots of a file.
struct SlotRange {
  std::size_t first = 0;
  std::span<const Digest> leaves;  // of the graphs in them
  std::size_t slots = 0;           // of the file in all
};
// The content of every row in the range, in the order of slots, after its seal has passed; how many there were. Errors:
// kMalformedInput where something is not what was written; those of the function.
[[nodiscard]] Result<std::size_t> visit_rows_between(const WorkspaceTables& tables, const SlotRange& range,
                                                     const VisitRow& take);
// Errors: kMalformedInput where not every graph has a row.
[[nodiscard]] Status check_row_count(std::size_t found, std::size_t graphs);
// Both, for all slots.
[[nodiscard]] Status visit_row_contents(const WorkspaceTables& tables, std::span<const Digest> leaves,
                                        std::size_t graphs, const VisitRow& take);
// What the content of a row says.  `row` is filled anew and keeps its memory.  Errors: kMalformedInput where it does
// not fit the width and the number of classes.
[[nodiscard]] Status parse_row(std::span<const std::byte> content, std::size_t slot, std::size_t width,
                               std::size_t classes, BlockRow& row, std::uint32_t& label);

// Some neighbouring slots of a file, as they are kept.
struct ReadRows {
  KeptState::Rows rows;
  std::size_t found = 0;  // so many of the slots have a row
};
// Those of the range.  Slots without a row are empty.  Errors: kMalformedInput where something is not what was written.
[[nodiscard]] Result<ReadRows> read_rows_between(const WorkspaceTables& tables, const SlotRange& range,
                                                 std::size_t width, std::size_t classes);
// All of them.  Slots without a row are empty; `graphs` of them are not.  Errors: kMalformedInput where something is
// not what was written.
[[nodiscard]] Result<KeptState::Rows> read_rows(const WorkspaceTables& tables, std::span<const Digest> leaves,
                                                std::size_t graphs, std::size_t width, std::size_t classes);

}  // namespace unscatter
