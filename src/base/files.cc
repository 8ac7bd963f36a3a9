#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/wipe.h"

namespace unscatter {
namespace {

// Enough for every key file in one piece, see read_private_file().
constexpr std::size_t kFirstBlock = 1024;
constexpr std::size_t kWriteBlock = std::size_t{1} << 20;  // pieces are collected to at most this
// Any permission for anybody but the owner.
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Error file_error(ErrorCode code, const std::filesystem::path& path, std::string_view what, int reason) {
  return {code, fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(reason))};
}
Error read_error(const std::filesystem::path& path, std::string_view what) {
  return file_error(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, path, what, errno);
}
// Always kIo.  While writing, a missing folder is one more reason why it did not work, and not a file that was not
// found.
Error write_error(const std::filesystem::path& path, std::string_view what, int reason = errno) {
  return file_error(ErrorCode::kIo, path, what, reason);
}

Error too_large(const std::filesystem::path& path, std::size_t limit) {
  return {ErrorCode::kLimitExceeded,
          fmt::format("{}: has more than {} bytes, the most that is read", path.string(), limit)};
}

// A regular file knows its size, so one that is larger than `limit` need not be read.
bool says_it_is_larger(int descriptor, std::size_t limit) {
  struct stat found = {};
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::uint64_t>(found.st_size) > limit;
}

// Reads into one piece of memory, which is doubled only when it is full.  Limit + 1 bytes are enough to see that a file
// is too large.  What was read is wiped before an error: the file may hold a key.
Result<std::string> read_to_end(int descriptor, const std::filesystem::path& path, std::size_t limit) {
  if (says_it_is_larger(descriptor, limit)) return too_large(path, limit);
  std::string text;
  std::size_t filled = 0;
  text.resize(std::min(limit + 1, kFirstBlock));
  for (;;) {
    const ssize_t count = ::read(descriptor, text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      wipe(text);
      return read_error(path, "cannot be read");
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit) {
      wipe(text);
      return too_large(path, limit);
    }
    if (filled == text.size()) text.resize(std::min(limit + 1, 2 * text.size()));
  }
  text.resize(filled);
  return text;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// A new name survives a power cut only if its folder was synchronised too.  The reason why that failed, or 0.
int failure_to_sync(const std::filesystem::path& folder) {
  const OpenFile file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0) return errno;
  // EINVAL: some file systems do not offer this call and have nothing better, for instance folders shared with a
  // virtual machine.
  return ::fsync(file.get()) != 0 && errno != EINVAL ? errno : 0;
}

Status sync_folder(const std::filesystem::path& folder) {
  const int failure = failure_to_sync(folder);
  if (failure != 0) return write_error(folder, "cannot be made durable", failure);
  return ok_status();
}

Status sync_file(int descriptor, const std::filesystem::path& path) {
  if (::fsync(descriptor) != 0) return write_error(path, "cannot be written");
  return ok_status();
}

Status fill_new_file(int descriptor, const std::filesystem::path& path, std::string_view content, mode_t mode) {
  // The umask has taken bits away from the mode that open() was given.  This sets exactly the mode that was asked for.
  if (::fchmod(descriptor, mode) != 0) return write_error(path, "cannot be written");
  UNSCATTER_CHECK_OK(write_fully(descriptor, path, content));
  UNSCATTER_CHECK_OK(sync_file(descriptor, path));
  return sync_folder(folder_of(path));
}

Status rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return write_error(to, "cannot be replaced");
  return ok_status();
}

// After a rename nothing can be undone any more, so the message says that the file is there.
Status sync_name(const std::filesystem::path& path) {
  const int failure = failure_to_sync(folder_of(path));
  if (failure != 0) return write_error(path, "is there, but its folder cannot be made durable", failure);
  return ok_status();
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return read_error(path, "cannot be opened");
  return read_to_end(file.get(), path, limit);
}

Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t limit) {
  // Without O_NONBLOCK, opening a pipe would wait until somebody writes to it.
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return read_error(path, "cannot be opened");
  struct stat found = {};
  // Asked of the open file and not of the path: between two looks at a path, another file could be put there.
  if (::fstat(file.get(), &found) != 0) return read_error(path, "cannot be read");
  if (!S_ISREG(found.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: not a regular file", path.string())};
  }
  if ((found.st_mode & kOthers) != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: its mode is {:04o}, so that others than its owner may use it; make it 0600",
                             path.string(), static_cast<std::uint32_t>(found.st_mode & 07777))};
  }
  // The first block holds all of a file that is small enough, and one byte more.  So the text is never moved, and no
  // copy of a key stays behind.
  return read_to_end(file.get(), path, std::min(limit, kFirstBlock - 1));
}

