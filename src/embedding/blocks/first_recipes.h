// What the names of recipes stood for in their first edition.
//
// Workspaces and published models of that time hold a name.  Their rows must stay what they were, to the last bit.  So
// nothing here ever changes.
#pragma once

#include <string>
#include <string_view>

#include "embedding/features/form.h"

namespace unscatter {

// "auto", "image", "molecule", "social", ..., for data of this form.
[[nodiscard]] std::string first_recipe_text(std::string_view name, const DataForm& form);

}  // namespace unscatter
