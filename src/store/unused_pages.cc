#include "store/unused_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace unscatter {
namespace {

class PageReader {
 public:
  explicit PageReader(const std::filesystem::path& path) : name_(path.string()), file_(path, std::ios::binary) {}

  [[nodiscard]] Result<std::vector<unsigned char>> read(std::size_t offset, std::size_t size) {
    // Read from the file and not through SQLite, which shows no page that it does not use.
    std::vector<unsigned char> bytes(size);
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!file_) return Error{ErrorCode::kIo, fmt::format("{}: cannot be read at byte {}", name_, offset)};
    return bytes;
  }

 private:
  std::string name_;
  std::ifstream file_;
};

std::size_t big_endian(const std::vector<unsigned char>& bytes, std::size_t at, std::size_t size) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes.at(at + i);
  return value;
}

bool all_zero(const std::vector<unsigned char>& bytes, std::size_t from) {
  return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                     [](unsigned char b) { return b == 0; });
}

// Is there nothing behind the `leaves` numbers of a trunk page?  When SQLite takes a leaf into use, it shortens the
// list and leaves the last number where it was.  Such a number is that of a page of the file, stands right behind the
// list, and is not data.  Anything else has no business there.
bool is_empty_behind(const std::vector<unsigned char>& trunk, std::size_t leaves, std::size_t pages_in_file) {
  std::size_t at = 8 + 4 * leaves;
  for (; at + 4 <= trunk.size(); at += 4) {
    const std::size_t stale = big_endian(trunk, at, 4);
    // Page 1 holds the header and is never unused.
    if (stale < 2 || stale > pages_in_file) break;
  }
  return all_zero(trunk, at);
}

}  // namespace

namespace {

// Bytes of the file, from an offset on.
using ReadBytes = std::function<Result<std::vector<unsigned char>>(std::size_t offset, std::size_t size)>;

Result<UnusedPages> examine_pages(const std::filesystem::path& path, const ReadBytes& read) {
  // The header has the page size at byte 16, the first trunk page at 32, and the number of unused pages at 36 (SQLite
  // file format, "The Database Header").  A page size of 65536 does not fit two bytes and is written as 1.
  UNSCATTER_TRY(header, read(0, 100));
  const std::size_t stated = big_endian(header, 16, 2);
  const std::size_t page_size = stated == 1 ? 65536 : stated;
  const std::size_t total = big_endian(header, 36, 4);
  const std::size_t pages_in_file = big_endian(header, 28, 4);
  const auto read_page = [&](std::size_t number) { return read((number - 1) * page_size, page_size); };
  const Error broken{ErrorCode::kMalformedInput, fmt::format("{}: the list of unused pages is broken", path.string())};

  UnusedPages result;
  // A trunk page has the next trunk, the number of leaves, and their page numbers.  A leaf has nothing, so after
  // secure_delete it is all zero.
  std::size_t trunk = big_endian(header, 32, 4);
  while (trunk != 0) {
    // A list that runs in a circle ends here.
    if (++result.pages > total) return broken;
    UNSCATTER_TRY(page, read_page(trunk));
    const std::size_t leaves = big_endian(page, 4, 4);
    if (8 + 4 * leaves > page_size) return broken;
    if (!is_empty_behind(page, leaves, pages_in_file)) ++result.not_empty;
    for (std::size_t i = 0; i < leaves; ++i) {
      const std::size_t leaf = big_endian(page, 8 + 4 * i, 4);
      // Pages are counted from 1.
      if (leaf == 0 || ++result.pages > total) return broken;
      UNSCATTER_TRY(content, read_page(leaf));
      if (!all_zero(content, 0)) ++result.not_empty;
    }
    trunk = big_endian(page, 0, 4);
  }
  // Pages that are counted but not listed would not have been looked at.
  if (result.pages != total) return broken;
  return result;
}

}  // namespace

Result<UnusedPages> examine_unused_pages(const std::filesystem::path& path) {
  PageReader file(path);
  return examine_pages(path, [&](std::size_t offset, std::size_t size) { return file.read(offset, size); });
}

Result<UnusedPages> examine_unused_pages(const Database& database, const std::filesystem::path& path) {
  return examine_pages(path, [&](std::size_t offset, std::size_t size) { return database.read(offset, size); });
}

}  // namespace unscatter
