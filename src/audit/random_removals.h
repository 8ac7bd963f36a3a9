// Removals for a game: of all kinds, chosen by a seed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// A request about a random place of what is left.  Nothing if that place has nothing of the kind that was chosen.  The
// session may still refuse it.
[[nodiscard]] std::optional<RemovalRequest> random_removal(const Session& session, Sequence& random);

struct RandomRemovals {
  std::vector<RemovalRequest> requests;
  RequestCounts counts;
  Matrix weights_before;       // of all of them
  Matrix weights_before_last;  // the last one removes a whole graph
};

// Makes `count` >= 1 removals, each an update of its own.  Errors: kInvalidArgument if there are fewer than three
// graphs or if nothing more can be removed; those of Session::forget() that are not about a single request.
[[nodiscard]] Result<RandomRemovals> remove_at_random(Session& session, std::size_t count, Sequence& random);

// Of `tries` random removals of a whole graph or of a subject, the one after which the weights differ most.  Changes
// nothing.
[[nodiscard]] Result<RemovalRequest> strongest_removal(Session& session, std::size_t tries, Sequence& random);

}  // namespace unscatter
