// Embeddings as NumPy files.
#pragma once

#include <filesystem>

#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// Writes format version 1.0, float64, C order, with every column.  It writes row by row, so memory does not grow with
// the matrix.  `path` is replaced only when everything is written.  Errors: kIo.
[[nodiscard]] Status write_npy(const SparseBlockRows& rows, const std::filesystem::path& path);

}  // namespace unscatter
