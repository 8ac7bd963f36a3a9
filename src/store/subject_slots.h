// In which graphs a subject is.  Every question about subjects goes through here, so that one place decides how it is
// answered.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/workspace_tables.h"
#include "unscatter/base/result.h"

namespace unscatter {

// For each of `ids` the slots of the graphs that have a living node with this external id, ascending.  By the
// kept index where there is one; otherwise reads all graphs once.  Errors: kMalformedInput, kIo.
[[nodiscard]] Result<std::vector<std::vector<std::size_t>>> slots_with(const WorkspaceTables& tables,
                                                                       std::span<const std::string> ids);

// All subjects, in the order of their ids, each with the number of graphs that it is in.
[[nodiscard]] Result<std::map<std::string, std::size_t>> graphs_per_subject(const WorkspaceTables& tables);

}  // namespace unscatter
