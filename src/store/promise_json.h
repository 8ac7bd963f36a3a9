// Promises inside of JSON documents.
#pragma once

#include <nlohmann/json.hpp>

#include "unscatter/base/result.h"
#include "unscatter/store/promise_text.h"

namespace unscatter {

// Adds the keys to `document`.
void add_promise(nlohmann::json& document, const Promise& promise, const PromiseParts& parts);
// Throws nlohmann::json::exception where a value is missing or of another kind; read_canonical() catches it.  Errors:
// kInvalidArgument for an unknown name.
[[nodiscard]] Result<Promise> promise_from_json(const nlohmann::json& document, const PromiseParts& parts);

}  // namespace unscatter
