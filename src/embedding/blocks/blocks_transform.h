// The transform of a recipe: parts side by side, each with its weight, and perhaps random Fourier features at the end.
//
//   z = (part_1 sqrt(w_1 / w), part_2 sqrt(w_2 / w), ...),   w = w_1 + w_2 + ...      |z| <= 1
//   with a Fourier step: x = [cos(W z), sin(W z)] / sqrt(D/2)                          |x| = 1
//   with a scale: all of it times A n / sqrt(n^2 + C^2), A at most 1, n nodes
//
// All that a recipe knows is one graph and public constants.  Signals of features are not used.  Recipes that choose by
// the form of the data read it in the block `form` of the features (features/form.h).
#pragma once

#include <memory>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/embedding/transform.h"

namespace unscatter {

// `recipe` is a name or a text (recipes.h).  Without features that state a form, the form is that of bare graphs.
// Errors: those of parse_recipe(); kLimitExceeded for too many columns.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_blocks_transform(std::string_view recipe,
                                                                       std::string_view features = {});

}  // namespace unscatter
