// Small files as a whole, read with a limit and written so that they survive a power cut.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

// Any file that can be read to its end, pipes too.  Errors: kNotFound; kLimitExceeded beyond `limit` bytes; kIo.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);
// A regular file that nobody but its owner may use in any way.  No copy of its content stays in memory beside the text that is
// returned, which the caller wipes.  Errors: as above; kInvalidArgument if it is another kind of file or open to others.
[[nodiscard]] Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t limit);

// A new file, with exactly this mode.  Folders that are missing are made with mode 0700.  Errors: kInvalidArgument if there is
// one already; kIo, and then there is none.
[[nodiscard]] Status write_new_file(const std::filesystem::path& path, std::string_view content, mode_t mode);
// Takes the place of what was there, as a whole or not at all.  Errors: kIo.
[[nodiscard]] Status replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace unscatter
