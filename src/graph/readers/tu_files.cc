#include "graph/readers/tu_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "graph/readers/archive.h"

namespace unscatter::readers {
namespace {

constexpr std::string_view kEdgeSuffix = "_A.txt";

Result<std::vector<std::string>> list_folder(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    // A folder or a device of the right name is not a data file.
    if (it->is_regular_file(error)) names.push_back(it->path().filename().string());
  }
  if (error) return Error{ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message())};
  // The file system gives them in any order, and messages should not depend on it.
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool is_folder(const Input& input) {
  const auto* path = std::get_if<std::filesystem::path>(&input.content);
  std::error_code ignored;
  return path != nullptr && std::filesystem::is_directory(*path, ignored);
}

bool is_tu_edge_file(std::string_view name) {
  const std::string_view base = base_name(name);
  return base.size() > kEdgeSuffix.size() && base.ends_with(kEdgeSuffix) && !base.starts_with("._");
}

Result<TuFiles> find_tu_files(const Input& input) {
  UNSCATTER_TRY(names,
                is_folder(input) ? list_folder(std::get<std::filesystem::path>(input.content)) : list_members(input));
  const auto malformed = [&](std::string message) {
    return Error{ErrorCode::kMalformedInput, fmt::format("{}: {}", input.name, message)};
  };
  const auto edges = std::find_if(names.begin(), names.end(), is_tu_edge_file);
  if (edges == names.end()) return malformed("no file whose name ends in _A.txt");
  const auto second = std::find_if(edges + 1, names.end(), is_tu_edge_file);
  // It would be a guess which one is meant.
  if (second != names.end()) return malformed(fmt::format("two data sets, '{}' and '{}'", *edges, *second));

  // The other files lie beside the edge file.  They have the same name up to the suffix, folder included.
  const std::string prefix = edges->substr(0, edges->size() - kEdgeSuffix.size());
  const auto find = [&](std::string_view suffix) -> std::optional<std::string> {
    const std::string wanted = prefix + std::string(suffix);
    if (std::find(names.begin(), names.end(), wanted) == names.end()) return std::nullopt;
    return wanted;
  };
  TuFiles files;
  files.dataset_name = base_name(prefix);
  files.edges = *edges;
  for (const auto& [suffix, file] : {std::pair("_graph_indicator.txt", &files.graph_indicator),
                                     std::pair("_graph_labels.txt", &files.graph_labels)}) {
    std::optional<std::string> found = find(suffix);
    if (!found) return malformed(fmt::format("'{}{}' is missing", prefix, suffix));
    *file = *std::move(found);
  }
  files.node_labels = find("_node_labels.txt");
  files.node_attributes = find("_node_attributes.txt");
  return files;
}

Result<std::unique_ptr<ByteSource>> open_tu_file(const Input& input, const std::string& file, ByteBudget& budget) {
  if (!is_folder(input)) return open_member(input, file, budget);
  return open_plain(Input::file(std::get<std::filesystem::path>(input.content) / file), budget);
}

}  // namespace unscatter::readers
