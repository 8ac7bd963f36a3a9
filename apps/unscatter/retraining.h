// What a retraining takes over from the workspace that it starts from.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {

// What a retraining starts from.
struct Before {
  Workspace workspace;  // open, so that nothing is removed from it meanwhile
  WorkspaceInfo info;
  Predecessor predecessor;
};

// Was one of the options of this group given?
[[nodiscard]] bool gives_option_of(const CLI::App& command, std::string_view group);

// Beside the old one, under the first name that is free: w.unscatter, w-2.unscatter, w-3.unscatter.
[[nodiscard]] std::filesystem::path place_beside(const std::filesystem::path& workspace);

}  // namespace unscatter::cli
