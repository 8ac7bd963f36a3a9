// The curvature of all graphs from the rows that the file keeps, without ever holding these rows together.
#pragma once

#include <cstddef>

#include "store/sqlite.h"
#include "store/stored_tree.h"
#include "store/workspace_tables.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// At `weights`, one column per class, as FastFactor::anchor() finds it from the same rows in memory, bit for bit and
// for any number of threads.  `graphs` of the slots have a row.  Every row is read once.  Memory is a few blocks of
// rows and a few matrices per thread.  Errors: kMalformedInput where a row is not what was written.
[[nodiscard]] Result<KeptCurvature> curvature_of_rows(const WorkspaceTables& tables, const StoredTree& tree,
                                                      std::size_t graphs, const Matrix& weights,
                                                      const SessionOptions& options);

}  // namespace unscatter
