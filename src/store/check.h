// Is a workspace file whole?  What can be told without the key and without a session: `unscatter check` does all of
// it, and verify_workspace() shares the parts.
#pragma once

#include <filesystem>
#include <string>

#include "store/contents.h"
#include "store/sqlite.h"
#include "store/workspace_tables.h"
#include "unscatter/base/result.h"
#include "unscatter/store/verify.h"

namespace unscatter {

// Each returns a sentence, or what is wrong.

// Do the pages of the file hang together?
[[nodiscard]] Result<std::string> check_structure(const WorkspaceTables& tables, const std::filesystem::path& path);
// Is it older than the record beside the signing key `key`?  Needs contents.chain.
[[nodiscard]] Result<std::string> check_record(const Database& database, const std::filesystem::path& path,
                                               const std::filesystem::path& key, const Contents& contents);
// Reads the graphs into `contents`.  Are they those that the last entry commits to, and as many?
[[nodiscard]] Result<std::string> check_data(const WorkspaceTables& tables, Contents& contents);
// Is the published model the one that the last entry commits to?  Needs all of `contents`.
[[nodiscard]] Result<std::string> check_published(const Database& database, const Contents& contents);
// Are all due dates there, and each about something that is there (invariant 13)?  Graphs that are damaged have a check
// of their own: without `data_holds` only the dates themselves are looked at.
[[nodiscard]] Result<std::string> check_due_dates(const Database& database, const Contents& contents, bool data_holds);
// What the file could still hold of the past (invariant 11).  Blocks that the file system or the drive has moved are
// out of reach.
[[nodiscard]] Result<std::string> check_erasure(const WorkspaceTables& tables, const std::filesystem::path& path);

// All that a quick test looks at, of an open file.
struct CheckedFile {
  Verification verification;
  Contents contents;  // as far as they hold
};
// `key`: the file of the signing key, beside which the record lies; empty: no record is looked for.
[[nodiscard]] CheckedFile check_database(const WorkspaceTables& tables, const std::filesystem::path& path,
                                         const std::filesystem::path& key);
// The first check that did not pass.  Errors: kMalformedInput, with its name and what it says.
[[nodiscard]] Status require_sound(const Verification& verification, const std::filesystem::path& path);

}  // namespace unscatter
