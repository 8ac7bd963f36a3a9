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
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// `leaf`: the digest of the graph in that slot (GraphRow::leaf()).
[[nodiscard]] Status write_row(const Database& database, std::size_t slot, const BlockRow& row, std::uint32_t label,
                               const Digest& leaf);
// Its bytes are overwritten (`secure_delete`).
[[nodiscard]] Status erase_row(const Database& database, std::size_t slot);
[[nodiscard]] Status erase_rows(const Database& database);

// The content of every row, in the order of slots, after its seal has passed: label, number of segments, segments,
// values.  A view is valid until the function returns.  Errors: kMalformedInput where something is not what was
// written, or where there are not `graphs` rows; those of the function.
[[nodiscard]] Status visit_row_contents(
    const Database& database, std::span<const Digest> leaves, std::size_t graphs,
    const std::function<Status(std::size_t slot, std::span<const std::byte> content)>& take);

// All of them.  Slots without a row are empty; `graphs` of them are not.  Errors: kMalformedInput where something is
// not what was written.
[[nodiscard]] Result<KeptState::Rows> read_rows(const Database& database, std::span<const Digest> leaves,
                                                std::size_t graphs, std::size_t width, std::size_t classes);

}  // namespace unscatter
