#include "unscatter/embedding/transform_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "embedding/blocks/blocks_transform.h"
#include "embedding/blocks/recipes.h"
#include "embedding/transforms/given_rows.h"
#include "embedding/transforms/pagerank.h"
#include "embedding/transforms/portrait.h"
#include "embedding/transforms/window_features.h"
#include "unscatter/embedding/fourier.h"
#include "unscatter/embedding/scattering.h"
#include "unscatter/embedding/walk_scattering.h"

namespace unscatter {
namespace {

// Which walk, or which kernels on the spectrum, a wavelet family is made of.
Result<WalkOperator> walk_of(const TransformSpec& spec) {
  if (spec.family == "diffusion") return WalkOperator::kSymmetric;
  if (spec.op == WalkOperator::kSymmetric) {
    return Error{ErrorCode::kInvalidArgument,
                 "geometric scattering takes operator row or column; symmetric is the diffusion transform"};
  }
  return spec.op;
}

bool is_walk(const TransformSpec& spec) { return spec.family == "geometric" || spec.family == "diffusion"; }

Result<KernelBank> kernels_of(const TransformSpec& spec) {
  if (spec.family == "monic-cubic") return monic_cubic(spec.scales);
  if (spec.family == "itersine") return itersine(spec.scales);
  if (spec.kernel.empty())
    return Error{ErrorCode::kInvalidArgument,
                 "transform custom needs a kernel, as in \"0..1: 1 -1 | 0..1: 0 1; 1..2: 1\""};
  return piecewise_polynomial(spec.kernel);
}

// Checked before anything else: the makers below take every other name for a custom kernel.
Status check_family(const TransformSpec& spec) {
  for (const std::string_view family : transform_families()) {
    if (family == spec.family) return ok_status();
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("unknown transform '{}'; there are {}", spec.family, fmt::join(transform_families(), ", "))};
}

ScatteringOptions scattering_of(const TransformSpec& spec) {
  return {.layers = spec.layers,
          .moments = spec.moments,
          .linear = spec.linear,
          .low_pass = spec.family == "diffusion" ? LowPass::kDegree : LowPass::kMean};
}

}  // namespace

const std::vector<std::string_view>& transform_families() {
  static const std::vector<std::string_view> families{"geometric", "diffusion", "monic-cubic", "itersine",
                                                      "custom",    "gft",       "pagerank",    "windows",
                                                      "portrait",  "blocks",    "rows"};
  return families;
}

std::vector<std::string_view> recipe_list() { return {recipe_names().begin(), recipe_names().end()}; }

std::string recipe_features(std::string_view recipe) { return looks_at_form(recipe) ? "form" : "none"; }

// Recipes with a name are scaled so that one number fits them all (recipes.cc).  Rows of other texts mostly have
// norm 1.
double recipe_regularisation(std::string_view recipe) {
  if (is_first_edition(recipe)) return 1e-6;
  return is_recipe_name(recipe) ? 1e-5 : 1e-4;
}

bool recipe_is_for_squares(std::string_view recipe) { return is_recipe_name(recipe) && !is_first_edition(recipe); }

Result<std::string> canonical_recipe(std::string_view recipe) {
  if (is_recipe_name(recipe)) return std::string(recipe);
  // The edition of today has a short name.
  if (const std::string name = recipe_in_store(recipe); name != recipe) return name;
  UNSCATTER_TRY(parsed, parse_recipe(recipe));
  return write_recipe(parsed);
}

Result<std::shared_ptr<const WaveletBank>> make_wavelet_bank(const TransformSpec& spec) {
  UNSCATTER_CHECK_OK(check_family(spec));
  // These have no wavelets.  A null bank says so, and it is not an error.
  if (spec.family == "gft" || spec.family == "pagerank" || spec.family == "windows" || spec.family == "portrait" ||
      spec.family == "blocks" || spec.family == "rows") {
    return std::shared_ptr<const WaveletBank>();
  }
  if (is_walk(spec)) {
    UNSCATTER_TRY(op, walk_of(spec));
    return make_walk_bank(op, spec.scales);
  }
  UNSCATTER_TRY(kernels, kernels_of(spec));
  UNSCATTER_TRY(bank, make_spectral_bank(std::move(kernels), spec.spectral));
  return std::shared_ptr<const WaveletBank>(std::move(bank));
}

Result<std::unique_ptr<Transform>> make_transform(const TransformSpec& spec) {
  UNSCATTER_CHECK_OK(check_family(spec));
  if (spec.family == "gft") return make_fourier({.moments = spec.moments});
  if (spec.family == "pagerank") return make_pagerank({.damping = spec.pagerank_damping, .moments = spec.moments});
  if (spec.family == "windows") {
    return make_window_features({.side = spec.windows, .features = spec.random_features, .sharpness = spec.sharpness});
  }
  if (spec.family == "portrait") return make_portrait();
  if (spec.family == "blocks") return make_blocks_transform(spec.recipe);
  if (spec.family == "rows") return make_given_rows(spec.row_scale);
  if (is_walk(spec)) {
    UNSCATTER_TRY(op, walk_of(spec));
    // The fast form.  It gives the same as make_scattering() with a walk bank, up to rounding.
    return make_walk_scattering(op, spec.scales, scattering_of(spec));
  }
  UNSCATTER_TRY(bank, make_wavelet_bank(spec));
  return make_scattering(std::move(bank), scattering_of(spec));
}

}  // namespace unscatter
