#include "store/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "store/clean_pages.h"
#include "store/statement_cache.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

ErrorCode code_for(int sqlite_code) {
  // The low byte is the kind of error.  The rest of an extended code says where it happened.
  switch (sqlite_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR:
      return ErrorCode::kMalformedInput;  // the statements are ours: what they meet in the file is wrong
    default: return ErrorCode::kIo;
  }
}

// A quota and a limit on the size of files are met like a full disk, and what helps is the same.  Of writes only: where
// making durable fails, all of it may be on the disk.
bool is_no_room(int code, int reason) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  return code == SQLITE_IOERR_WRITE && (reason == EDQUOT || reason == EFBIG);
}

// The system's reason for an error of reading or writing.  SQLite forgets it while it rolls back, but the file that
// failed remembers: the log or the file itself.
int system_reason(sqlite3* database, int code) {
  if (database == nullptr) return 0;
  int reason = sqlite3_system_errno(database);
  if (reason != 0 || (code & 0xff) != SQLITE_IOERR) return reason;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(database, "main", which, static_cast<void*>(&file)) != SQLITE_OK) continue;
    if (file == nullptr || file->pMethods == nullptr) continue;
    const int asked = file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &reason);
    if (asked == SQLITE_OK && reason != 0) return reason;
  }
  return 0;
}

// What a file system without locks answers.  One that answers "try again", as some do, looks like a file in use.
bool is_lock_failure(int code) {
  switch (code) {
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_UNLOCK:
    case SQLITE_IOERR_CHECKRESERVEDLOCK: return true;
    default: return (code & 0xff) == SQLITE_PROTOCOL;
  }
}

std::string lock_words(std::string_view name, std::string_view system) {
  return fmt::format(
      "{} cannot be locked{}: its file system gives no locks, as some network file systems do; move it "
      "to a local disk",
      name, system);
}

std::string no_room_words(std::string_view name) {
  return fmt::format("{} cannot be written: there is no room left on its disk; make room and try again", name);
}

// Not SQLite's own words: they speak of databases and of its insides, and nobody asked for a database.
std::string reason_words(sqlite3* database, std::string_view name, int code) {
  const int reason = system_reason(database, code);
  const std::string system = reason == 0 ? "" : ": " + std::generic_category().message(reason);
  if (is_no_room(code, reason)) return no_room_words(name);
  if (is_lock_failure(code)) return lock_words(name, system);
  switch (code & 0xff) {
    case SQLITE_NOTADB: return fmt::format("{} is not a workspace", name);
    case SQLITE_CORRUPT: return fmt::format("{} is damaged; go back to a copy of it", name);
    case SQLITE_READONLY: return fmt::format("{} cannot be written: the file or its folder is read-only", name);
    case SQLITE_CANTOPEN: return fmt::format("{} cannot be opened{}", name, system);
    case SQLITE_IOERR: return fmt::format("{} cannot be read or written{}", name, system);
    case SQLITE_PERM:
    case SQLITE_AUTH: return fmt::format("{} cannot be opened: no permission", name);
    case SQLITE_TOOBIG: return fmt::format("{}: a value is too large for a workspace", name);
    default: return fmt::format("{} is not as a workspace is written; it may be damaged", name);
  }
}

Error make_error(sqlite3* database, std::string_view name, int code) {
  // As everywhere in the library, memory that runs out is an exception.
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  invariant((code & 0xff) != SQLITE_MISUSE, "SQLite was used in a wrong way");
  const ErrorCode kind = code_for(code);
  if (kind == ErrorCode::kUnavailable) {
    return {kind, fmt::format("{} is in use by another process; wait for it to end, or wait longer for it", name)};
  }
  return {kind, reason_words(database, name, code)};
}

// SQLite itself calls none of this an error.  It would give 0 for a text, and a text for a number.
Error not_as_written(std::string_view name) {
  return {ErrorCode::kMalformedInput, fmt::format("{} is damaged: a value is missing or of another type", name)};
}

}  // namespace

void Statement::GiveBack::operator()(sqlite3_stmt* statement) const { cache->give_back(statement); }

