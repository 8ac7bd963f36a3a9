// Which transform, in words.  Command line, files and bindings name transforms in this way.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/spectral_bank.h"
#include "unscatter/embedding/transform.h"
#include "unscatter/embedding/walk_bank.h"
#include "unscatter/embedding/wavelet_bank.h"

namespace unscatter {

// All of a transform's public constants.  Fields that a family does not use are ignored.
struct TransformSpec {
  // geometric    walk wavelets, mean and moments; operator row or column                          [Gao19]
  // diffusion    symmetric walk wavelets, degree-weighted mean                                    [Gama19a]
  // monic-cubic  spline wavelets on the spectrum                                                  [Hammond11]
  // itersine     a tight frame on the spectrum                                                    [Pan23]
  // custom       piecewise polynomial kernels on the spectrum, given by `kernel`
  // gft          moments of the graph Fourier coefficients
  // pagerank     moments weighted by PageRank
  // windows      means by place on a grid of windows, as random Fourier features; |z| = 1              [Rahimi07]
  // portrait     histograms of size, structure, directions, weights and channels, side by side; |z| <= 1
  // blocks       the parts of a recipe, side by side, given by `recipe`; |z| <= 1
  // rows         the signals of the only node, divided by `row_scale`: rows that were made outside
  // (dataset_from_rows())
  std::string family = "geometric";
  WalkOperator op = WalkOperator::kRow;  // geometric only; row takes averages, so bounded features stay bounded
  std::size_t scales = 4;                // J; for custom it is the number of kernels instead
  std::size_t moments = 3;               // Q
  std::size_t layers = 3;                // L
  bool linear = false;
  std::string kernel = {};        // custom only; see piecewise_polynomial()
  SpectralOptions spectral = {};  // monic-cubic, itersine, custom
  double pagerank_damping = 0.85;
  std::size_t windows = 10;           // windows only: per side of the grid
  std::size_t random_features = 800;  // windows only: coordinates
  double sharpness = 1;               // windows only: of the kernel that the features stand for
  // blocks only: the name of a recipe, or a text such as "size*3 + shapes > fourier:4096:2:1" (docs/embeddings.md).
  std::string recipe = "auto";
  double row_scale = 1;  // rows only: positive, and a public constant
  // These two are read by make_embedder(); a Transform does not know them.  What is done with the row at the end, and
  // whether directed graphs lose their directions before features and transform see them.
  RowNorm row_norm = RowNorm::kClip;
  bool symmetrise = false;
};

// The families above, in that order.
[[nodiscard]] const std::vector<std::string_view>& transform_families();

// The names of recipes.  "auto" chooses by the form of the data: what the graphs have, and no value in them.
[[nodiscard]] std::vector<std::string_view> recipe_list();
// The features that a recipe asks for: "form" if it looks at the form of the data, else "none".
[[nodiscard]] std::string recipe_features(std::string_view recipe);
// The strength of the regularisation that goes with a recipe.  It does not depend on the data.
[[nodiscard]] double recipe_regularisation(std::string_view recipe);
// Does the squared loss go with it?  So it is for recipes with a name.
[[nodiscard]] bool recipe_is_for_squares(std::string_view recipe);
// The canonical text of a recipe; a name stays as it is.  Errors: kInvalidArgument, naming the part that is wrong.
[[nodiscard]] Result<std::string> canonical_recipe(std::string_view recipe);

// Errors: kInvalidArgument for an unknown family or a constant outside its range; kFrameCondition for kernels that are
// not a frame.
[[nodiscard]] Result<std::unique_ptr<Transform>> make_transform(const TransformSpec& spec);

// The wavelets behind a scattering family, for frame bounds; null for gft and pagerank.
[[nodiscard]] Result<std::shared_ptr<const WaveletBank>> make_wavelet_bank(const TransformSpec& spec);

}  // namespace unscatter
