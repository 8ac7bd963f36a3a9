#include "store/log_writes.h"

#include <span>

#include "base/wipe.h"

namespace unscatter {
namespace {

// SQLite writes to a file by calls of at most 2^17 - 1 bytes, and takes the length of a write modulo 2^17.  A write of
// that length or more would be cut off.
constexpr std::size_t kMostGathered = std::size_t{1} << 16;

}  // namespace

// It never grows beyond, so it never moves and leaves no copy behind.
GatheredWrites::GatheredWrites() { bytes_.reserve(kMostGathered); }

int GatheredWrites::write(sqlite3_file* file, const sqlite3_io_methods& original, const void* content, int size,
                          sqlite3_int64 offset) {
  const auto count = static_cast<std::size_t>(size);
  const bool follows = offset == offset_ + static_cast<sqlite3_int64>(bytes_.size());
  if (!follows || bytes_.size() + count > kMostGathered) {
    if (const int code = finish(file, original); code != SQLITE_OK) return code;
  }
  if (count > kMostGathered) return original.xWrite(file, content, size, offset);
  if (bytes_.empty()) offset_ = offset;
  const auto* first = static_cast<const std::byte*>(content);
  bytes_.insert(bytes_.end(), first, first + count);
  return SQLITE_OK;
}

int GatheredWrites::finish(sqlite3_file* file, const sqlite3_io_methods& original) {
  if (bytes_.empty()) return SQLITE_OK;
  const int code = original.xWrite(file, bytes_.data(), static_cast<int>(bytes_.size()), offset_);
  // Pages hold what may be removed later.
  wipe(std::span(bytes_));
  bytes_.clear();
  return code;
}

}  // namespace unscatter
