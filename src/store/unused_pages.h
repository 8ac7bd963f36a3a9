// Is there anything in the pages of an SQLite file that nothing uses?
#pragma once

#include <cstddef>
#include <filesystem>

#include "store/sqlite.h"
#include "unscatter/base/result.h"

namespace unscatter {

struct UnusedPages {
  std::size_t pages = 0;
  std::size_t not_empty = 0;  // with a byte that is neither zero nor part of the list of unused pages
};

// Reads the file itself, beside SQLite.  Nobody may write meanwhile, and the log has to be empty.  The list of unused
// pages is documented in the SQLite file format ("The Freelist").  Errors: kIo; kMalformedInput if the list is broken.
[[nodiscard]] Result<UnusedPages> examine_unused_pages(const std::filesystem::path& path);
// The same for a file that this process has open, without losing its locks.
[[nodiscard]] Result<UnusedPages> examine_unused_pages(const Database& database, const std::filesystem::path& path);

}  // namespace unscatter
