#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSmallFile = std::size_t{64} << 20;

Error file_error(const fs::path& path, std::string_view what) {
  return {ErrorCode::kIo, fmt::format("'{}' {}: {}", path.string(), what, std::strerror(errno))};
}

Status quoted(Status status, const fs::path& path) {
  if (status.ok()) return status;
  return in_quotes(std::move(status).error(), path);
}

// A device or a pipe: something to write into, not to replace.
bool is_stream(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  return fs::is_character_file(there) || fs::is_fifo(there) || fs::is_socket(there);
}

}  // namespace

Error in_quotes(Error error, const fs::path& path) {
  const std::string plain = path.string() + ": ";
  if (error.message.starts_with(plain)) error.message.replace(0, plain.size(), fmt::format("'{}' ", path.string()));
  return error;
}

Result<std::string> read_small_file(const fs::path& path) {
  Result<std::string> text = read_file(path, kSmallFile);
  if (text.ok()) return text;
  switch (text.error().code) {
    case ErrorCode::kNotFound: return Error{ErrorCode::kNotFound, fmt::format("there is no file '{}'", path.string())};
    case ErrorCode::kLimitExceeded:
      return Error{ErrorCode::kLimitExceeded, fmt::format("'{}' is larger than 64 MiB", path.string())};
    default: return in_quotes(std::move(text).error(), path);
  }
}

Status check_free(const fs::path& path, bool force, std::string_view hint) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' is a folder; name a file", path.string())};
  }
  // symlink_status() sees a link itself: a link that leads nowhere is something that is there.
  if (force || is_stream(path) || !fs::exists(fs::symlink_status(path, ignored))) return ok_status();
  return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists; {}", path.string(), hint)};
}

Status replace_file(const fs::path& path, std::string_view content, mode_t mode) {
  return quoted(unscatter::replace_file(path, content, mode), path);
}

Result<OutputFile> OutputFile::open(const fs::path& path, std::size_t room) {
  if (is_stream(path)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return file_error(path, "cannot be written");
    return OutputFile(path, descriptor, std::nullopt);
  }
  auto file = ReplacingFile::create(path, 0644);
  if (!file.ok()) return in_quotes(std::move(file).error(), path);
  UNSCATTER_CHECK_OK(quoted(file->reserve(room), path));
  return OutputFile(path, -1, *std::move(file));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), device_(std::exchange(other.device_, -1)), file_(std::move(other.file_)) {}

OutputFile::~OutputFile() {
  if (device_ >= 0) ::close(device_);
}

Status OutputFile::write(std::string_view content) {
  if (!file_) return quoted(write_fully(device_, path_, content), path_);
  UNSCATTER_CHECK_OK(quoted(file_->write(content), path_));
  return quoted(file_->commit(), path_);
}

Status rename_durably(const fs::path& from, const fs::path& to) {
  return quoted(unscatter::rename_durably(from, to), to);
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
  UNSCATTER_CHECK_OK(quoted(write_fully(descriptor_, path_, lines), path_));
  // EINVAL: pipes and terminals cannot be made durable.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) return file_error(path_, "cannot be made durable");
  return ok_status();
}

}  // namespace unscatter::cli
