// Embeddings as NumPy files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// A matrix in format version 1.0, float64, C order, with every column.  Its rows come some at a time, so memory does
// not grow with their number.  A file of that name is replaced only when everything is written.
class NpyFile {
 public:
  // Errors: kIo, here and below.
  [[nodiscard]] static Result<NpyFile> create(const std::filesystem::path& path, std::size_t columns);
  [[nodiscard]] Status append(const SparseBlockRows& rows);
  // The last call.
  [[nodiscard]] Status commit();

 private:
  NpyFile(ReplacingFile file, std::size_t columns) : file_(std::move(file)), dense_(columns) {}

  ReplacingFile file_;
  std::size_t rows_ = 0;
  std::vector<double> dense_;  // one row
};

}  // namespace unscatter
