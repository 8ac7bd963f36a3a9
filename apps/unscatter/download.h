// One file over the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"

namespace unscatter::cli {

// Writes the content of `url` (https, http or file) to `path` and replaces what was there.  Follows redirects to https
// and http.  After an error, what was written so far stays at `path` for the caller to remove.  Errors: kNotFound (no
// such host, page or file), kLimitExceeded (more than `max_bytes`), kInvalidArgument (not such a URL), kIo (anything
// else).
[[nodiscard]] Status download(const std::string& url, const std::filesystem::path& path, std::uint64_t max_bytes,
                              Progress& progress);

}  // namespace unscatter::cli
