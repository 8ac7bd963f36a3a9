#include "embedding/blocks/first_recipes.h"

namespace unscatter {
namespace {

std::string first_social() { return "size + kinds + shapes*2 + cliques + closure > fourier:4096:0.5:1 > scale:0.1"; }

std::string first_molecule(const DataForm& form) {
  if (form.attributes > 0) {
    return "size*3 + returns*3 + attribute-levels*6 + label-sums*6 + paths > fourier:4096:2:1 > scale:0.04";
  }
  return "size*9 + label-counts*9 + returns*4.5 + colours:1 + colours:2:2048 + colours:3:2048 > fourier:4096:2:1 > "
         "scale:0.1";
}

std::string first_image(const DataForm& form) {
  if (form.attributes < 3) return "wavelets > fourier:1024:2:1";
  return "pixels:4*0.5 + slopes:0.05:4*0.5 + bends:0.05:4*4 + slopes:0.1:4 + bends:0.1:4 + texture + palette > "
         "fourier:4096:0.5:1";
}

// What a neighbour graph knows about an image without its positions.
std::string first_drawing(const DataForm& form) {
  if (form.attributes < 3) return "pixels*7 + bends > drawn:2048:4:1";
  return "bends:0.05:4*4 + slopes:0.1:4 + bends:0.1:4*2 + texture + palette*0.5 > drawn:2048:1:1";
}

// Graphs with directions, weights, or attributes without labels: all that portrait looks at.
std::string first_general(const DataForm& form) {
  std::string text = "size*2 + shapes + clustering + all-kinds*2";
  if (form.directed) text += " + directions*2";
  if (form.weights) text += " + weights";
  if (form.labels) text += " + label-counts + colours:1 + colours";
  if (form.attributes > 0) text += " + attributes + attribute-ends*2 + attribute-counts*2";
  return text + " > scale:0.2";
}

}  // namespace

std::string first_recipe_text(std::string_view name, const DataForm& form) {
  if (name == "social") return first_social();
  if (name == "molecule") return first_molecule(form);
  if (name == "image") return first_image(form);
  if (name == "drawing") return first_drawing(form);
  if (name == "general") return first_general(form);
  // auto: by what the data have.
  if (form.positions && form.attributes > 0) return first_image(form);
  if (form.directed || form.weights || (form.attributes > 0 && !form.labels)) return first_general(form);
  return form.labels ? first_molecule(form) : first_social();
}

}  // namespace unscatter
