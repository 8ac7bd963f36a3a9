// Embeddings on their way into a file, some rows at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/files.h"
#include "embedding/npy.h"
#include "prediction_lines.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter::cli {

[[nodiscard]] bool is_csv(const std::string& out);
// Z.npy -> Z.graphs.csv
[[nodiscard]] std::string graphs_path(const std::string& out);

// NAME.csv has number, id, label and all coordinates with all their digits.  Any other name is a NumPy file, which
// holds numbers only: which graph a row is of goes into a table beside it.  The files are there only when they are
// complete.
class EmbeddingOutput {
 public:
  // `out` may be empty: rows are counted and not written.  Errors: kIo, here and below.
  [[nodiscard]] static Result<EmbeddingOutput> create(const std::string& out, std::size_t columns);
  // One subject per row.
  [[nodiscard]] Status append(const SparseBlockRows& rows, std::span<const LineSubject> subjects);
  // The last call.
  [[nodiscard]] Status commit();

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  // Stored values among all; 0 without rows.
  [[nodiscard]] double density() const noexcept;
  [[nodiscard]] double largest_norm() const noexcept { return largest_norm_; }

 private:
  explicit EmbeddingOutput(std::size_t columns) : columns_(columns) {}

  std::size_t columns_;
  std::size_t rows_ = 0;
  std::size_t stored_values_ = 0;
  double largest_norm_ = 0;
  std::optional<NpyFile> numbers_;
  std::optional<ReplacingFile> table_;
};

}  // namespace unscatter::cli
