#include "store/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "unscatter/base/wipe.h"

namespace unscatter {
namespace {

constexpr std::size_t kFirstBlock = 1024;
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

Error system_error(const std::filesystem::path& path, std::string_view what) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return {code, fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno))};
}
// While writing, a folder that is missing is one more reason why it did not work.
Error write_error(const std::filesystem::path& path, std::string_view what) {
  Error error = system_error(path, what);
  error.code = ErrorCode::kIo;
  return error;
}

Error too_large(const std::filesystem::path& path, std::size_t limit) {
  return {ErrorCode::kLimitExceeded, fmt::format("{}: more than {} bytes", path.string(), limit)};
}

// A regular file that says it is larger than `limit` need not be read to find out.
bool says_it_is_larger(int descriptor, std::size_t limit) {
  struct stat found = {};
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) > limit;
}

// Room is asked for in one piece before anything is read into it, and doubled only when it is full.
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
      return system_error(path, "cannot be read");
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

Status write_all(int descriptor, const std::filesystem::path& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno != EINTR) return write_error(path, "cannot be written");
    if (count > 0) content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(descriptor) != 0) return write_error(path, "cannot be written");
  return ok_status();
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// A name is durable once its folder is.
Status sync_folder(const std::filesystem::path& folder) {
  const OpenFile file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0 || ::fsync(file.get()) != 0) return write_error(folder, "cannot be written");
  return ok_status();
}

Status make_private_folders(const std::filesystem::path& folder) {
  struct stat found = {};
  if (::stat(folder.c_str(), &found) == 0) return ok_status();  // if it is no folder, creating a file in it fails
  const std::filesystem::path parent = folder_of(folder);
  if (parent != folder) UNSCATTER_CHECK_OK(make_private_folders(parent));
  // A path such as "a/" or "a/b/.." may have come into being by now.
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return write_error(folder, "cannot be created");
  return sync_folder(parent);
}

Status fill_new_file(int descriptor, const std::filesystem::path& path, std::string_view content, mode_t mode) {
  if (::fchmod(descriptor, mode) != 0) return write_error(path, "cannot be written");
  UNSCATTER_CHECK_OK(write_all(descriptor, path, content));
  return sync_folder(folder_of(path));
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "cannot be opened");
  return read_to_end(file.get(), path, limit);
}

Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t limit) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write.
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(path, "cannot be opened");
  struct stat found = {};
  if (::fstat(file.get(), &found) != 0) return system_error(path, "cannot be read");
  if (!S_ISREG(found.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: not a regular file", path.string())};
  }
  if ((found.st_mode & kOthers) != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: its mode is {:04o}, so that others than its owner may use it; make it 0600", path.string(),
                             static_cast<std::uint32_t>(found.st_mode & 07777))};
  }
  // The first block holds all of a file that is small enough, and one byte more: the text is never moved.
  return read_to_end(file.get(), path, std::min(limit, kFirstBlock - 1));
}

Status write_new_file(const std::filesystem::path& path, std::string_view content, mode_t mode) {
  UNSCATTER_CHECK_OK(make_private_folders(folder_of(path)));
  const OpenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0 && errno == EEXIST) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: exists already and is not overwritten", path.string())};
  }
  if (file.get() < 0) return write_error(path, "cannot be created");
  Status written = fill_new_file(file.get(), path, content, mode);
  if (!written.ok()) ::unlink(path.c_str());
  return written;
}

Status replace_file(const std::filesystem::path& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path temporary = fmt::format("{}.{}-{}.tmp", path.string(), ::getpid(), counter.fetch_add(1));
  // Not mkstemp, whose files only the owner may read: the result gets the permissions of any new file.
  const OpenFile file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) return write_error(path, "cannot be created");
  Status written = write_all(file.get(), path, content);
  if (written.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) written = write_error(path, "cannot be replaced");
  if (!written.ok()) {
    ::unlink(temporary.c_str());
    return written;
  }
  return sync_folder(folder_of(path));
}

}  // namespace unscatter
