#include "embedding/blocks/recipes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "embedding/blocks/first_recipes.h"

namespace unscatter {
namespace {

constexpr std::array<std::string_view, 6> kRecipeNames = {"auto", "drawing", "general", "image", "molecule", "social"};

// The second and the third edition differ in `social` alone.  What an edition says is frozen: models were published
// with it.  So a new text goes into a new edition.
enum class Edition { kSecond, kThird };

// Weights, gamma and scales were chosen on the benchmarks of docs/accuracy.md.  They are built in: no data of a user
// shape them.  The best lambda differs from recipe to recipe.  The scales make one lambda fit all: rows times a have
// the same models as rows with lambda / a^2.
std::string social_recipe(Edition edition) {
  if (edition == Edition::kSecond) {
    return "size + kinds + shapes:7*3 + shapes:11*2.5 + cliques*1.5 + clustering > fourier:4096:0.5:1 > scale:0.3:65";
  }
  return "size*1.2 + kinds:4096*1.5 + shapes:7*3.6 + shapes:11*2.5 + cliques*1.5 + clustering + overlaps*0.7 > "
         "fourier:4096:0.6:1 > scale:0.3:65";
}

std::string molecule_recipe(const DataForm& form) {
  if (form.attributes > 0) {
    return "all-kinds*2 + clustering:6:4 + paths + attribute-counts*16 + label-sums*9 > fourier:4096:3:1 > "
           "scale:0.08:15";
  }
  return "size*8 + returns:50*4 + clustering*3 + label-counts:32*1.5 + colours:1:256*1.5 + colours:2:2048 + "
         "colours:3:2048 + paths*0.5 > fourier:4096:5:1 > scale:0.13:10";
}

std::string image_recipe(const DataForm& form) {
  if (form.attributes < 3) return "wavelets > fourier:1024:2:1";
  return "pixels:4*0.5 + slopes:0.05:4*0.5 + bends:0.05:4*4 + slopes:0.1:4 + bends:0.1:4 + texture + palette > "
         "fourier:4096:0.5:1";
}

// What a neighbour graph knows about an image without its positions.
std::string drawing_recipe(const DataForm& form) {
  if (form.attributes < 3) return "pixels*7 + bends > drawn:2048:4:1";
  return "bends:0.05:4*4 + slopes:0.1:4 + bends:0.1:4*2 + texture + palette*0.5 > drawn:2048:1:1";
}

// Graphs with directions, weights, or attributes without labels: all that portrait looks at.
std::string general_recipe(const DataForm& form) {
  std::string text = "size*2 + shapes + clustering + all-kinds*2";
  if (form.directed) text += " + directions*2";
  if (form.weights) text += " + weights";
  if (form.labels) text += " + label-counts + colours:1 + colours";
  if (form.attributes > 0) text += " + attributes + attribute-ends*2 + attribute-counts*2";
  return text + " > scale:0.6";
}

std::string recipe_text(std::string_view name, const DataForm& form, Edition edition) {
  if (name == "social") return social_recipe(edition);
  if (name == "molecule") return molecule_recipe(form);
  if (name == "image") return image_recipe(form);
  if (name == "drawing") return drawing_recipe(form);
  if (name == "general") return general_recipe(form);
  // auto: by what the data have.
  if (form.positions && form.attributes > 0) return image_recipe(form);
  if (form.directed || form.weights || (form.attributes > 0 && !form.labels)) return general_recipe(form);
  return form.labels ? molecule_recipe(form) : social_recipe(edition);
}

constexpr std::string_view kFirstEdition = "@1";
constexpr std::string_view kSecondEdition = "@2";
constexpr std::string_view kThisEdition = "@3";

bool is_bare_name(std::string_view text) {
  return std::find(kRecipeNames.begin(), kRecipeNames.end(), text) != kRecipeNames.end();
}

// The name in front of this edition; empty if the text is something else.
std::string_view name_before(std::string_view edition, std::string_view text) {
  if (!text.ends_with(edition)) return {};
  text.remove_suffix(edition.size());
  return is_bare_name(text) ? text : std::string_view();
}

}  // namespace

std::span<const std::string_view> recipe_names() { return kRecipeNames; }

bool is_recipe_name(std::string_view text) {
  return is_bare_name(text) || is_first_edition(text) || !name_before(kSecondEdition, text).empty();
}

bool is_first_edition(std::string_view text) { return !name_before(kFirstEdition, text).empty(); }

std::string stored_recipe(std::string_view name_or_text) {
  if (is_bare_name(name_or_text)) return std::string(name_or_text) + std::string(kThisEdition);
  const std::string_view first = name_before(kFirstEdition, name_or_text);
  return std::string(first.empty() ? name_or_text : first);
}

std::string recipe_in_store(std::string_view stored) {
  if (is_bare_name(stored)) return std::string(stored) + std::string(kFirstEdition);
  const std::string_view present = name_before(kThisEdition, stored);
  return std::string(present.empty() ? stored : present);
}

Result<Recipe> resolve_recipe(std::string_view name_or_text, const DataForm& form) {
  if (is_bare_name(name_or_text)) return parse_recipe(recipe_text(name_or_text, form, Edition::kThird));
  if (const std::string_view second = name_before(kSecondEdition, name_or_text); !second.empty()) {
    return parse_recipe(recipe_text(second, form, Edition::kSecond));
  }
  const std::string_view first = name_before(kFirstEdition, name_or_text);
  return parse_recipe(first.empty() ? std::string(name_or_text) : first_recipe_text(first, form));
}

std::vector<std::string> candidate_recipes(const DataForm& form) {
  const Recipe chosen = resolve_recipe("auto", form).value();
  Recipe plain = chosen;
  plain.fourier.reset();
  std::vector<std::string> texts = {write_recipe(chosen), write_recipe(plain)};
  const auto add = [&texts](const Result<Recipe>& recipe) {
    const std::string text = write_recipe(recipe.value());
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  };
  if (form.positions && form.attributes > 0) return texts;  // the embeddings of images are large, and two are enough
  add(resolve_recipe("general", form));
  if (form.labels) {
    const std::string parts = "size*3 + label-counts*3 + returns*3 + colours + paths";
    add(parse_recipe(parts + " > scale:0.1"));
    add(parse_recipe(parts + " > fourier:4096:2:1 > scale:0.1"));
    if (form.attributes > 0) {
      add(parse_recipe(
          "size*3 + returns*3 + attribute-levels*6 + label-sums*6 + paths > fourier:4096:2:1 > scale:0.1"));
    }
  } else {
    add(parse_recipe("size + kinds + shapes*3 + clustering > scale:0.1"));
    add(parse_recipe("size + kinds + shapes*2 + cliques + closure > fourier:4096:1:1 > scale:0.1"));
  }
  return texts;
}

bool looks_at_form(std::string_view name_or_text) {
  if (is_recipe_name(name_or_text)) return true;
  const Result<Recipe> recipe = parse_recipe(name_or_text);
  if (!recipe.ok()) return false;
  const auto by_form = [](const RecipePart& part) { return part.kind->width_by_form(part.constants); };
  return std::any_of(recipe->parts.begin(), recipe->parts.end(), by_form);
}

}  // namespace unscatter
