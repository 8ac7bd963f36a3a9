// What the fast rung needs to know of all graphs, in the file: table `curvature`.
//
// It belongs to one state of the data, and its checksum says to which.  docs/theory.md, "What the file keeps", says
// what it may still show of what was removed.
#pragma once

#include <cstddef>
#include <optional>

#include "store/sqlite.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/objective.h"

namespace unscatter {

// What decides how large it is.
struct CurvatureShape {
  std::size_t width = 0;
  std::size_t classes = 0;
  bool one_for_all = false;  // l'' is constant, so one Hessian is that of all classes
};

// Whether a file may have curvature of this shape: an update reads and writes all of it.
[[nodiscard]] bool may_keep(const CurvatureShape& shape);
// Whether it saves time beside rows of so many bytes: without it, an update passes over them some dozen times.
[[nodiscard]] bool worth_keeping(const CurvatureShape& shape, std::size_t row_bytes);

// Replaces what is there, or erases it.  `data`: the root of the graphs' tree.
[[nodiscard]] Status write_curvature(const Database& database, const std::optional<KeptCurvature>& curvature,
                                     const Digest& data);
// Nothing if there is none, and also where it is damaged or belongs to another state: it only saves time.
[[nodiscard]] Result<std::optional<KeptCurvature>> read_curvature(const Database& database, const CurvatureShape& shape,
                                                                  const Digest& data);

}  // namespace unscatter
