#include "transform_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace unscatter::cli {
namespace {

constexpr std::array kOperators = {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric};
constexpr std::array kMethods = {SpectralMethod::kAutomatic, SpectralMethod::kEigen, SpectralMethod::kChebyshev};

// The value of that name; the option has been checked to be one.
template <typename Values, typename Name>
auto named(const Values& values, Name name, std::string_view text) {
  return *std::find_if(values.begin(), values.end(), [&](auto value) { return name(value) == text; });
}

std::vector<std::string> families() { return {transform_families().begin(), transform_families().end()}; }

}  // namespace

void TransformArguments::add_to(CLI::App& command) {
  const std::string group = "Transform";
  recipe = command
               .add_option("--embedding", embedding,
                           "A recipe: auto (by what the data have), a name, or parts with weights such as "
                           "'size*3 + shapes + kinds' (docs/embeddings.md)")
               ->group(group);
  command.add_option("--features", features, "Signals on the nodes (unscatter embed --help lists them)")
      ->group(group)
      ->default_str("all; auto for other transforms than portrait");
  family = command.add_option("--transform", chosen.family, "What is done with them")
               ->group(group)
               ->check(CLI::IsMember(families()))
               ->default_str(chosen.family + "; geometric if --scales or the like is given");
  command
      .add_flag("--symmetrise", chosen.symmetrise,
                "Directed graphs lose their directions before they are embedded; the model remembers it")
      ->group(group);
  scattering_options.push_back(
      command
          .add_option(
              "--operator", op,
              "Walk of the geometric transform: row (default) averages, column moves mass; diffusion uses symmetric")
          ->group(group)
          ->check(CLI::IsMember({"row", "column", "symmetric"})));
  scattering_options.push_back(command.add_option("--scales", chosen.scales, "Wavelet scales J")
                                   ->group(group)
                                   ->check(CLI::Range(1, 32))
                                   ->capture_default_str());
  scattering_options.push_back(command.add_option("--moments", chosen.moments, "Moments Q of each signal")
                                   ->group(group)
                                   ->check(CLI::Range(1, 64))
                                   ->capture_default_str());
  scattering_options.push_back(
      command.add_option("--layers", chosen.layers, "Layers L of the scattering tree, the root included")
          ->group(group)
          ->check(CLI::Range(1, 16))
          ->capture_default_str());
  scattering_options.push_back(command.add_flag("--linear", chosen.linear, "No modulus between layers")->group(group));
  command
      .add_option("--kernel", chosen.kernel,
                  "Kernels of --transform custom, as FROM..TO: C0 C1 ...; pieces by ';', kernels by '|'")
      ->group(group);
  command.add_option("--method", method, "Spectral wavelets: automatic, eigen or chebyshev")
      ->group(group)
      ->check(CLI::IsMember({"automatic", "eigen", "chebyshev"}));
  command.add_option("--degree", chosen.spectral.degree, "Degree of the Chebyshev series")
      ->group(group)
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--row-norm", row_norm,
                  "clip: every embedding is scaled to norm at most 1, so that noise means the same everywhere; none")
      ->group(group)
      ->check(CLI::IsMember({"clip", "none"}))
      ->default_str(std::string(name(chosen.row_norm)));
  command.add_option("--windows", chosen.windows, "Windows per side of --transform windows")
      ->group(group)
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command.add_option("--random-features", chosen.random_features, "Coordinates of --transform windows")
      ->group(group)
      ->check(CLI::Range(2, 65536))
      ->capture_default_str();
  command.add_option("--sharpness", chosen.sharpness, "Of --transform windows: how fast similarity falls")
      ->group(group)
      ->capture_default_str();
  command.add_option("--damping", chosen.pagerank_damping, "PageRank damping")->group(group)->capture_default_str();
}

Result<TransformSpec> TransformArguments::spec() const {
  TransformSpec spec = chosen;
  const auto given = [](const CLI::Option* option) { return option->count() > 0; };
  const bool scattering = std::any_of(scattering_options.begin(), scattering_options.end(), given);
  // An option of the scattering transforms asks for one of them.  Together with a portrait it would change nothing.
  if (scattering && !given(family)) spec.family = "geometric";
  if (scattering && spec.family == "portrait") {
    return Error{ErrorCode::kInvalidArgument,
                 "--operator, --scales, --moments, --layers and --linear do not go with --transform portrait"};
  }
  if (given(recipe)) {
    // A recipe has no features but the form of the data, which may be stated.
    if (scattering || given(family) || (!features.empty() && !features.starts_with("form"))) {
      return Error{ErrorCode::kInvalidArgument,
                   "--embedding says it all: leave --transform, --features, --scales and the like out"};
    }
    Result<TransformSpec> parsed = parse_embedding(embedding, spec);
    // Here the embedding is an option.
    if (!parsed.ok() && parsed.error().message.starts_with("embedding ")) {
      return Error{parsed.error().code, "--" + parsed.error().message};
    }
    UNSCATTER_CHECK_OK(parsed);
    spec = *std::move(parsed);
  }
  const bool walks = spec.family == "geometric" || spec.family == "diffusion";
  if (!op.empty()) {
    if (!walks || (spec.family == "diffusion" && op != "symmetric")) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--operator {} does not go with --transform {}", op, spec.family)};
    }
    if (spec.family == "geometric") spec.op = named(kOperators, walk_operator_name, op);
  }
  if (!spec.kernel.empty() && spec.family != "custom") {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--kernel goes with --transform custom, not {}", spec.family)};
  }
  if (!row_norm.empty()) {
    UNSCATTER_TRY(parsed, parse_row_norm(row_norm));
    spec.row_norm = parsed;
  }
  if (!method.empty()) spec.spectral.method = named(kMethods, spectral_method_name, method);
  return spec;
}

bool TransformArguments::states_recipe() const { return !embedding.empty() && !embedding_is_built_in(embedding); }

std::string TransformArguments::features_for(const TransformSpec& spec) const {
  return features.empty() ? usual_features(spec) : features;
}

}  // namespace unscatter::cli
