#include "store/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "store/check.h"
#include "store/clean_pages.h"
#include "store/schema.h"
#include "store/workspace_state.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

Error copy_error(const fs::path& path, std::string_view what) {
  return {ErrorCode::kIo, fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno))};
}

// The files that SQLite may leave beside one that was being written.
constexpr const char* kSideFiles[] = {"-wal", "-shm", "-journal"};

// Zeros over all of it: what it holds may have been removed from the workspace since.
Status overwrite_copy(int descriptor, const fs::path& path) {
  struct stat found = {};
  if (::fstat(descriptor, &found) != 0) return copy_error(path, "cannot be read");
  if (found.st_size == 0) return ok_status();
  const std::string zeros(std::size_t{1} << 16, '\0');
  if (::lseek(descriptor, 0, SEEK_SET) < 0) return copy_error(path, "cannot be written");
  for (auto left = static_cast<std::size_t>(found.st_size); left > 0;) {
    const std::size_t piece = std::min(left, zeros.size());
    UNSCATTER_CHECK_OK(write_fully(descriptor, path, std::string_view(zeros).substr(0, piece)));
    left -= piece;
  }
  if (::fdatasync(descriptor) != 0) return copy_error(path, "cannot be made durable");
  if (::ftruncate(descriptor, 0) != 0) return copy_error(path, "cannot be cut");
  return ok_status();
}

