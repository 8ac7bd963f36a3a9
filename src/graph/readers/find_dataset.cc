#include <fmt/format.h>

#include <system_error>

#include "base/locations.h"
#include "unscatter/graph/read.h"

namespace unscatter {

Result<std::filesystem::path> find_dataset(const std::string& path_or_name) {
  std::error_code ignored;
  if (std::filesystem::exists(path_or_name, ignored)) return std::filesystem::path(path_or_name);
  if (auto found = find_local(path_or_name)) return std::move(found->path);
  return Error{ErrorCode::kNotFound,
               fmt::format("'{0}' is neither a file or folder nor the name of a data set that is here "
                           "('unscatter datasets list' shows the names, and UNSCATTER_DATA names a folder with "
                           "NAME/NAME.zip)",
                           path_or_name)};
}

}  // namespace unscatter
