// The form of data: what the graphs have, and no value in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "embedding/features/registry.h"

namespace unscatter {

// What at least one graph has.
struct DataForm {
  bool directed = false;
  bool weights = false;
  bool labels = false;
  bool positions = false;
  std::size_t attributes = 0;  // of the graph that has most
  friend bool operator==(const DataForm&, const DataForm&) = default;
};

[[nodiscard]] DataForm form_of(const Graph& graph);
// Of both together.
[[nodiscard]] DataForm joined(const DataForm& a, const DataForm& b);

// "form:directed,weights,labels,positions,attributes=3" with what is there, or "form:bare".
[[nodiscard]] std::string describe(const DataForm& form);
// Of the block `form` in a description of features.  All false without such a block.
[[nodiscard]] DataForm form_in(std::string_view features);

}  // namespace unscatter
