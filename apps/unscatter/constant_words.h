// Where constants come from, in words and as JSON, the same for every subcommand that shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output.h"
#include "unscatter/embedding/feature_map.h"

namespace unscatter::cli {

// "computed from the data, and again after every removal"
[[nodiscard]] std::string_view kind_words(ConstantKind kind);
// "soft-degree and lambda: built into the program; form and classes: computed from the data, ..."
[[nodiscard]] std::string constants_words(const std::vector<ConstantOrigin>& constants);
// A row "constants" for a two-column table.  None if nothing is known.
void add_constants_row(Table& table, const std::vector<ConstantOrigin>& constants);
// {"soft-degree": "built-in", "classes": "private-fit"}
[[nodiscard]] Json constants_json(const std::vector<ConstantOrigin>& constants);

}  // namespace unscatter::cli
