// What opens the commitments of a removal, kept outside of the workspace (docs/receipts.md, "Commitments").
#pragma once

#include <filesystem>

#include "unscatter/base/result.h"
#include "unscatter/store/workspace.h"

namespace unscatter::service {

// Appends a line per request and makes them durable, before the removal is committed.  The file is made with mode 0600.
// Errors: kIo.
[[nodiscard]] Status append_openings(const std::filesystem::path& path, const Forgotten& outcome);

}  // namespace unscatter::service
