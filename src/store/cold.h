// An update by a process that has just started: it looks at what the requests touch, and not at the other graphs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "store/contents.h"
#include "store/workspace_tables.h"
#include "unscatter/base/result.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// The slots that the requests are about, ascending.  A request that is about nothing adds nothing: whoever plans it
// says so.  Errors: kMalformedInput where the kept index is damaged.
[[nodiscard]] Result<std::vector<std::size_t>> touched_slots(const WorkspaceTables& tables, const Contents& contents,
                                                             std::span<const RemovalRequest> requests);
[[nodiscard]] Result<std::vector<std::size_t>> touched_slots(const WorkspaceTables& tables, const Contents& contents,
                                                             std::span<const Correction> corrections);

// Those slots with the model, as a part of a session.  Every graph is held against the tree, and the tree against the
// signed head.  Errors: kMalformedInput where one of them is damaged.
[[nodiscard]] Result<SessionSnapshot> read_part(const WorkspaceTables& tables, Contents& contents,
                                                const std::vector<std::size_t>& slots);

}  // namespace unscatter
