// Random embeddings with labels, for tests of code that sees rows and never a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter::testing {

struct RandomRowsOptions {
  std::size_t rows = 40;
  std::size_t columns = 30;
  std::size_t classes = 2;
  double density = 0.5;   // share of columns that are stored, in runs of 1 to 8; every row stores at least one
  double row_norm = 1.0;  // |z_i| is uniform on [1/2, 1] times this
};

struct LabelledRows {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;  // below `classes`; every class occurs if there are enough rows
  std::size_t classes = 0;
};

// Each class leans towards a direction of its own, so that there is something to learn.  The classes overlap.  The same
// seed gives the same rows.
[[nodiscard]] LabelledRows random_rows(std::uint64_t seed, const RandomRowsOptions& options = {});

// One row of the same kind.
[[nodiscard]] BlockRow random_row(std::uint64_t seed, std::size_t columns, double density = 0.5, double row_norm = 1.0);

// A matrix with entries uniform on [-1, 1], for weights, steps and perturbations.
[[nodiscard]] Matrix random_matrix(std::uint64_t seed, std::size_t rows, std::size_t columns);

}  // namespace unscatter::testing
