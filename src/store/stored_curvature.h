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

// Whether curvature of this size is worth keeping: an update reads and writes all of it.
[[nodiscard]] bool worth_keeping(std::size_t width, std::size_t classes);

// Replaces what is there, or erases it.  `data`: the root of the graphs' tree.
[[nodiscard]] Status write_curvature(const Database& database, const std::optional<KeptCurvature>& curvature,
                                     const Digest& data);
// Nothing if there is none, and also where it is damaged or belongs to another state: it only saves time.
[[nodiscard]] Result<std::optional<KeptCurvature>> read_curvature(const Database& database, std::size_t width,
                                                                  std::size_t classes, const Digest& data);

}  // namespace unscatter
