#include "retraining.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

namespace unscatter::cli {

namespace fs = std::filesystem;

bool gives_option_of(const CLI::App& command, std::string_view group) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(),
                     [&](const CLI::Option* option) { return option->get_group() == group && option->count() > 0; });
}

fs::path place_beside(const fs::path& workspace) {
  for (int number = 2;; ++number) {
    fs::path place = workspace;
    place.replace_filename(fmt::format("{}-{}{}", workspace.stem().string(), number, workspace.extension().string()));
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(place, ignored))) return place;
  }
}

}  // namespace unscatter::cli
