#include "store/constants.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "embedding/blocks/recipes.h"
#include "store/json_fields.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter {
namespace {

using Json = nlohmann::json;

// What unscatter 0.1 computed.
constexpr std::uint32_t kFirstEmbedding = 1;

// The library gives the names, and they are part of the file format.
Result<WalkOperator> parse_operator(std::string_view text) {
  for (const WalkOperator op : {WalkOperator::kRow, WalkOperator::kColumn, WalkOperator::kSymmetric}) {
    if (walk_operator_name(op) == text) return op;
  }
  return Error{ErrorCode::kMalformedInput, fmt::format("unknown operator '{}'", text)};
}

Result<SpectralMethod> parse_spectral_method(std::string_view text) {
  for (const SpectralMethod method : {SpectralMethod::kAutomatic, SpectralMethod::kEigen, SpectralMethod::kChebyshev}) {
    if (spectral_method_name(method) == text) return method;
  }
  return Error{ErrorCode::kMalformedInput, fmt::format("unknown spectral method '{}'", text)};
}

}  // namespace

// Every field has its key in every file, used or not.  A reader can then refuse a file without one, instead of guessing
// a default that another version may have had.
Json transform_to_json(const TransformSpec& spec, std::uint32_t version) {
  Json json = {{"family", spec.family},
               {"operator", walk_operator_name(spec.op)},
               {"scales", spec.scales},
               {"moments", spec.moments},
               {"layers", spec.layers},
               {"linear", spec.linear},
               {"kernel", spec.kernel},
               {"spectral_method", spectral_method_name(spec.spectral.method)},
               {"degree", spec.spectral.degree},
               {"eigen_nodes", spec.spectral.eigen_nodes},
               {"frame_min_lower", spec.spectral.frame.min_lower},
               {"frame_max_upper", spec.spectral.frame.max_upper},
               {"damping", spec.pagerank_damping}};
  if (version >= 2) {
    // Keys since version 2 are added here, and read below.
    json["row_norm"] = name(spec.row_norm);
    json["windows"] = spec.windows;
    json["random_features"] = spec.random_features;
    json["sharpness"] = spec.sharpness;
  }
  // Written only where they say something, so that the texts of workspaces without them stay as they are.
  if (spec.symmetrise) json["symmetrise"] = true;
  if (spec.family == "blocks") json["recipe"] = stored_recipe(spec.recipe);
  if (spec.family == "rows") json["row_scale"] = spec.row_scale;
  return json;
}

Status read_transform(const Json& json, std::uint32_t version, TransformSpec& spec) {
  spec.family = json.at("family").get<std::string>();
  UNSCATTER_TRY(op, parse_operator(json.at("operator").get<std::string>()));
  spec.op = op;
  spec.scales = whole_number(json.at("scales"));
  spec.moments = whole_number(json.at("moments"));
  spec.layers = whole_number(json.at("layers"));
  spec.linear = json.at("linear").get<bool>();
  spec.kernel = json.at("kernel").get<std::string>();
  UNSCATTER_TRY(method, parse_spectral_method(json.at("spectral_method").get<std::string>()));
  spec.spectral.method = method;
  spec.spectral.degree = whole_number(json.at("degree"));
  spec.spectral.eigen_nodes = whole_number(json.at("eigen_nodes"));
  spec.spectral.frame = {json.at("frame_min_lower").get<double>(), json.at("frame_max_upper").get<double>()};
  spec.pagerank_damping = json.at("damping").get<double>();
  // Without the key the transform is the one of unscatter 0.1, which clipped nothing.
  spec.row_norm = RowNorm::kNone;
  if (version >= 2) {
    UNSCATTER_TRY(norm, parse_row_norm(json.at("row_norm").get<std::string>()));
    spec.row_norm = norm;
    spec.windows = whole_number(json.at("windows"));
    spec.random_features = whole_number(json.at("random_features"));
    spec.sharpness = json.at("sharpness").get<double>();
  }
  spec.symmetrise = json.contains("symmetrise") && json.at("symmetrise").get<bool>();
  if (spec.family == "blocks") spec.recipe = recipe_in_store(json.at("recipe").get<std::string>());
  if (spec.family == "rows") spec.row_scale = json.at("row_scale").get<double>();
  return ok_status();
}

