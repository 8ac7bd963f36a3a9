// What a user names as a data set, and the places of files on this machine.
#pragma once

#include <filesystem>
#include <string>

#include "base/locations.h"
#include "catalogue.h"
#include "unscatter/base/result.h"

namespace unscatter::cli {

// The path of what a user names as a data set: a path that exists, or the name of a data set that is on this machine.
// Errors: kNotFound, saying what could be done about it.
[[nodiscard]] Result<std::filesystem::path> resolve_dataset(const std::string& path_or_name,
                                                            const Catalogue& catalogue);

// A file of graphs as lines, of which several processes can read their own parts.
[[nodiscard]] bool is_jsonl(const std::filesystem::path& path);

}  // namespace unscatter::cli
