#include "store/clean_pages.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace unscatter {
namespace {

constexpr std::size_t kFileHeader = 100;
constexpr std::size_t kSmallestPage = 512;
constexpr std::size_t kLargestPage = 65536;

std::size_t two_bytes(std::span<const unsigned char> page, std::size_t at) {
  return std::size_t{page[at]} << 8 | page[at + 1];
}

// Bytes of the header of a b-tree page; 0 for all other pages.
std::size_t header_size(unsigned char kind) {
  switch (kind) {
    case 0x0a:
    case 0x0d: return 8;  // leaves of an index and of a table
    case 0x02:
    case 0x05: return 12;  // inner pages
    default: return 0;
  }
}

bool is_page_size(std::size_t size) {
  return size >= kSmallestPage && size <= kLargestPage && std::has_single_bit(size);
}

// Pages that are no b-tree pages begin with a page number, and its first byte is one of the above only in a file of so
// many pages.  Such a file is left alone.
constexpr std::size_t kMostPages = 0x02000000;

// The methods of a file, with a write of our own.  The first member is what SQLite sees.
struct CleaningMethods {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* original;
  sqlite3_int64 end = 0;  // no page lies beyond
};

int write_cleaned(sqlite3_file* file, const void* content, int size, sqlite3_int64 offset) {
  // SQLite declares the methods const.  These are ours, and they are not.
  auto* own = const_cast<CleaningMethods*>(reinterpret_cast<const CleaningMethods*>(file->pMethods));
  const auto bytes = static_cast<std::size_t>(size);
  own->end = std::max(own->end, offset + size);
  const bool whole_page = is_page_size(bytes) && offset % size == 0;
  if (!whole_page || static_cast<std::size_t>(own->end) / bytes >= kMostPages) {
    return own->original->xWrite(file, content, size, offset);
  }
  // SQLite goes on using its own page.
  std::array<unsigned char, kLargestPage> page;  // NOLINT(cppcoreguidelines-pro-type-member-init): 64 KiB per write
  std::memcpy(page.data(), content, bytes);
  clear_unallocated(std::span(page.data(), bytes), offset == 0);
  return own->original->xWrite(file, page.data(), size, offset);
}

Error file_error(const std::filesystem::path& path, const char* what) {
  return {ErrorCode::kIo, fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno))};
}

}  // namespace

bool clear_unallocated(std::span<unsigned char> page, bool is_first) {
  const std::size_t header = is_first ? kFileHeader : 0;
  if (page.size() < kSmallestPage) return false;
  const std::size_t size = header_size(page[header]);
  if (size == 0) return false;
  const std::size_t cells = two_bytes(page, header + 3);
  const std::size_t stated = two_bytes(page, header + 5);
  const std::size_t content = stated == 0 ? kLargestPage : stated;
  const std::size_t pointers_end = header + size + 2 * cells;
  if (pointers_end > content || content > page.size()) return false;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t cell = two_bytes(page, header + size + 2 * i);
    if (cell < content || cell >= page.size()) return false;
  }
  std::fill(page.begin() + static_cast<std::ptrdiff_t>(pointers_end),
            page.begin() + static_cast<std::ptrdiff_t>(content), static_cast<unsigned char>(0));
  return true;
}

std::shared_ptr<const void> clear_written_pages(sqlite3* database) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    return nullptr;
  }
  auto own = std::make_shared<CleaningMethods>(CleaningMethods{*file->pMethods, file->pMethods});
  own->methods.xWrite = write_cleaned;
  if (own->original->xFileSize(file, &own->end) != SQLITE_OK) return nullptr;
  file->pMethods = &own->methods;
  return own;
}

Status clear_pages_of_file(int descriptor, const std::filesystem::path& path) {
  std::array<unsigned char, kFileHeader> header{};
  if (::pread(descriptor, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    return file_error(path, "cannot be read");
  }
  const std::size_t stated = two_bytes(header, 16);
  std::vector<unsigned char> page(stated == 1 ? kLargestPage : stated);
  if (!is_page_size(page.size())) return ok_status();
  const off_t end = ::lseek(descriptor, 0, SEEK_END);
  const auto step = static_cast<off_t>(page.size());
  if (end < 0) return file_error(path, "cannot be read");
  if (static_cast<std::size_t>(end / step) >= kMostPages) return ok_status();
  for (off_t at = 0; at + step <= end; at += step) {
    if (::pread(descriptor, page.data(), page.size(), at) != step) return file_error(path, "cannot be read");
    if (!clear_unallocated(page, at == 0)) continue;
    if (::pwrite(descriptor, page.data(), page.size(), at) != step) return file_error(path, "cannot be written");
  }
  return ok_status();
}

}  // namespace unscatter