namespace {

// In the order in which they were given.
Json origins_to_json(const std::vector<ConstantOrigin>& origins) {
  Json list = Json::array();
  for (const ConstantOrigin& origin : origins) list.push_back({{"name", origin.name}, {"kind", name(origin.kind)}});
  return list;
}

Result<std::vector<ConstantOrigin>> origins_from_json(const Json& list) {
  std::vector<ConstantOrigin> origins;
  for (const Json& entry : list) {
    UNSCATTER_TRY(kind, parse_constant_kind(entry.at("kind").get<std::string>()));
    origins.push_back({entry.at("name").get<std::string>(), kind});
  }
  return origins;
}

// Threads and progress are not here: they change no result.
Json options_to_json(const SessionOptions& options, std::uint32_t version) {
  Json json = {{"loss", options.loss.describe()},
               {"lambda", options.regularisation},
               {"bias", options.bias},
               {"optimizer", name(options.optimizer)},
               {"mechanism", name(options.mechanism)},
               {"epsilon", options.guarantee.epsilon},
               {"delta", options.guarantee.delta},
               {"noise_stddev", options.noise_stddev},
               {"releases", options.releases},
               // The name that the format keeps.  Null: there is no such limit, which version 1 could not say.
               {"precision", options.distance_limit ? Json(*options.distance_limit) : Json()},
               {"bound", name(options.bound)},
               {"rule", name(options.rule)},
               {"report_all_bounds", options.report_all_bounds},
               {"row_norm", options.row_norm ? Json(*options.row_norm) : Json()},
               {"retrain_when_exceeded", options.retrain_when_exceeded},
               {"fast_rung", options.fast_rung},
               {"removal", name(options.removal)},
               {"method", name(options.method)}};
  if (version >= 2) {
    json["classes"] = name(options.classes);
    json["constants"] = origins_to_json(options.constants);
    json["protection"] = name(options.protection);
    json["per_subject"] = options.per_subject;
    json["ridge"] = options.ridge ? Json(*options.ridge) : Json();
  }
  // Written only where it says something, as in the transform.
  if (options.embedding_guarantee) {
    json["embedding_epsilon"] = options.embedding_guarantee->epsilon;
    json["embedding_delta"] = options.embedding_guarantee->delta;
  }
  return json;
}

Status read_options(const Json& json, std::uint32_t version, SessionOptions& options) {
  UNSCATTER_TRY(loss, Loss::parse(json.at("loss").get<std::string>()));
  options.loss = loss;
  options.regularisation = json.at("lambda").get<double>();
  options.bias = json.at("bias").get<bool>();
  UNSCATTER_TRY(optimizer, parse_optimizer(json.at("optimizer").get<std::string>()));
  options.optimizer = optimizer;
  UNSCATTER_TRY(mechanism, parse_mechanism(json.at("mechanism").get<std::string>()));
  options.mechanism = mechanism;
  options.guarantee = {json.at("epsilon").get<double>(), json.at("delta").get<double>()};
  options.noise_stddev = json.at("noise_stddev").get<double>();
  options.releases = whole_number(json.at("releases"));
  if (!json.at("precision").is_null()) options.distance_limit = json.at("precision").get<double>();
  UNSCATTER_TRY(bound, parse_residual_bound(json.at("bound").get<std::string>()));
  options.bound = bound;
  UNSCATTER_TRY(rule, parse_budget_rule(json.at("rule").get<std::string>()));
  options.rule = rule;
  options.report_all_bounds = json.at("report_all_bounds").get<bool>();
  if (!json.at("row_norm").is_null()) options.row_norm = json.at("row_norm").get<double>();
  options.retrain_when_exceeded = json.at("retrain_when_exceeded").get<bool>();
  options.fast_rung = json.at("fast_rung").get<bool>();
  UNSCATTER_TRY(removal, parse_node_removal(json.at("removal").get<std::string>()));
  options.removal = removal;
  UNSCATTER_TRY(method, parse_method(json.at("method").get<std::string>()));
  options.method = method;
  // Without these keys the options are those of unscatter 0.1, which fitted once whatever was not stated.
  options.classes = ConstantKind::kFittedOnce;
  if (version >= 2) {
    UNSCATTER_TRY(classes, parse_constant_kind(json.at("classes").get<std::string>()));
    options.classes = classes;
    UNSCATTER_TRY(constants, origins_from_json(json.at("constants")));
    options.constants = std::move(constants);
    UNSCATTER_TRY(protection, parse_protection(json.at("protection").get<std::string>()));
    options.protection = protection;
    options.per_subject = whole_number(json.at("per_subject"));
    if (!json.at("ridge").is_null()) options.ridge = json.at("ridge").get<double>();
  }
  if (json.contains("embedding_epsilon")) {
    options.embedding_guarantee = {json.at("embedding_epsilon").get<double>(),
                                   json.at("embedding_delta").get<double>()};
  }
  // A file may come from anywhere.  Options that no session would take are refused before anything is computed with
  // them.
  return check_options(options);
}

std::string spell(const Constants& constants) {
  const std::uint32_t version = constants.version;
  Json document = {{"name", constants.name},
                   {"class_names", constants.class_names},
                   {"features", constants.features},
                   {"transform", transform_to_json(constants.transform, version)},
                   {"options", options_to_json(constants.options, version)}};
  if (version >= 2) {
    document["version"] = version;
    document["embedding_version"] = constants.embedding_version;
    document["fit"] = name(constants.fit);
  }
  return document.dump();
}

}  // namespace

