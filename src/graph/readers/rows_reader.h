// Rows in files.  The contract is that of read_rows() in unscatter/graph/read.h.
#pragma once

#include <optional>

#include "graph/readers/byte_source.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {

// RowFiles, where tests and fuzz targets can feed them from memory.
struct RowInputs {
  Input rows;
  std::optional<Input> labels = {};
  std::optional<Input> row_ids = {};
  std::optional<Input> subjects = {};

  [[nodiscard]] static RowInputs of(const RowFiles& files);
};

// Without labels every row has the class "".
[[nodiscard]] Result<Dataset> read_rows(const RowInputs& inputs, const ReadOptions& options);

}  // namespace unscatter::readers