Status write_new_file(const std::filesystem::path& path, std::string_view content, unsigned mode) {
  // O_EXCL: the system itself refuses if the file exists, so nobody can put one there between a test and the call.
  const OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0 && errno == EEXIST) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: exists already and is not overwritten", path.string())};
  }
  if (file.get() < 0) return write_error(path, "cannot be created");
  Status written = fill_new_file(file.get(), path, content, mode);
  if (!written.ok()) ::unlink(path.c_str());
  return written;
}

Status make_private_folders(const std::filesystem::path& folder) {
  struct stat found = {};
  if (folder.empty() || ::stat(folder.c_str(), &found) == 0)
    return ok_status();  // a file of that name shows up later, when something is put into it
  const std::filesystem::path parent = folder_of(folder);
  if (parent != folder) UNSCATTER_CHECK_OK(make_private_folders(parent));
  // EEXIST is fine: for a path such as "a/" or "a/b/.." the call above has made the folder.
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return write_error(folder, "cannot be created");
  return sync_folder(parent);
}

Status keep_name(const std::filesystem::path& path) {
  return sync_folder(folder_of(path.has_filename() ? path : path.parent_path()));
}

Status replace_file(const std::filesystem::path& path, std::string_view content, unsigned mode) {
  UNSCATTER_TRY(file, ReplacingFile::create(path, mode));
  UNSCATTER_CHECK_OK(file.write(content));
  return file.commit();
}

Status rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  UNSCATTER_CHECK_OK(rename_file(from, to));
  return sync_name(to);
}

Status write_fully(int descriptor, const std::filesystem::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return write_error(path, "cannot be written");
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok_status();
}

Result<ReplacingFile> ReplacingFile::create(std::filesystem::path path, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  // Not mkstemp(): only the owner may read its files.  The temporary file lies in the same folder, because rename()
  // works within one file system only.  A name that is taken was left by a process that was killed and had the same
  // number, which happens in containers.  The next number is tried then.
  for (;;) {
    std::string temporary = fmt::format("{}.{}-{}.tmp", path.string(), ::getpid(), counter.fetch_add(1));
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) return ReplacingFile(std::move(path), std::move(temporary), descriptor);
    if (errno != EEXIST) return write_error(path, "cannot be created");
  }
}

ReplacingFile::ReplacingFile(std::filesystem::path path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

ReplacingFile::ReplacingFile(ReplacingFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      collected_(std::move(other.collected_)),
      written_(other.written_),
      reserved_(other.reserved_) {}

ReplacingFile::~ReplacingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status ReplacingFile::reserve(std::size_t bytes) {
  const int failure = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  // Other reasons are about file systems that cannot reserve.  Writing will tell.
  if (failure == ENOSPC || failure == EDQUOT || failure == EFBIG)
    return write_error(path_, "cannot be written", failure);
  reserved_ = true;
  return ok_status();
}

Status ReplacingFile::flush() {
  UNSCATTER_CHECK_OK(write_fully(descriptor_, path_, collected_));
  written_ += collected_.size();
  collected_.clear();
  return ok_status();
}

Status ReplacingFile::write(std::string_view bytes) {
  if (collected_.size() + bytes.size() < kWriteBlock) {
    collected_ += bytes;
    return ok_status();
  }
  UNSCATTER_CHECK_OK(flush());
  written_ += bytes.size();
  return write_fully(descriptor_, path_, bytes);
}

Status ReplacingFile::overwrite_start(std::string_view bytes) {
  UNSCATTER_CHECK_OK(flush());
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) return write_error(path_, "cannot be written");
  UNSCATTER_CHECK_OK(write_fully(descriptor_, path_, bytes));
  if (::lseek(descriptor_, 0, SEEK_END) < 0) return write_error(path_, "cannot be written");
  return ok_status();
}

Status ReplacingFile::commit() {
  UNSCATTER_CHECK_OK(flush());
  // The room that was not needed.
  if (reserved_ && ::ftruncate(descriptor_, static_cast<off_t>(written_)) != 0)
    return write_error(path_, "cannot be written");
  // Content before name.  In the other order a power cut could leave the new name with no content.
  UNSCATTER_CHECK_OK(sync_file(descriptor_, path_));
  UNSCATTER_CHECK_OK(rename_file(temporary_, path_));
  temporary_.clear();
  return sync_name(path_);
}

}  // namespace unscatter