Statement::Statement(sqlite3* database, StatementCache& cache, std::string_view name, std::string_view sql)
    : database_(database), name_(name), statement_(cache.take(sql), GiveBack{&cache}) {
  if (statement_) return;
  sqlite3_stmt* statement = nullptr;
  // A failure is kept until step(), so that calls of bind() can be chained without a check of each.
  failed_ = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
}

Error Statement::error(int code) const { return make_error(database_, name_, code); }

Statement& Statement::bind(int index, std::int64_t value) {
  if (failed_ == SQLITE_OK) failed_ = sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  if (failed_ == SQLITE_OK) {
    // SQLITE_STATIC, here and below: SQLite makes no copy.  A copy would be one more place with somebody's data in
    // memory.
    failed_ = sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  return *this;
}

Statement& Statement::bind(int index, std::span<const std::byte> blob) {
  // A null pointer would bind NULL, and NULL means that a graph was removed.  An empty blob means that it has no id.
  const void* data = blob.empty() ? "" : static_cast<const void*>(blob.data());
  if (failed_ == SQLITE_OK) failed_ = sqlite3_bind_blob64(statement_.get(), index, data, blob.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int index) {
  if (failed_ == SQLITE_OK) failed_ = sqlite3_bind_null(statement_.get(), index);
  return *this;
}

Result<bool> Statement::step() {
  if (failed_ != SQLITE_OK) return error(failed_);
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error(code);
}

Status Statement::run() {
  for (;;) {
    UNSCATTER_TRY(row, step());
    if (!row) break;
  }
  sqlite3_reset(statement_.get());
  return ok_status();
}

Result<std::int64_t> Statement::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) return not_as_written(name_);
  return sqlite3_column_int64(statement_.get(), column);
}

Result<std::string> Statement::text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) return not_as_written(name_);
  // In this order: asking for the text may convert it, and the size is that of the converted text.
  const unsigned char* data = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr) throw std::bad_alloc();
  return std::string(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
}

Result<std::span<const std::byte>> Statement::blob_view(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_BLOB) return not_as_written(name_);
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  // An empty blob has a null pointer too.
  if (data == nullptr && size > 0) throw std::bad_alloc();
  return std::span(data, static_cast<std::size_t>(size));
}

Result<std::vector<std::byte>> Statement::blob(int column) const {
  UNSCATTER_TRY(view, blob_view(column));
  return std::vector<std::byte>(view.begin(), view.end());
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

// close_v2 also takes a database with statements that are not finalised yet.  The order in which objects are destroyed
// then does not matter.
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

namespace {

// The bytes that SQLite locks to read (SQLite source, os.h: SHARED_FIRST and SHARED_SIZE).  Who writes locks them all.
constexpr off_t kSharedFirst = 0x40000002;
constexpr off_t kSharedSize = 510;

// A frozen file is read without SQLite's own locks.  This is the lock of a reader all the same: another process with
// more rights may want to write.  It belongs to the open file and not to the process, so closing other descriptors does
// not lose it.
Result<std::shared_ptr<const void>> lock_to_read(const std::filesystem::path& path, std::chrono::milliseconds wait) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return Error{ErrorCode::kIo,
                 fmt::format("{} cannot be opened: {}", path.string(), std::generic_category().message(errno))};
  }
  const std::shared_ptr<const void> file(nullptr, [descriptor](const void*) { ::close(descriptor); });
  const auto give_up = std::chrono::steady_clock::now() + wait;
  for (;;) {
    struct flock lock = {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = kSharedFirst;
    lock.l_len = kSharedSize;
    if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) return file;
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
      return Error{ErrorCode::kIo, lock_words(path.string(), ": " + std::generic_category().message(errno))};
    }
    if (std::chrono::steady_clock::now() >= give_up) return make_error(nullptr, path.string(), SQLITE_BUSY);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// As SQLite reads addresses.
std::string frozen_address(const std::filesystem::path& path) {
  std::string address = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_') {
      address += c;
    } else {
      address += fmt::format("%{:02x}", byte);
    }
  }
  return address + "?immutable=1";
}

}  // namespace

