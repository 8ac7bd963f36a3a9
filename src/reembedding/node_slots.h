// What both incremental schemes ask of a shift and of a removal, and how a matrix loses a row and a column.
#pragma once

#include <cstddef>

#include "unscatter/base/result.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// kInvalidArgument unless S is square, not empty, finite and symmetric to the last bit.
[[nodiscard]] inline Status check_shift(const Matrix& S) {
  if (S.rows() == 0 || S.rows() != S.cols()) return Error{ErrorCode::kInvalidArgument, "a shift is a square matrix"};
  if (!S.allFinite()) return Error{ErrorCode::kInvalidArgument, "a shift needs finite entries"};
  if (S != S.transpose()) return Error{ErrorCode::kInvalidArgument, "incremental updates need a symmetric shift"};
  return ok_status();
}

[[nodiscard]] inline Status check_removal(std::size_t nodes, std::size_t node, NodeRemoval style) {
  if (node >= nodes) return Error{ErrorCode::kNotFound, "no such node"};
  if (style == NodeRemoval::kCompact && nodes == 1) {
    return Error{ErrorCode::kInvalidArgument, "removing the only node removes the graph"};
  }
  return ok_status();
}

// A without row and column v.
[[nodiscard]] inline Matrix without(const Matrix& A, Eigen::Index v) {
  const Eigen::Index rest = A.rows() - 1 - v;
  Matrix B(A.rows() - 1, A.cols() - 1);
  B.topLeftCorner(v, v) = A.topLeftCorner(v, v);
  B.topRightCorner(v, rest) = A.topRightCorner(v, rest);
  B.bottomLeftCorner(rest, v) = A.bottomLeftCorner(rest, v);
  B.bottomRightCorner(rest, rest) = A.bottomRightCorner(rest, rest);
  return B;
}

}  // namespace unscatter
