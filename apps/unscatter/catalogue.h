// The data sets that the program knows by name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"

namespace unscatter::cli {

struct CatalogueEntry {
  std::string name;  // letters, digits, '-', '_' and '.', not starting with '.'
  std::size_t graphs = 0;
  std::size_t classes = 0;
  std::size_t nodes = 0;
  std::string description;
  std::string origin;          // where it comes from, in a word
  bool fetchable = true;       // a mirror holds it as NAME.zip
  std::string how_to_get;      // if it is not fetchable: a sentence for the person who wants it
  std::string content_digest;  // 64 hex digits that content_digest() must give; empty: not pinned, so never accepted
};

class Catalogue {
 public:
  explicit Catalogue(std::vector<CatalogueEntry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] const std::vector<CatalogueEntry>& entries() const noexcept { return entries_; }
  // The entry of that name, or null.
  [[nodiscard]] const CatalogueEntry* find(std::string_view name) const noexcept;

 private:
  std::vector<CatalogueEntry> entries_;
};

// The ten data sets that docs/cli.md lists.
[[nodiscard]] Catalogue built_in_catalogue();

// {"datasets": [{"name": "TOY", "content_digest": "...", ...}, ...]}.  Field names are as above; all but `name` are
// optional.  Errors: kNotFound, kMalformedInput (naming the file and the field).
[[nodiscard]] Result<Catalogue> read_catalogue(const std::filesystem::path& path);

// The file that $UNSCATTER_CATALOGUE names.  Without that variable, the built-in catalogue.
[[nodiscard]] Result<Catalogue> load_catalogue();

}  // namespace unscatter::cli