std::optional<std::string> why_not_writable(const std::filesystem::path& path) {
  const auto reason = [](std::string_view what) {
    return errno == EROFS ? std::string("it lies on a read-only file system")
                          : fmt::format("{} is read-only for this user", what);
  };
  const auto may = [](const std::filesystem::path& what, int mode) {
    return ::faccessat(AT_FDCWD, what.c_str(), mode, AT_EACCESS) == 0;
  };
  if (!may(path, F_OK)) return std::nullopt;
  if (!may(path, W_OK)) return reason("the file");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!may(folder, W_OK | X_OK)) return reason("its folder, where a log has to lie,");
  return std::nullopt;
}

Result<Database> Database::open(const std::filesystem::path& path, Mode mode, std::chrono::milliseconds wait) {
  // SQLite would only say that it cannot open the file.
  std::error_code ignored;
  if (mode != Mode::kCreate && !std::filesystem::exists(path, ignored)) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no workspace '{}'", path.string())};
  }
  sqlite3* handle = nullptr;
  std::shared_ptr<const void> lock;
  if (mode == Mode::kFrozen) {
    UNSCATTER_TRY(locked, lock_to_read(path, wait));
    lock = std::move(locked);
  }
  const bool frozen = mode == Mode::kFrozen || mode == Mode::kBeside;
  const int flags = frozen ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                           : SQLITE_OPEN_READWRITE | (mode == Mode::kCreate ? SQLITE_OPEN_CREATE : 0);
  const std::string name = frozen ? frozen_address(path) : path.string();
  // Two threads may use it at the same time: see hold().
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
  // Before the code is looked at: a failed opening gives a handle too, and it has to be closed.
  Database database(path.string(), handle);
  database.lock_ = std::move(lock);
  if (code != SQLITE_OK) return make_error(handle, path.string(), code);
  sqlite3_extended_result_codes(handle, 1);
  if (!frozen) {
    database.handle_.get_deleter().cleaning = clear_written_pages(handle);
    if (!database.handle_.get_deleter().cleaning) return make_error(handle, path.string(), SQLITE_CANTOPEN);
  }
  // SQLite takes an int, and a negative one would mean not to wait at all.
  constexpr std::int64_t kLongest = std::numeric_limits<int>::max();
  sqlite3_busy_timeout(handle, static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, kLongest)));
  return database;
}

