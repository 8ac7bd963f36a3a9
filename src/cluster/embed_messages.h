// Embedders, graphs and rows on their way between ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/bytes.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter::cluster {

// A text from which read_embedder() makes the same function.  Nothing if there is no such text: then the embedder stays
// in its process.
[[nodiscard]] std::optional<std::string> embedder_text(const Embedder& embedder);
// Errors: kMalformedInput.
[[nodiscard]] Result<std::shared_ptr<const Embedder>> read_embedder(std::string_view text);

// Null pointers stay null pointers.
[[nodiscard]] std::vector<std::byte> pack_graphs(std::span<const Graph* const> graphs);
[[nodiscard]] Result<std::vector<std::optional<Graph>>> unpack_graphs(std::span<const std::byte> bytes);

// A row takes 16 bytes, 8 per segment and 8 per value.
[[nodiscard]] std::size_t row_bytes(const BlockRow& row);
void write_row(ByteWriter& writer, const BlockRow& row);
[[nodiscard]] BlockRow read_row(ByteReader& reader);

// Rows of one block, or nothing: some graph cannot be embedded.
[[nodiscard]] std::vector<std::byte> pack_rows(const Result<SparseBlockRows>& rows);
// Puts the rows into Z from row `first` on, `count` of them.  False: there are none.
[[nodiscard]] bool unpack_rows(std::span<const std::byte> bytes, std::size_t first, std::size_t count,
                               SparseBlockRows& Z);

}  // namespace unscatter::cluster
