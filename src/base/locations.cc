#include "base/locations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// An empty variable counts as unset, as the XDG specification asks.
std::optional<fs::path> from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

std::optional<fs::path> find_in(const fs::path& root, std::string_view name) {
  std::error_code ignored;
  const fs::path folder = root / name;
  const fs::path archive = folder / fmt::format("{}.zip", name);
  if (fs::is_regular_file(archive, ignored)) return archive;
  std::vector<fs::path> arrays;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (at->path().extension() == ".npz") arrays.push_back(at->path());
  }
  if (arrays.empty()) return std::nullopt;
  // The first by name.  The order of the file system would differ between machines.
  return *std::min_element(arrays.begin(), arrays.end());
}

// A name must not lead out of the folder that it is looked up in.
bool could_be_a_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.find('/') == std::string_view::npos;
}

}  // namespace

Result<fs::path> cache_folder() {
  if (const auto chosen = from_environment("UNSCATTER_CACHE")) return *chosen;
  if (const auto base = from_environment("XDG_CACHE_HOME")) return *base / "unscatter";
  if (const auto home = from_environment("HOME")) return *home / ".cache" / "unscatter";
  return Error{ErrorCode::kNotFound, "no cache folder: set UNSCATTER_CACHE, XDG_CACHE_HOME or HOME"};
}

Result<fs::path> config_folder() {
  if (const auto base = from_environment("XDG_CONFIG_HOME")) return *base / "unscatter";
  if (const auto home = from_environment("HOME")) return *home / ".config" / "unscatter";
  return Error{ErrorCode::kNotFound, "no configuration folder: set XDG_CONFIG_HOME or HOME"};
}

std::optional<fs::path> data_folder() { return from_environment("UNSCATTER_DATA"); }

fs::path plugin_of_this_program(std::string_view file) {
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  fs::path beside = folder / file;
  if (fs::exists(beside, failed)) return beside;
  return (folder / UNSCATTER_PLUGIN_FOLDER / file).lexically_normal();
}

std::optional<LocalDataset> find_local(std::string_view name) {
  if (!could_be_a_name(name)) return std::nullopt;
  if (const auto data = data_folder()) {
    if (auto found = find_in(*data, name)) return LocalDataset{*std::move(found), "data"};
  }
  if (const auto cache = cache_folder(); cache.ok()) {
    if (auto found = find_in(*cache, name)) return LocalDataset{*std::move(found), "cache"};
  }
  return std::nullopt;
}

}  // namespace unscatter
