// Who asks: the opaque id of a token.
#pragma once

#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

// Errors: kInvalidArgument.  The message does not repeat it, because it may be a name.
[[nodiscard]] Status check_actor(std::string_view actor);

}  // namespace unscatter
