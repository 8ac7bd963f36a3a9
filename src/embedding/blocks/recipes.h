// Recipes with a name, and the one that the form of the data chooses.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embedding/blocks/recipe.h"
#include "embedding/features/form.h"
#include "unscatter/base/result.h"

namespace unscatter {

// "auto", "image", "molecule", "social", ...
[[nodiscard]] std::span<const std::string_view> recipe_names();

// A name has editions.  "auto" is the newest one, the third; "auto@1" and "auto@2" are those before.  Files of the time
// of the first edition say "auto", those of the second say "auto@2", and files of today say "auto@3".  So what a file
// means never changes.
[[nodiscard]] bool is_recipe_name(std::string_view text);
[[nodiscard]] bool is_first_edition(std::string_view text);
// From the text in a program to the text in a file, and back.  Recipes that are no names stay as they are.
[[nodiscard]] std::string stored_recipe(std::string_view name_or_text);
[[nodiscard]] std::string recipe_in_store(std::string_view stored);

// The recipe of this name or text, for data of this form.  Errors: those of parse_recipe().
[[nodiscard]] Result<Recipe> resolve_recipe(std::string_view name_or_text, const DataForm& form);

// What `tune` and the experiment on accuracy choose among for data of this form, as canonical texts.  The first is the
// one of `auto`.  The others are its parts without random features, and what else a study of such data suggested
// (docs/accuracy.md).
[[nodiscard]] std::vector<std::string> candidate_recipes(const DataForm& form);

// Does the recipe depend on the form of the data?
[[nodiscard]] bool looks_at_form(std::string_view name_or_text);

}  // namespace unscatter
