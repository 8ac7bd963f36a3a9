// A recipe: which parts make an embedding, with which weights.  It is one readable text:
//
//   recipe   = part { "+" part } [ ">" fourier ] [ ">" scale ]
//   part     = name { ":" number } [ "*" number ]        constants, and the weight (1 if it is left out)
//   fourier  = ("fourier" | "drawn") { ":" number }      coordinates, gamma, seed (4096, 1, 1)
//   scale    = "scale" ":" number [ ":" number ]         A and C: all coordinates times A n / sqrt(n^2 + C^2)
//
//   size*3 + label-counts*3 + returns*3 + colours + paths > fourier:4096:2:1 > scale:0.1
//
// "drawn" is the mean of the Fourier features over eight views of a drawing of the graph (drawing.h), which takes the
// place of positions.  Blanks are free.  Constants that are left out have built-in values.  With the weights w, a part
// has its columns times sqrt(w / sum of all w).  Each part has a norm of at most 1, so the row has, too.
//
// The last step makes rows short.  A is at most 1.  C is a number of nodes, 0 if it is left out: the row of a graph
// with n nodes is n / sqrt(n^2 + C^2) times as long, so a graph with few nodes counts less.  Its shares are less exact.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embedding/blocks/part.h"
#include "embedding/blocks/random_fourier.h"
#include "unscatter/base/result.h"

namespace unscatter {

struct RecipePart {
  const PartKind* kind = nullptr;
  std::vector<double> constants;  // all of them
  double weight = 1;
  friend bool operator==(const RecipePart&, const RecipePart&) = default;
};

struct Recipe {
  std::vector<RecipePart> parts;  // at least one
  std::optional<FourierStep> fourier;
  double scale = 1;  // A
  double doubt = 0;  // C
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// Errors: kInvalidArgument, naming the part, what is wrong with it and what was probably meant.
[[nodiscard]] Result<Recipe> parse_recipe(std::string_view text);
// The canonical text.  parse_recipe() of it is `recipe` again.  Constants at the end that have their built-in values
// are left out.
[[nodiscard]] std::string write_recipe(const Recipe& recipe);

}  // namespace unscatter
