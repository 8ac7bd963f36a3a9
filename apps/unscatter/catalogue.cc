#include "catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace unscatter::cli {
namespace {

CatalogueEntry tu_entry(const char* name, std::size_t graphs, std::size_t classes, std::size_t nodes,
                        const char* description, const char* content_digest) {
  return {name, graphs, classes, nodes, description, "TUDataset", true, "", content_digest};
}

CatalogueEntry superpixels(const char* name, std::size_t graphs, std::size_t nodes, const char* description) {
  const std::string how_to_get = fmt::format(
      "it is not on the TUDataset site; convert the train split of GNNBenchmarkDataset {0} (PyTorch Geometric) to the "
      ".npz "
      "form of "
      "docs/data-formats.md and put it at $UNSCATTER_DATA/{0}/{0}_superpixels_train.npz",
      name);
  return {name, graphs, 10, nodes, description, "GNNBenchmarkDataset", false, how_to_get, ""};
}

bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !text.empty() && text.front() != '.' && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool is_digest(std::string_view text) {
  return text.empty() || (text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

Error malformed(const std::filesystem::path& path, std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("{}: {}", path.string(), what)};
}

// Throws nlohmann::json::exception on a field of the wrong type.
CatalogueEntry parse_entry(const nlohmann::json& object) {
  CatalogueEntry entry;
  entry.name = object.at("name").get<std::string>();
  entry.graphs = object.value("graphs", entry.graphs);
  entry.classes = object.value("classes", entry.classes);
  entry.nodes = object.value("nodes", entry.nodes);
  entry.description = object.value("description", entry.description);
  entry.origin = object.value("origin", entry.origin);
  entry.fetchable = object.value("fetchable", entry.fetchable);
  entry.how_to_get = object.value("how_to_get", entry.how_to_get);
  entry.content_digest = object.value("content_digest", entry.content_digest);
  return entry;
}

}  // namespace

const CatalogueEntry* Catalogue::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

// The digests pin the content of the text files (graphs, labels, attributes) and not the bytes of an archive: the site
// may pack its archives anew.  `unscatter datasets info --json FILE` prints them.
Catalogue built_in_catalogue() {
  return Catalogue({
      tu_entry("COLLAB", 5000, 3, 372'474, "scientific collaborations: ego networks by field",
               "2dc073b9a69993ef654fecd5a38d3050afdd995bb536744433c67bfac0c32874"),
      tu_entry("ENZYMES", 600, 6, 19'580, "protein structures by enzyme class",
               "71cd677a4b6a58803e3d4cde1274531f26fe0665baf8579be986090c27caecb5"),
      tu_entry("IMDB-BINARY", 1000, 2, 19'773, "actors' ego networks by film genre",
               "98922224e66727bb699e4a3bf0a9955e636e763af09211eda2fb504b3cba8096"),
      tu_entry("IMDB-MULTI", 1500, 3, 19'502, "actors' ego networks by film genre",
               "78cffdbc00008ec1ed341886e2376f08f14e487fc51a069abe609129066fed46"),
      tu_entry("MUTAG", 188, 2, 3'371, "molecules by mutagenicity",
               "3d632b11a58856d623938d9ad96585b82871a230c34b6f8fdd65862904cee512"),
      tu_entry("NCI1", 4110, 2, 122'747, "molecules by activity against lung cancer cells",
               "38d950126fc83561e8f66c3c8e19f0715397f8d23089934bcd0382895eb3da60"),
      tu_entry("PROTEINS", 1113, 2, 43'471, "protein structures, enzyme or not",
               "33fc1894c2e8f58946ffa9c8b85782703f9e7857fbfbbd5ec9310b6f37f57060"),
      tu_entry("REDDIT-BINARY", 2000, 2, 859'254, "discussion threads by kind of community",
               "9ae482941a45a06fe214c48874ba22771e1092685253b9e26ab4c57db011638c"),
      superpixels("CIFAR10", 45'000, 5'294'201, "superpixels of small photographs, ten objects"),
      superpixels("MNIST", 55'000, 3'880'965, "superpixels of handwritten digits"),
  });
}

Result<Catalogue> read_catalogue(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kNotFound, fmt::format("cannot read the catalogue '{}'", path.string())};
  std::vector<CatalogueEntry> entries;
  try {
    const auto document = nlohmann::json::parse(file);
    for (const auto& object : document.at("datasets")) {
      CatalogueEntry entry = parse_entry(object);
      // The name becomes a part of a URL and of a path in the cache, so it must not contain slashes or lead elsewhere.
      if (!is_name(entry.name))
        return malformed(path, fmt::format("'{}' cannot be the name of a data set", entry.name));
      if (!is_digest(entry.content_digest)) {
        return malformed(path, fmt::format("{}: content_digest has to be 64 lower-case hex digits", entry.name));
      }
      entries.push_back(std::move(entry));
    }
  } catch (const nlohmann::json::exception&) {
    return malformed(path, "it is not JSON with a list \"datasets\" whose entries have all their fields");
  }
  return Catalogue(std::move(entries));
}

Result<Catalogue> load_catalogue() {
  const char* path = std::getenv("UNSCATTER_CATALOGUE");
  if (path == nullptr || *path == '\0') return built_in_catalogue();
  return read_catalogue(path);
}

}  // namespace unscatter::cli
