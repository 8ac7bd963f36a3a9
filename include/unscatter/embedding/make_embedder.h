// The usual embedder: one block, named in words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// What `unscatter train` uses where nothing is said: everything that ordinary data have, with bounded rows and built-in
// constants (docs/constants.md, "Default embedding").
inline constexpr std::string_view kDefaultFeatures = "all";
[[nodiscard]] TransformSpec default_transform();
// The strength of the regularisation that goes with it.
inline constexpr double kDefaultRegularisation = 2e-5;
// And with the transform "rows", for rows of norm 1 or so.
inline constexpr double kRowsRegularisation = 1e-4;

// An embedding as users name it: "portrait", "paper" (geometric scattering), "rows", "rows:20" (rows, divided by a
// stated number), the name of a recipe, or the parts of one.  Command line and bindings read names by this function.
// `base` has the constants that a name does not say.  Errors: kInvalidArgument, naming what is wrong.
[[nodiscard]] Result<TransformSpec> parse_embedding(std::string_view text,
                                                    const TransformSpec& base = default_transform());
// Does the name stand for constants of the program?  Otherwise the user wrote constants down.
[[nodiscard]] bool embedding_is_built_in(std::string_view text);
// The features that go with a transform where none are named.
[[nodiscard]] std::string usual_features(const TransformSpec& spec);
// The strength of the regularisation that goes with it; `otherwise` for families that have none of their own.
[[nodiscard]] double usual_regularisation(const TransformSpec& spec, double otherwise);

// What of a graph the parts of a recipe look at, beside its edges without directions.
struct RecipeSight {
  bool directed = false;
  bool weights = false;
  bool labels = false;
  bool attributes = false;
  bool positions = false;
};
// All parts together; nothing for other families than "blocks".  `features`: with all constants, as
// FeatureMap::describe() writes them.
[[nodiscard]] RecipeSight recipe_sight(const TransformSpec& spec, std::string_view features);
// The parts that the recipe stands for, as its canonical text; the recipe as it is where it cannot be read.
[[nodiscard]] std::string recipe_parts(const TransformSpec& spec, std::string_view features);

// An embedder of one block.  `features` is read by FeatureMap::resolve(), with `dataset` and `source`.  Transform and
// last step are those of `spec`.  Errors: those of FeatureMap::resolve() and make_transform().
[[nodiscard]] Result<std::shared_ptr<const Embedder>> make_embedder(std::string_view features,
                                                                    const TransformSpec& spec, const Dataset& dataset,
                                                                    const FitSource& source = {});
// The same of features that are made already.
[[nodiscard]] Result<std::shared_ptr<const Embedder>> make_embedder(FeatureMap features, const TransformSpec& spec);

}  // namespace unscatter
