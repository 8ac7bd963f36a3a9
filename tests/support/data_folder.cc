#include "support/data_folder.h"

#include <cstdlib>

namespace unscatter::testing {
namespace {

std::optional<std::filesystem::path> if_exists(std::filesystem::path path) {
  if (std::filesystem::is_directory(path)) return path;
  return std::nullopt;
}

}  // namespace

std::optional<std::filesystem::path> data_folder() {
  // A folder that was chosen and does not exist is not replaced by the default: tests would run on data that nobody
  // asked for.
  if (const char* chosen = std::getenv("UNSCATTER_DATA")) return if_exists(chosen);
  return if_exists(std::filesystem::path(UNSCATTER_SOURCE_FOLDER) / ".." / "shared" / "data");
}

std::optional<std::filesystem::path> reference_folder() {
  const auto data = data_folder();
  return data ? if_exists(*data / ".." / "reference") : std::nullopt;
}

}  // namespace unscatter::testing
