// SQLite with our errors and without raw handles.  Nothing here knows what a workspace is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/log_syncs.h"
#include "unscatter/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace unscatter {

class Database;
class StatementCache;

// One prepared statement.  What is bound must stay alive until the statement has run.  It must not outlive its
// database.
class Statement {
 public:
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::span<const std::byte> blob);
  Statement& bind_null(int index);

  // True: a row is there to be read.
  [[nodiscard]] Result<bool> step();
  // To the end.
  [[nodiscard]] Status run();

  // Columns of the present row, from 0.  A value of another type than asked for is kMalformedInput, because a damaged
  // record header can turn one type into another.
  [[nodiscard]] Result<std::int64_t> integer(int column) const;
  [[nodiscard]] Result<std::string> text(int column) const;
  [[nodiscard]] Result<std::vector<std::byte>> blob(int column) const;
  // Without a copy; good until the next step().
  [[nodiscard]] Result<std::span<const std::byte>> blob_view(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  friend class Database;
  friend Status copy_rows(const Database& from, std::string_view select, std::span<const std::int64_t> bounds,
                          const Database& to, std::string_view insert);
  struct GiveBack {
    StatementCache* cache;
    void operator()(sqlite3_stmt* statement) const;
  };

  Statement(sqlite3* database, StatementCache& cache, std::string_view name, std::string_view sql);
  [[nodiscard]] Error error(int code) const;

  sqlite3* database_;
  std::string name_;  // of the file, for messages
  std::unique_ptr<sqlite3_stmt, GiveBack> statement_;
  int failed_ = 0;  // what preparing or binding said
};

class Database {
 public:
  enum class Mode {
    kExisting,
    kCreate,
    // To read a file beside which nothing can be written.  It must have no log.  Nobody else can write it meanwhile.
    kFrozen,
    // To read a file that another process of the same job has locked and does not write meanwhile.  No lock is taken.
    // It must have no log.
    kBeside,
  };
  // `wait`: how long to wait for other processes.  Errors: kNotFound, kIo; kFrozen also kUnavailable.
  [[nodiscard]] static Result<Database> open(const std::filesystem::path& path, Mode mode,
                                             std::chrono::milliseconds wait);

  // One more connection to the file that this one has locked, for another thread that reads; one thread at a time.  It
  // takes no lock of its own and sees the file alone, without a log.  Nobody may write while it is there.  Nothing if
  // the file has a log that is not empty.
  [[nodiscard]] Result<std::optional<Database>> beside() const;

  [[nodiscard]] Statement prepare(std::string_view sql) const;
  // Errors speak of the file `about`, which the statement writes.
  [[nodiscard]] Statement prepare(std::string_view sql, std::string_view about) const;
  // One or more statements without parameters.  Rows are ignored.
  [[nodiscard]] Status run(std::string_view sql) const;
  // The first column of the first row, which has to be there.
  [[nodiscard]] Result<std::int64_t> integer(std::string_view sql) const;
  [[nodiscard]] Result<std::string> text(std::string_view sql) const;

  // Bytes of the file as they lie on the disk, for whoever looks beside the tables.  Through the connection: on Unix a
  // process that opens and closes the file by other means loses all its locks on it.  Errors: kIo.
  [[nodiscard]] Result<std::vector<unsigned char>> read(std::size_t offset, std::size_t size) const;

  // Holds off readers of other threads, or the writer from one of them, as long as it lives.  Transactions and whatever
  // empties the log hold it by themselves.  A thread may hold it more than once.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> hold() const { return std::unique_lock(*gate_); }

  // Rows that statements of this connection insert, replace or delete, by table and rowid, from here on.
  using NotedRows = std::set<std::pair<std::string, std::int64_t>>;
  void note_changes() const;
  // What was noted.  Nothing is noted any more.
  [[nodiscard]] NotedRows take_noted() const;

  // Did the last statement fail because there was no room on the disk?
  [[nodiscard]] bool out_of_room() const;

  // Moves everything from the write-ahead log into the file and cuts the log to nothing.
  [[nodiscard]] Status empty_log() const;

  // Called before the file is read for the first time: takes the lock of a reader, if it is free, and looks whether
  // there is a log.  Nobody can leave one from then on.
  [[nodiscard]] LogBefore look_for_log() const;
  // Once the file is locked for writing and its log is open (log_syncs.h).
  void spare_log_syncs(LogBefore before);

 private:
  struct Close {
    std::shared_ptr<const void> cleaning;  // of the pages it writes (clean_pages.h); goes after the handle
    std::shared_ptr<const void> log;       // its syncs (log_syncs.h), as well
    void operator()(sqlite3* database) const;
  };
  Database(std::string name, sqlite3* handle);

  std::string name_;
  std::shared_ptr<const void> lock_;  // of a frozen file; released after the file is closed
  std::unique_ptr<sqlite3, Close> handle_;
  std::shared_ptr<StatementCache> statements_;  // goes before the handle
  std::shared_ptr<NotedRows> noted_;            // an address that stays when this object moves
  // One connection cannot show one thread the state before a transaction that another thread is in the middle of.  And
  // the log cannot be emptied while a statement reads.
  std::unique_ptr<std::recursive_mutex> gate_ = std::make_unique<std::recursive_mutex>();
};

// Every row of `select` of one database becomes the values of `insert` in the other, one row at a time.  `bounds` are
// bound to the select.
[[nodiscard]] Status copy_rows(const Database& from, std::string_view select, std::span<const std::int64_t> bounds,
                               const Database& to, std::string_view insert);

// Why this process cannot write the file, or a log beside it: "the file is read-only for this user".  Nothing if it
// can, and if there is no such file.
[[nodiscard]] std::optional<std::string> why_not_writable(const std::filesystem::path& path);

// From BEGIN IMMEDIATE to COMMIT, in one thread.  Rolls back when it goes out of scope without commit().
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(const Database& database);
  Transaction(Transaction&& other) noexcept
      : database_(std::exchange(other.database_, nullptr)), gate_(std::move(other.gate_)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  // After an error it is not known whether the disk has the transaction: see Workspace.
  [[nodiscard]] Status commit();
  // Rolls back now.
  void drop();

 private:
  Transaction(const Database& database, std::unique_lock<std::recursive_mutex> gate)
      : database_(&database), gate_(std::move(gate)) {}
  const Database* database_;
  std::unique_lock<std::recursive_mutex> gate_;
};

}  // namespace unscatter
