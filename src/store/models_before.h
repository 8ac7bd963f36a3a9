// Which published models came before data was added, told by the ledger.
#pragma once

#include <vector>

#include "store/contents.h"
#include "store/sqlite.h"
#include "unscatter/base/result.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// Empty if no graphs were added to this workspace, because a session then knows by itself.  Otherwise the whole ledger
// is read.
[[nodiscard]] Result<std::vector<ModelsBefore>> models_before(const Database& database, const Contents& contents);

}  // namespace unscatter
