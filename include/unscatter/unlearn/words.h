// What happened in a removal, in words for people: the same in the program and in the service.
#pragma once

#include <string>

#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/promise.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// "1 subject, 3 nodes", or "nothing"
[[nodiscard]] std::string counts_words(const RequestCounts& counts);
// What whoever kept earlier models can tell: "nobody has seen ...", or how often the best guess is right.
[[nodiscard]] std::string exposure_words(const Exposure& exposure, const Promise& promise);

}  // namespace unscatter
