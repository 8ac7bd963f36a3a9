// Syncs of the write-ahead log that protect nothing are left out, and its writes are gathered (log_writes.h).
//
// SQLite makes the log durable three times per transaction: when its header is written, at COMMIT, and before pages go
// back to the file.  Each call waits for the disk.  Two of them are not needed here.
//
// 1. Between COMMIT and the emptying of the log nobody writes to it.  A file that was not written since it was last
//    made durable is durable.
// 2. The header is synced alone so that no new frames can stand behind an old header [SQLite ticket ff5be73dee]: an old
//    log, cut off in the middle by new frames, would be played back to one of its earlier commits, over pages of a
//    later one.  A log that had one commit at most has no earlier commit.  It is read as a whole, and then the file
//    has the same pages already, because it was synced before the log was cut.  Or a frame is missing, and then the log
//    counts for nothing.  So the call can wait for the COMMIT that follows.
//
// A log that had more commits, or of which nothing is known, keeps the call.
#pragma once

#include <memory>

struct sqlite3;

namespace unscatter {

// What is known of the log when the connection has it open.
enum class LogBefore {
  kNone,     // this connection made the file: there was none of its name when the lock was taken
  kUnknown,  // a log of somebody else may have been cut, and the cut need not be durable
};

// From here on.  The log has to be open, and nobody else may read or write it.  What is returned must outlive the
// connection. Null if there is no log that is open.
[[nodiscard]] std::shared_ptr<const void> spare_log_syncs(sqlite3* database, LogBefore before);

}  // namespace unscatter
