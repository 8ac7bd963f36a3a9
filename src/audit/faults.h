// Faults that an audit plants into what it sees, to show that it would notice them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/random_removals.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

struct PlantedFault {
  std::string name;
  std::string what;
  // The weights that the session would keep.  Nothing: those that it does keep.
  std::optional<Matrix> weights;
  // Turns a published model into the one that would be published instead.  Null: it stays as it is.
  std::function<void(const Matrix& kept, Matrix& published)> publish;
};

// Faults of the noise, for any observation.  `grid`: of published values; nothing if they have none.
[[nodiscard]] std::vector<PlantedFault> noise_faults(std::optional<double> grid);
// Faults of the weights: `session` has made the `removals`, and `retrained` learned from what it has left.  Errors:
// those of training.
[[nodiscard]] Result<std::vector<PlantedFault>> weight_faults(const Session& session, const Session& retrained,
                                                              const RandomRemovals& removals);

}  // namespace unscatter