Result<std::optional<Database>> Database::beside() const {
  std::error_code none;
  const std::uintmax_t log = std::filesystem::file_size(name_ + "-wal", none);
  if (!none && log > 0) return std::optional<Database>();
  sqlite3* handle = nullptr;
  // SQLite closes the file of this connection only after the locks of the other one are gone: a process loses all its
  // locks on a file when it closes any descriptor of it.
  const int code = sqlite3_open_v2(frozen_address(name_).c_str(), &handle,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(name_, handle);
  if (code != SQLITE_OK) return make_error(handle, name_, code);
  sqlite3_extended_result_codes(handle, 1);
  UNSCATTER_CHECK_OK(database.run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"));
  return std::optional(std::move(database));
}

Database::Database(std::string name, sqlite3* handle)
    : name_(std::move(name)),
      handle_(handle, Close{}),
      statements_(std::make_shared<StatementCache>()),
      noted_(std::make_shared<NotedRows>()) {}

Statement Database::prepare(std::string_view sql) const { return prepare(sql, name_); }

Statement Database::prepare(std::string_view sql, std::string_view about) const {
  return {handle_.get(), *statements_, about, sql};
}

Result<std::vector<unsigned char>> Database::read(std::size_t offset, std::size_t size) const {
  sqlite3_file* file = nullptr;
  int code = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return make_error(handle_.get(), name_, code);
  std::vector<unsigned char> bytes(size);
  code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(size), static_cast<sqlite3_int64>(offset));
  if (code == SQLITE_OK) return bytes;
  // The file is shorter, or the disk gives it no more.
  return Error{ErrorCode::kIo, fmt::format("{}: cannot be read at byte {}", name_, offset)};
}

Status Database::run(std::string_view sql) const {
  const int code = sqlite3_exec(handle_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return make_error(handle_.get(), name_, code);
  return ok_status();
}

// Statements run to their end.  A statement that writes, such as a change of the journal mode, commits there and may
// fail there.
Result<std::int64_t> Database::integer(std::string_view sql) const {
  Statement statement = prepare(sql);
  UNSCATTER_TRY(row, statement.step());
  if (!row) return not_as_written(name_);
  UNSCATTER_TRY(value, statement.integer(0));
  UNSCATTER_CHECK_OK(statement.run());
  return value;
}

Result<std::string> Database::text(std::string_view sql) const {
  Statement statement = prepare(sql);
  UNSCATTER_TRY(row, statement.step());
  if (!row) return not_as_written(name_);
  UNSCATTER_TRY(value, statement.text(0));
  UNSCATTER_CHECK_OK(statement.run());
  return value;
}

namespace {

// Deletions by REPLACE are not told, but the row that takes the place is.
void note_row(void* noted, int, const char*, const char* table, sqlite3_int64 row) {
  static_cast<Database::NotedRows*>(noted)->emplace(table, row);
}

}  // namespace

void Database::note_changes() const {
  noted_->clear();
  sqlite3_update_hook(handle_.get(), note_row, noted_.get());
}

Database::NotedRows Database::take_noted() const {
  sqlite3_update_hook(handle_.get(), nullptr, nullptr);
  return std::exchange(*noted_, {});
}

bool Database::out_of_room() const {
  const int code = sqlite3_extended_errcode(handle_.get());
  return is_no_room(code, system_reason(handle_.get(), code));
}

Status Database::empty_log() const {
  const auto gate = hold();
  int frames = 0;
  const int code = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, &frames, nullptr);
  if (code != SQLITE_OK) return make_error(handle_.get(), name_, code);
  // With frames left, the file may still have old pages.
  if (frames > 0) return Error{ErrorCode::kIo, fmt::format("{}: the write-ahead log could not be emptied", name_)};
  return ok_status();
}

LogBefore Database::look_for_log() const {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == nullptr ||
      file->pMethods == nullptr || file->pMethods->xLock(file, SQLITE_LOCK_SHARED) != SQLITE_OK) {
    return LogBefore::kUnknown;
  }
  // The lock stays: SQLite takes it again with its first statement, and gives it back at the end.  Readers make a log
  // too, but they write nothing to it.
  std::error_code unknown;
  const bool there = std::filesystem::exists(name_ + "-wal", unknown);
  return there || unknown ? LogBefore::kUnknown : LogBefore::kNone;
}

void Database::spare_log_syncs(LogBefore before) {
  handle_.get_deleter().log = unscatter::spare_log_syncs(handle_.get(), before);
}

Status copy_rows(const Database& from, std::string_view select, std::span<const std::int64_t> bounds,
                 const Database& to, std::string_view insert) {
  Statement source = from.prepare(select);
  Statement target = to.prepare(insert);
  for (std::size_t i = 0; i < bounds.size(); ++i) source.bind(static_cast<int>(i) + 1, bounds[i]);
  for (;;) {
    UNSCATTER_TRY(more, source.step());
    if (!more) return ok_status();
    for (int column = 0; column < sqlite3_column_count(source.statement_.get()); ++column) {
      const int code = sqlite3_bind_value(target.statement_.get(), column + 1,
                                          sqlite3_column_value(source.statement_.get(), column));
      if (code != SQLITE_OK) return target.error(code);
    }
    UNSCATTER_CHECK_OK(target.run());
  }
}

Result<Transaction> Transaction::begin(const Database& database) {
  // IMMEDIATE: the lock for writing is taken now.  Another process shows up here, and not between two writes.
  auto gate = database.hold();
  UNSCATTER_CHECK_OK(database.run("BEGIN IMMEDIATE"));
  return Transaction(database, std::move(gate));
}

Transaction::~Transaction() { drop(); }

void Transaction::drop() {
  // After some errors SQLite rolls back by itself.  Then there is nothing to do and nothing to report.
  if (database_ != nullptr) static_cast<void>(database_->run("ROLLBACK"));
  database_ = nullptr;
  if (gate_.owns_lock()) gate_.unlock();
}

Status Transaction::commit() {
  // If this fails, the destructor still rolls back whatever SQLite left open.
  UNSCATTER_CHECK_OK(database_->run("COMMIT"));
  database_ = nullptr;
  gate_.unlock();
  return ok_status();
}

}  // namespace unscatter