// The file that a copy is written to, locked, empty and for its owner only.  It goes away unless it is given its name.
class UnfinishedCopy {
 public:
  static Result<UnfinishedCopy> create(const fs::path& to) {
    fs::path path = unfinished_copy(to);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return copy_error(path, "cannot be created");
    UnfinishedCopy copy(std::move(path), descriptor);
    // Two processes that write one copy would mix their pages.  A process that was killed has left no lock.
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      copy.path_.clear();  // it is the other one's
      if (errno == EWOULDBLOCK) {
        return Error{ErrorCode::kUnavailable,
                     fmt::format("{} is being written by another process; wait for it to end", to.string())};
      }
      return copy_error(to, "cannot be locked");
    }
    if (!copy.is_at_its_name()) {
      copy.path_.clear();
      return Error{ErrorCode::kUnavailable, fmt::format("{} was just written by another process", to.string())};
    }
    // What a process that was killed has left.
    UNSCATTER_CHECK_OK(overwrite_copy(descriptor, copy.path_));
    copy.remove_side_files();
    if (::fchmod(descriptor, S_IRUSR | S_IWUSR) != 0) return copy_error(copy.path_, "cannot be written");
    return copy;
  }
  UnfinishedCopy(UnfinishedCopy&& other) noexcept
      : path_(std::exchange(other.path_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}
  UnfinishedCopy& operator=(UnfinishedCopy&&) = delete;
  ~UnfinishedCopy() {
    if (!path_.empty()) {
      static_cast<void>(overwrite_copy(descriptor_, path_));
      ::unlink(path_.c_str());
      remove_side_files();
    }
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

  // SQLite writes it by a connection of its own, whose pages nobody clears.
  [[nodiscard]] Status clear_pages() const { return clear_pages_of_file(descriptor_, path_); }

  // Durable when it returns: content first, then the name.
  Status give_name(const fs::path& to) {
    if (::fsync(descriptor_) != 0) return copy_error(path_, "cannot be made durable");
    Status named = rename_durably(path_, to);
    std::error_code ignored;
    if (!fs::exists(path_, ignored)) path_.clear();
    return named;
  }

 private:
  UnfinishedCopy(fs::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  // Between opening and locking, the process that held it may have given it its name.
  [[nodiscard]] bool is_at_its_name() const {
    struct stat here = {};
    struct stat there = {};
    return ::fstat(descriptor_, &here) == 0 && ::lstat(path_.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
  }

  void remove_side_files() const {
    std::error_code ignored;
    for (const char* suffix : kSideFiles) fs::remove(fs::path(path_.string() + suffix), ignored);
  }

  fs::path path_;  // empty: it is no longer ours to remove
  int descriptor_;
};

// Only a workspace that nobody uses is replaced.  An old copy that somebody works on must not be pulled away, and
// whoever mistypes a name should not lose a key or a data set.
Status check_replaceable(const fs::path& to, std::chrono::milliseconds wait) {
  std::error_code ignored;
  const bool regular = fs::symlink_status(to, ignored).type() == fs::file_type::regular;
  // Opened alone, so its log is written back and its side files are gone when it is closed.
  const Result<Database> old =
      regular ? open_database(to, wait) : Result<Database>(Error{ErrorCode::kMalformedInput, "it is no file"});
  if (old.ok()) return ok_status();
  if (old.error().code != ErrorCode::kMalformedInput) return old.error();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' is not a workspace, or is damaged, and only a workspace is replaced by a copy of one; "
                           "choose another name, or remove it first",
                           to.string())};
}

Status check_copy_target(const fs::path& from, const fs::path& to, const BackupOptions& options,
                         std::chrono::milliseconds wait) {
  std::error_code ignored;
  if (fs::symlink_status(to, ignored).type() == fs::file_type::not_found) return ok_status();
  if (fs::equivalent(from, to, ignored)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is the workspace itself", to.string())};
  }
  if (!options.replace) return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists already", to.string())};
  return check_replaceable(to, wait);
}

// SQLite would take the log of the old file for that of the new one.
Status clear_target(const fs::path& to, std::chrono::milliseconds wait) {
  std::error_code ignored;
  if (!fs::exists(to, ignored)) return ok_status();
  UNSCATTER_CHECK_OK(check_replaceable(to, wait));
  for (const char* suffix : kSideFiles) {
    std::error_code failed;
    fs::remove(fs::path(to.string() + suffix), failed);
    if (failed) {
      return Error{ErrorCode::kIo, fmt::format("{}{} cannot be removed: {}", to.string(), suffix, failed.message())};
    }
  }
  return ok_status();
}

// Not page by page: unused pages, and what lies between rows, would be copied too.
Status copy_rows(const Database& database, const fs::path& from, const fs::path& to) {
  // SQLite copies nothing while a statement of this connection reads.
  const auto gate = database.hold();
  UNSCATTER_TRY(query_only, database.integer("PRAGMA query_only"));
  // A reader may write nothing, and the copy is something.  The source is only read.
  UNSCATTER_CHECK_OK(database.run("PRAGMA query_only = OFF"));
  // From the root on: a name that begins with "file:" would be read as an address.
  const std::string name = fs::absolute(to).string();
  Status copied = database.prepare("VACUUM INTO ?1", to.string()).bind(1, std::string_view(name)).run();
  UNSCATTER_CHECK_OK(database.run(query_only != 0 ? "PRAGMA query_only = ON" : "PRAGMA query_only = OFF"));
  if (copied.ok() || copied.error().code != ErrorCode::kMalformedInput) return copied;
  return Error{ErrorCode::kMalformedInput,
               fmt::format("{} is damaged: not all of it can be read, so nothing was copied", from.string())};
}

// A copy keeps no log until it is told to.
Status keep_log(const fs::path& copy) {
  UNSCATTER_TRY(database, Database::open(copy, Database::Mode::kExisting, std::chrono::milliseconds(0)));
  UNSCATTER_CHECK_OK(database.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"));
  UNSCATTER_TRY(mode, database.text("PRAGMA journal_mode = WAL"));
  if (mode == "wal") return database.empty_log();
  return Error{ErrorCode::kIo, fmt::format("{}: this file system takes no write-ahead log", copy.string())};
}

}  // namespace

fs::path unfinished_copy(const fs::path& to) { return fs::path(to) += ".unfinished"; }

Result<Backup> copy_database(const Database& database, const fs::path& from, const fs::path& to,
                             const BackupOptions& options, const Digest& head, std::chrono::milliseconds wait) {
  UNSCATTER_CHECK_OK(check_copy_target(from, to, options, wait));
  UNSCATTER_TRY(copy, UnfinishedCopy::create(to));
  UNSCATTER_CHECK_OK(copy_rows(database, from, copy.path()));
  UNSCATTER_CHECK_OK(copy.clear_pages());
  UNSCATTER_CHECK_OK(keep_log(copy.path()));
  Backup backup;
  {
    // A copy that was never read is none.
    UNSCATTER_TRY(written, open_database(copy.path(), std::chrono::milliseconds(0)));
    const CheckedFile checked = check_database(WorkspaceTables(written), copy.path(), {});
    UNSCATTER_CHECK_OK(require_sound(checked.verification, from));
    const ChainEnd& chain = checked.contents.chain;
    if (chain.head != head) {
      return Error{ErrorCode::kMalformedInput, fmt::format("{}: the copy has another ledger", from.string())};
    }
    backup.entries = chain.entries;
    backup.head = chain.head;
    backup.time = chain.last.time;
  }
  std::error_code failed;
  backup.bytes = fs::file_size(copy.path(), failed);
  if (failed) return Error{ErrorCode::kIo, fmt::format("{}: cannot be read", copy.path().string())};
  if (options.replace) UNSCATTER_CHECK_OK(clear_target(to, wait));
  // Copying takes a while.
  if (!options.replace) UNSCATTER_CHECK_OK(check_copy_target(from, to, options, wait));
  UNSCATTER_CHECK_OK(copy.give_name(to));
  return backup;
}

Result<Backup> Workspace::backup(const fs::path& to, const BackupOptions& options) const {
  const State& state = *state_;
  // What memory says of the head may be older than the file.
  if (state.uncertain) return state.require_writable().error();
  // An older copy may hold what was removed since.
  if (state.outdated) return *state.outdated;
  if (state.files.sharded()) return state.copy_folder(to, options);
  return copy_database(state.database, state.path, to, options, state.contents.chain.head, state.options.wait);
}

}  // namespace unscatter
