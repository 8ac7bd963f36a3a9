#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kSmallFile = std::uintmax_t{64} << 20;

Error file_error(const fs::path& path, std::string_view what) {
  return {ErrorCode::kIo, fmt::format("'{}' {}: {}", path.string(), what, std::strerror(errno))};
}

Status write_all(int descriptor, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return file_error(path, "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ok_status();
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

Result<std::string> read_small_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no file '{}'", path.string())};
  }
  if (error) return Error{ErrorCode::kIo, fmt::format("'{}' cannot be read: {}", path.string(), error.message())};
  if (size > kSmallFile) return Error{ErrorCode::kLimitExceeded, fmt::format("'{}' is larger than 64 MiB", path.string())};
  std::ifstream input(path, std::ios::binary);
  std::ostringstream text;
  if (size > 0) text << input.rdbuf();
  if (!input) return file_error(path, "cannot be read");
  return std::move(text).str();
}

Status check_free(const fs::path& path, bool force, std::string_view hint) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is a folder; name a file", path.string())};
  }
  if (force || !fs::exists(fs::symlink_status(path, ignored))) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists; {}", path.string(), hint)};
}

Status replace_file(const fs::path& path, std::string_view content, mode_t mode) {
  const fs::path temporary = folder_of(path) / fmt::format(".{}.{}.new", path.filename().string(), ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor < 0) return file_error(path, "cannot be written");
  Status status = write_all(descriptor, path, content);
  if (status.ok() && ::fsync(descriptor) != 0) status = file_error(path, "cannot be written");
  ::close(descriptor);
  if (status.ok()) status = rename_durably(temporary, path);
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

Status rename_durably(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return file_error(to, "cannot be replaced");
  const int folder = ::open(folder_of(to).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return file_error(to, "is there, but its folder cannot be made durable");
  const int synced = ::fsync(folder);
  ::close(folder);
  if (synced != 0) return file_error(to, "is there, but its folder cannot be made durable");
  return ok_status();
}

Result<LineFile> LineFile::open(const fs::path& path, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode);
  if (descriptor < 0) return file_error(path, "cannot be written");
  return LineFile(path, descriptor);
}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status LineFile::append(std::string_view lines) {
  UNSCATTER_CHECK_OK(write_all(descriptor_, path_, lines));
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) return file_error(path_, "cannot be made durable");
  return ok_status();
}

}  // namespace unscatter::cli
