// Neighbouring writes of the write-ahead log go to the system together.
//
// SQLite writes every page to the log by two calls, one for the header of its frame and one for the page.  All of them
// follow one another up to the COMMIT, which makes the log durable.  Here they are gathered and written by one call
// before that, so a transaction of p pages makes one call instead of 2 p.
//
// The log says as much as before: what was not durable when a process ended may be missing, and a log without its last
// frame counts for nothing.  Nobody else reads it meanwhile, because the connection has the file alone.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <vector>

namespace unscatter {

// What was written to one file and is not yet with the system.  `original`: the methods of the file as SQLite has them.
// Values are those of SQLite.
class GatheredWrites {
 public:
  GatheredWrites();

  [[nodiscard]] int write(sqlite3_file* file, const sqlite3_io_methods& original, const void* content, int size,
                          sqlite3_int64 offset);
  // Before anything else is done with the file.
  [[nodiscard]] int finish(sqlite3_file* file, const sqlite3_io_methods& original);

 private:
  std::vector<std::byte> bytes_;
  sqlite3_int64 offset_ = 0;  // where they belong
};

}  // namespace unscatter
