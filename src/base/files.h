// Files that are written as a whole or not at all and survive a power cut.  Also small files that are read as a whole.
//
// An error names the file, what could not be done and the system's reason: "model.json: cannot be replaced: Is a
// directory".  Modes are permission bits as chmod takes them, for instance 0600.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

// The mode of a file that anybody may use, as far as the umask allows.
inline constexpr unsigned kUsualMode = 0666;
// The mode of a file that is for its owner only.
inline constexpr unsigned kOwnerMode = 0600;

// Reads a file to its end.  It may be a pipe.  Errors: kNotFound; kLimitExceeded beyond `limit` bytes; kIo.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);
// Reads a regular file that only its owner may use.  No copy of the content stays in memory beside the returned text,
// which the caller wipes.  Errors: as above; kInvalidArgument if it is another kind of file or open to others.
[[nodiscard]] Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t limit);

// Writes a new file with exactly this mode, whatever the umask is.  Errors: kInvalidArgument if there is one already;
// kIo, and then there is no file.
[[nodiscard]] Status write_new_file(const std::filesystem::path& path, std::string_view content, unsigned mode);
// Makes `folder` and the folders above it where they are missing, with mode 0700.  Errors: kIo.
[[nodiscard]] Status make_private_folders(const std::filesystem::path& folder);

// Replaces the file at `path`, as a whole or not at all.  Errors: kIo.
[[nodiscard]] Status replace_file(const std::filesystem::path& path, std::string_view content,
                                  unsigned mode = kUsualMode);
// Gives the file `from` the name `to`.  A file that was there is replaced.  Errors: kIo.
[[nodiscard]] Status rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// The name of a file or folder that was just made survives a power cut from here on.  Errors: kIo.
[[nodiscard]] Status keep_name(const std::filesystem::path& path);

// Writes all of `bytes` to an open file.  `path` is its name in messages.  Errors: kIo.
[[nodiscard]] Status write_fully(int descriptor, const std::filesystem::path& path, std::string_view bytes);

// replace_file() for content that comes piece by piece.  It is written beside `path`.  The old content stays until
// commit(), and for good if the object is destroyed before that.
class ReplacingFile {
 public:
  // Errors: kIo.
  [[nodiscard]] static Result<ReplacingFile> create(std::filesystem::path path, unsigned mode = kUsualMode);
  ReplacingFile(ReplacingFile&& other) noexcept;
  ReplacingFile& operator=(ReplacingFile&&) = delete;
  ~ReplacingFile();

  // Takes room on the disk for so many bytes, where the file system can.  Errors: kIo if there is no room.
  [[nodiscard]] Status reserve(std::size_t bytes);
  // Small pieces are collected, so an error may show up later.
  [[nodiscard]] Status write(std::string_view bytes);
  // In the place of the first bytes, of which at least so many were written: for a head that counts what came after it.
  [[nodiscard]] Status overwrite_start(std::string_view bytes);
  // The last call.
  [[nodiscard]] Status commit();

 private:
  ReplacingFile(std::filesystem::path path, std::string temporary, int descriptor);
  [[nodiscard]] Status flush();

  std::filesystem::path path_;
  std::string temporary_;  // empty: nothing to remove
  int descriptor_;
  std::string collected_;
  std::size_t written_ = 0;
  bool reserved_ = false;
};

}  // namespace unscatter
