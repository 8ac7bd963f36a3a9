// Additions and corrections as text, behind request_text.h.
#pragma once

#include <string_view>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"

namespace unscatter {

// BLAKE2b-256 of a request_text(), keyed with the salt.
[[nodiscard]] Digest commitment_of_text(std::string_view text, const Salt& salt);

// Whether a line opens an addition or a correction.  Errors: kMalformedInput if it claims to and its salt opens
// nothing.
[[nodiscard]] Result<bool> opens_other(std::string_view line);

}  // namespace unscatter
