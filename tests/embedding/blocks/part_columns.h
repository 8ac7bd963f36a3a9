// The columns of one part, for tests.
#pragma once

#include <string_view>
#include <vector>

#include "embedding/blocks/recipe.h"

namespace unscatter::testing {

// With the whole norm for itself.  `shape` may be one that has seen other graphs.
inline std::vector<double> part_columns(std::string_view text, const Graph& graph, GraphShape& shape,
                                        const DataForm* form = nullptr) {
  const Recipe recipe = parse_recipe(text).value();
  const RecipePart& wanted = recipe.parts.front();
  const std::unique_ptr<const Part> part =
      wanted.kind->make(wanted.constants, form != nullptr ? *form : form_of(graph));
  std::vector<double> columns(part->width(), 0.0);
  shape.look_at(graph);
  part->draw(shape, 1, columns);
  return columns;
}

inline double squared_norm(const std::vector<double>& columns) {
  double sum = 0;
  for (const double value : columns) sum += value * value;
  return sum;
}

}  // namespace unscatter::testing
