// The places of files on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

// $UNSCATTER_CACHE, else $XDG_CACHE_HOME/unscatter, else ~/.cache/unscatter.  Need not exist.
// Errors: kNotFound if none of the three variables (HOME for the last) is set.
[[nodiscard]] Result<std::filesystem::path> cache_folder();

// $XDG_CONFIG_HOME/unscatter, else ~/.config/unscatter.  Need not exist.
// Errors: kNotFound if neither variable (HOME for the second) is set.
[[nodiscard]] Result<std::filesystem::path> config_folder();

// $UNSCATTER_DATA, if set.  Need not exist.
[[nodiscard]] std::optional<std::filesystem::path> data_folder();

// A plug-in of this program: beside it, as in a build of the sources, or else where it is installed.  Need not exist.
[[nodiscard]] std::filesystem::path plugin_of_this_program(std::string_view file);

// A data set that was found on this machine by its name.
struct LocalDataset {
  std::filesystem::path path;
  std::string_view place;  // "data" ($UNSCATTER_DATA) or "cache"
};

// Looks in $UNSCATTER_DATA, then in the cache, for NAME/NAME.zip, then the first NAME/*.npz by name.
[[nodiscard]] std::optional<LocalDataset> find_local(std::string_view name);

}  // namespace unscatter
