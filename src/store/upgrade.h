// A workspace of unscatter 0.1 becomes one of the present format.
#pragma once

#include <string>

#include "store/contents.h"
#include "store/workspace_tables.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter {

// All that upgrade() asks of a file before it writes.  Errors: kMalformedInput where an entry does not hold or is not
// signed.
[[nodiscard]] Status check_upgrade(const WorkspaceTables& tables, const Contents& contents);

// One transaction (docs/workspace-format.md, "From format 1 to format 2").  `contents` are those of the file, of format
// 1.  Returns what they are afterwards.  Errors leave the file as it was: kMalformedInput where an entry does not hold
// or is not signed; kIo.
[[nodiscard]] Result<Contents> upgrade(const WorkspaceTables& tables, Contents contents, const SigningKey& key,
                                       RandomSource& random, std::string time);

}  // namespace unscatter
