// The fields of a request, whatever the list is written in: their names, and what they make together.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "unscatter/base/result.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

enum class RequestField { kForget, kGraph, kNode, kFrom, kTo, kId };
inline constexpr std::array<std::string_view, 6> kRequestFields = {"forget", "graph", "node", "from", "to", "id"};

// What stands in each field.  "forget" and "id" are texts.
using RequestValue = std::variant<std::size_t, std::string>;
using RequestValues = std::array<std::optional<RequestValue>, kRequestFields.size()>;

// Errors: kMalformedInput if "forget" is missing or unknown, and for a field that is missing or has no place.
[[nodiscard]] Result<RemovalRequest> make_request(RequestValues values);

// People keep fields of their own in a list: "reason", "ticket".  Such a name must not be a slip of a known one.  If it
// is, this is the known one: a request with "nod" would otherwise be one for the whole graph.  Otherwise empty.
[[nodiscard]] std::string_view slip_of_field(std::string_view name);
// Might the field name somebody or something within a graph?  Then it does not go with a request for a whole graph.
[[nodiscard]] bool names_a_part(std::string_view name);

// The sentence about a field whose name is a slip.
[[nodiscard]] std::string slip_words(std::string_view name, std::string_view meant);
// The sentence about a request for a whole graph with a field that might name a part of it.
[[nodiscard]] std::string part_words(std::string_view name);

}  // namespace unscatter
