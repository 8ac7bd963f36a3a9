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

// Constants of the old workspace, where no option asks for others.  Those that were fitted are fitted again, on what is
// left.  Public data is not kept, so constants that came from it stay what they are.  Errors: kInvalidArgument.
[[nodiscard]] Status take_over_constants(const Before& before, const CLI::App& command, WorkspaceSetup& setup);

// Beside the old one, under the first name that is free: w.unscatter, w-2.unscatter, w-3.unscatter.
[[nodiscard]] std::filesystem::path place_beside(const std::filesystem::path& workspace);

}  // namespace unscatter::cli
