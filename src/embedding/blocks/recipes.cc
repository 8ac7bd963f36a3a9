#include "embedding/blocks/recipes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/near_miss.h"

namespace unscatter {
namespace {

constexpr std::array<std::string_view, 4> kRecipeNames = {"auto", "image", "molecule", "social"};

// Weights and gamma were chosen on the benchmarks of docs/embeddings.md.  They are built in: no data of a user shape
// them.
std::string social_recipe(const DataForm&) { return "size + kinds + shapes*3 + clustering > fourier:4096:0.5:1"; }

std::string molecule_recipe(const DataForm&) {
  return "size*3 + label-counts*3 + returns*3 + colours + paths > fourier:4096:2:1";
}

std::string image_recipe(const DataForm& form) {
  if (form.attributes < 3) return "pixels + slopes + bends > fourier:2048:16:1";
  return "pixels:4 + slopes:0.05:4 + bends:0.05:4 + slopes:0.1:4 + bends:0.1:4 + texture + palette";
}

std::string recipe_text(std::string_view name, const DataForm& form) {
  if (name == "social") return social_recipe(form);
  if (name == "molecule") return molecule_recipe(form);
  if (name == "image") return image_recipe(form);
  // auto: by what the data have.
  if (form.positions && form.attributes > 0) return image_recipe(form);
  return form.labels ? molecule_recipe(form) : social_recipe(form);
}

}  // namespace

std::span<const std::string_view> recipe_names() { return kRecipeNames; }

bool is_recipe_name(std::string_view text) {
  return std::find(kRecipeNames.begin(), kRecipeNames.end(), text) != kRecipeNames.end();
}

Result<Recipe> resolve_recipe(std::string_view name_or_text, const DataForm& form) {
  if (is_recipe_name(name_or_text)) return parse_recipe(recipe_text(name_or_text, form));
  return parse_recipe(name_or_text);
}

bool looks_at_form(std::string_view name_or_text) {
  if (is_recipe_name(name_or_text)) return true;
  const Result<Recipe> recipe = parse_recipe(name_or_text);
  if (!recipe.ok()) return false;
  const auto by_form = [](const RecipePart& part) { return part.kind->width_by_form(part.constants); };
  return std::any_of(recipe->parts.begin(), recipe->parts.end(), by_form);
}

}  // namespace unscatter
