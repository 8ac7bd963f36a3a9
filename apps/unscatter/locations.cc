#include "locations.h"

#include <fmt/format.h>

#include <system_error>

#include "unscatter/graph/read.h"

namespace unscatter::cli {

namespace fs = std::filesystem;

Result<fs::path> resolve_dataset(const std::string& path_or_name, const Catalogue& catalogue) {
  std::error_code ignored;
  if (fs::exists(path_or_name, ignored)) return fs::path(path_or_name);
  if (auto found = find_local(path_or_name)) return std::move(found->path);
  const CatalogueEntry* entry = catalogue.find(path_or_name);
  if (entry == nullptr) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("'{}' is neither a file or folder nor the name of a data set that is here "
                             "(unscatter datasets list shows the names)",
                             path_or_name)};
  }
  if (!entry->fetchable)
    return Error{ErrorCode::kNotFound, fmt::format("{} is not here: {}", entry->name, entry->how_to_get)};
  return Error{ErrorCode::kNotFound,
               fmt::format("{0} is not here: run 'unscatter datasets fetch {0}', or set UNSCATTER_DATA to a "
                           "folder with {0}/{0}.zip",
                           entry->name)};
}

bool is_jsonl(const fs::path& path) {
  // Whoever looks into a pipe takes away what a reader would get.
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return false;
  const Result<DataFormat> format = detect_format(path);
  return format.ok() && *format == DataFormat::kJsonl;
}

}  // namespace unscatter::cli