Result<std::string> constants_text(const Constants& constants) {
  UNSCATTER_CHECK_OK(check_options(constants.options));
  try {
    std::string text = spell(constants);
    // JSON has no word for infinity and spells it null.  What cannot be read back now would make a workspace that never
    // opens again.
    if (parse_constants(text).ok()) return text;
    return Error{ErrorCode::kInvalidArgument,
                 "a workspace needs finite numbers: an option or a constant of the transform is none"};
  } catch (const nlohmann::json::type_error&) {
    return Error{ErrorCode::kInvalidArgument, "a workspace needs UTF-8: the data set's name or a class name is none"};
  }
}

Result<Constants> parse_constants(std::string_view text) {
  const auto read = [](const Json& document) -> Result<Constants> {
    Constants constants;
    constants.name = document.at("name").get<std::string>();
    constants.class_names = document.at("class_names").get<std::vector<std::string>>();
    constants.features = document.at("features").get<std::string>();
    constants.version =
        document.contains("version") ? static_cast<std::uint32_t>(whole_number(document.at("version"))) : 1;
    if (constants.version > kConstantsVersion) {
      return Error{ErrorCode::kMalformedInput, fmt::format("its version {} is newer than this program knows ({})",
                                                           constants.version, kConstantsVersion)};
    }
    constants.embedding_version = constants.version >= 2
                                      ? static_cast<std::uint32_t>(whole_number(document.at("embedding_version")))
                                      : kFirstEmbedding;
    constants.fit = ConstantKind::kFittedOnce;
    if (constants.version >= 2) {
      UNSCATTER_TRY(fit, parse_constant_kind(document.at("fit").get<std::string>()));
      constants.fit = fit;
    }
    UNSCATTER_CHECK_OK(read_transform(document.at("transform"), constants.version, constants.transform));
    UNSCATTER_CHECK_OK(read_options(document.at("options"), constants.version, constants.options));
    return constants;
  };
  return read_canonical<Constants>(text, "set of constants", read, spell);
}

Status check_embedding(const Constants& constants) {
  // Kept weights and residuals are about embeddings of that version.  Rows of another one would make both wrong.
  if (constants.embedding_version != kEmbeddingVersion) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the workspace was trained on embeddings of version {}, and this program computes version "
                             "{}: use the unscatter that it was made with, or train again",
                             constants.embedding_version, kEmbeddingVersion)};
  }
  UNSCATTER_CHECK_OK(make_transform(constants.transform));
  return ok_status();
}

// The embedder is made of constants only, and never fitted to graphs that are there.  So a row depends on its own graph
// alone, before and after a removal (docs/theory.md, "Data and requests").
Result<std::shared_ptr<const Embedder>> make_embedder(const Constants& constants, std::string_view features) {
  UNSCATTER_CHECK_OK(check_embedding(constants));
  // Version 1 does not say where its constants came from, so the least is believed of them.
  const std::string_view rule = constants.version >= 2 ? std::string_view(constants.features) : std::string_view();
  UNSCATTER_TRY(map, FeatureMap::restore(rule, constants.fit, features));
  return make_embedder(std::move(map), constants.transform);
}

}  // namespace unscatter
