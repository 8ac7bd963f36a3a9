// Files that commands write beside the workspace.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "unscatter/base/result.h"

namespace unscatter::cli {

// Errors: kNotFound, kIo, kLimitExceeded beyond 64 MiB.
[[nodiscard]] Result<std::string> read_small_file(const std::filesystem::path& path);

// kInvalidArgument if there is a folder at `path`, or if a file is there and `force` is not set.  `hint` says what to
// do about it.  A device or a pipe takes what is written and is not replaced.
[[nodiscard]] Status check_free(const std::filesystem::path& path, bool force, std::string_view hint);

// Replaces the content of `path`.  Whatever happens, `path` holds the old content or the new one.  Durable when it
// returns.  Errors: kIo.
[[nodiscard]] Status replace_file(const std::filesystem::path& path, std::string_view content, mode_t mode = 0644);

// A file that is written after something was done that cannot be undone.  Whatever can go wrong with it should go wrong
// before: open() needs the folder and room on the disk, and the content follows later.
class OutputFile {
 public:
  // `room` bytes will be enough, as far as one can tell.  A device or a pipe is opened as it is.  Errors: kIo.
  [[nodiscard]] static Result<OutputFile> open(const std::filesystem::path& path, std::size_t room);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // The last call.  As replace_file().  A file that was not written is as it was.
  [[nodiscard]] Status write(std::string_view content);

 private:
  OutputFile(std::filesystem::path path, int device, std::optional<ReplacingFile> file)
      : path_(std::move(path)), device_(device), file_(std::move(file)) {}

  std::filesystem::path path_;
  int device_ = -1;
  std::optional<ReplacingFile> file_;  // null: a device
};

// The library says "f: cannot be read: ...".  The program says "'f' cannot be read: ...".
[[nodiscard]] Error in_quotes(Error error, const std::filesystem::path& path);

// Gives the file `from` the name `to`, durably.
[[nodiscard]] Status rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// A text file that grows by whole lines.  Each line is durable when append() returns.
class LineFile {
 public:
  // Creates the file if there is none.  Errors: kIo.
  [[nodiscard]] static Result<LineFile> open(const std::filesystem::path& path, mode_t mode = 0644);
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&& other) noexcept;
  ~LineFile();

  // Every line in `lines` ends with a newline.
  [[nodiscard]] Status append(std::string_view lines);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  LineFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace unscatter::cli
