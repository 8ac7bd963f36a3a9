// Parts that ledger entries and receipts spell alike, and reading in one spelling only.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

[[nodiscard]] nlohmann::json counts_to_json(const RequestCounts& counts);
[[nodiscard]] nlohmann::json digests_to_json(const std::vector<Digest>& digests);

// These throw nlohmann::json::exception where a value is missing or of another kind.  read_canonical() catches it.
//
// A number without sign and fraction.  get() would turn -1 or 1.5 into some other number, and 1e300 by a conversion
// that C++ leaves undefined.
[[nodiscard]] std::uint64_t whole_number(const nlohmann::json& json);
[[nodiscard]] RequestCounts counts_from_json(const nlohmann::json& json);
[[nodiscard]] Result<Digest> digest_from_json(const nlohmann::json& json);
[[nodiscard]] Result<std::vector<Digest>> digests_from_json(const nlohmann::json& json);

// Parses `text` and reads it with `read`.  Takes the value only if `write` spells it exactly like `text`.  So every
// value has one spelling, and no byte can change unnoticed.  Errors: kMalformedInput.
template <typename Value, typename Read, typename Write>
[[nodiscard]] Result<Value> read_canonical(std::string_view text, std::string_view what, const Read& read,
                                           const Write& write) {
  if (text.empty()) return Error{ErrorCode::kMalformedInput, fmt::format("this is no {}: it is empty", what)};
  // The texts of the JSON library are for programmers.  People are told what the file is not.
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return Error{ErrorCode::kMalformedInput, fmt::format("this is no {}: it is not JSON, or it is cut off", what)};
  }
  try {
    Result<Value> value = read(document);
    if (!value.ok()) {
      return Error{ErrorCode::kMalformedInput, fmt::format("this is no {}: {}", what, value.error().message)};
    }
    if (write(*value) != text) {
      return Error{ErrorCode::kMalformedInput,
                   fmt::format("this {} was changed: it is not spelled the way it is written", what)};
    }
    return value;
  } catch (const nlohmann::json::exception&) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("this is no {}: a field of it is missing, or holds something else than it should", what)};
  }
}

}  // namespace unscatter
