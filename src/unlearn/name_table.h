// Names of enumerators, from one table each.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "unscatter/base/result.h"

namespace unscatter {

template <typename Table, typename Value>
[[nodiscard]] std::string_view name_in(const Table& table, Value value) {
  for (const auto& [candidate, text] : table) {
    if (candidate == value) return text;
  }
  return "?";
}

// Errors: kInvalidArgument, with the choices.
template <typename Value, typename Table>
[[nodiscard]] Result<Value> find_in(const Table& table, std::string_view text, std::string_view what) {
  std::string choices;
  for (const auto& [candidate, spelled] : table) {
    if (spelled == text) return candidate;
    choices += fmt::format("{}{}", choices.empty() ? "" : ", ", spelled);
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown {} '{}'; choose from {}", what, text, choices)};
}

}  // namespace unscatter
