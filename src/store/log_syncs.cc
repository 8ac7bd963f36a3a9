#include "store/log_syncs.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "store/log_writes.h"

namespace unscatter {
namespace {

// SQLite file format, "WAL File Format".
constexpr int kLogHeader = 32;
constexpr int kFrameHeader = 24;
constexpr int kSmallestLogPage = 512;
// Stands for any number above one.
constexpr std::size_t kManyCommits = 2;

// The methods of the log, with some of our own.  The first member is what SQLite sees.
struct LogMethods {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* original;
  GatheredWrites gathered = {};
  bool durable = false;                       // nothing was written or cut since the last sync
  bool only_header = false;                   // is all that was written since the log was cut
  std::size_t commits = 0;                    // in the log as it is now
  std::size_t commits_before = kManyCommits;  // of logs that a power loss may bring back
};

LogMethods& of(sqlite3_file* file) {
  // SQLite declares the methods const.  These are ours, and they are not.
  return *const_cast<LogMethods*>(reinterpret_cast<const LogMethods*>(file->pMethods));
}

// The second number of a frame header is the size of the file after a commit, and 0 in all other frames.
bool ends_a_commit(const void* frame_header) {
  const auto* bytes = static_cast<const unsigned char*>(frame_header);
  return std::any_of(bytes + 4, bytes + 8, [](unsigned char byte) { return byte != 0; });
}

int write_log(sqlite3_file* file, const void* content, int size, sqlite3_int64 offset) {
  LogMethods& log = of(file);
  log.durable = false;
  if (offset == 0 && size == kLogHeader) {
    log.only_header = log.commits == 0;
    // A new header over frames that were not cut: they are what was before.
    log.commits_before = std::max(log.commits_before, log.commits);
    log.commits = 0;
  } else {
    log.only_header = false;
    const bool page = size >= kSmallestLogPage && std::has_single_bit(static_cast<unsigned>(size));
    if (size == kFrameHeader) {
      if (ends_a_commit(content)) ++log.commits;
    } else if (!page) {
      log.commits += kManyCommits;  // a piece of something
    }
  }
  return log.gathered.write(file, *log.original, content, size, offset);
}

int read_log(sqlite3_file* file, void* content, int size, sqlite3_int64 offset) {
  LogMethods& log = of(file);
  if (const int code = log.gathered.finish(file, *log.original); code != SQLITE_OK) return code;
  return log.original->xRead(file, content, size, offset);
}

int measure_log(sqlite3_file* file, sqlite3_int64* size) {
  LogMethods& log = of(file);
  if (const int code = log.gathered.finish(file, *log.original); code != SQLITE_OK) return code;
  return log.original->xFileSize(file, size);
}

int cut_log(sqlite3_file* file, sqlite3_int64 size) {
  LogMethods& log = of(file);
  log.durable = false;
  log.only_header = false;
  log.commits_before = std::max(log.commits_before, log.commits);
  log.commits = size == 0 ? 0 : kManyCommits;
  if (const int code = log.gathered.finish(file, *log.original); code != SQLITE_OK) return code;
  return log.original->xTruncate(file, size);
}

int sync_log(sqlite3_file* file, int flags) {
  LogMethods& log = of(file);
  if (log.durable || (log.only_header && log.commits_before <= 1)) return SQLITE_OK;
  if (const int code = log.gathered.finish(file, *log.original); code != SQLITE_OK) return code;
  if (const int code = log.original->xSync(file, flags); code != SQLITE_OK) return code;
  log.durable = true;
  log.commits_before = 0;
  return SQLITE_OK;
}

}  // namespace

std::shared_ptr<const void> spare_log_syncs(sqlite3* database, LogBefore before) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&file)) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    return nullptr;
  }
  auto own = std::make_shared<LogMethods>(LogMethods{*file->pMethods, file->pMethods});
  sqlite3_int64 size = 0;
  if (own->original->xFileSize(file, &size) != SQLITE_OK) return nullptr;
  own->methods.xWrite = write_log;
  own->methods.xRead = read_log;
  own->methods.xFileSize = measure_log;
  own->methods.xTruncate = cut_log;
  own->methods.xSync = sync_log;
  own->commits = size == 0 ? 0 : kManyCommits;
  own->commits_before = before == LogBefore::kNone ? 0 : kManyCommits;
  file->pMethods = &own->methods;
  return own;
}

}  // namespace unscatter
