// What bounds the influence of one subject on a model (docs/theory.md, "Protecting everyone").
#pragma once

#include <cstddef>

#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/session_options.h"

namespace unscatter {

// F: no row of the objective is longer, its bias included.
[[nodiscard]] double row_norm_limit(const SessionOptions& options);

// Scales a row of more than `limit` down to it.  This depends on the row alone, so it is part of the embedding.  It
// changes no prediction: all scores of a row change by one factor.  True if the row was longer.
bool shorten(BlockRow& row, double limit);
// The same for every row; returns how many were longer.
std::size_t shorten(SparseBlockRows& rows, double limit);

// How many weight vectors get noise of their own: one per class.  With two classes the second vector is the first one
// with its sign turned, so one is published and the other follows from it.
[[nodiscard]] std::size_t published_vectors(const SessionOptions& options, std::size_t classes);

// How far the optimum of all published vectors moves at most if one subject is taken out of the data: (16) of
// docs/theory.md.  Errs high.  For options that check_options() accepts at level everyone.
[[nodiscard]] double sensitivity_upper_bound(const SessionOptions& options, std::size_t classes);

}  // namespace unscatter
