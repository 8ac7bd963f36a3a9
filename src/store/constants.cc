#include "store/constants.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "store/json_fields.h"

namespace unscatter {
namespace {

using Json = nlohmann::json;

// The names are part of the file format.
constexpr std::array kOptimizers = {std::pair{Optimizer::kNewton, std::string_view("newton")},
                                    std::pair{Optimizer::kLbfgs, std::string_view("lbfgs")}};
constexpr std::array kRemovals = {std::pair{NodeRemoval::kCompact, std::string_view("compact")},
                                  std::pair{NodeRemoval::kTombstone, std::string_view("tombstone")}};
constexpr std::array kMethods = {std::pair{Method::kUnlearn, std::string_view("unlearn")},
                                 std::pair{Method::kWholeGraph, std::string_view("whole-graph")},
                                 std::pair{Method::kRetrain, std::string_view("retrain")}};
constexpr std::array kOperators = {std::pair{WalkOperator::kRow, std::string_view("row")},
                                   std::pair{WalkOperator::kColumn, std::string_view("column")},
                                   std::pair{WalkOperator::kSymmetric, std::string_view("symmetric")}};
constexpr std::array kSpectralMethods = {std::pair{SpectralMethod::kAutomatic, std::string_view("automatic")},
                                         std::pair{SpectralMethod::kEigen, std::string_view("eigen")},
                                         std::pair{SpectralMethod::kChebyshev, std::string_view("chebyshev")}};

template <typename Table, typename Value>
std::string_view spelled(const Table& table, Value value) {
  for (const auto& [candidate, text] : table) {
    if (candidate == value) return text;
  }
  return "?";
}

template <typename Table, typename Value>
Status read_name(const Json& json, const Table& table, Value& value) {
  const auto text = json.get<std::string>();
  for (const auto& [candidate, known] : table) {
    if (known != text) continue;
    value = candidate;
    return ok_status();
  }
  return Error{ErrorCode::kMalformedInput, fmt::format("'{}' is not known", text)};
}

Json transform_to_json(const TransformSpec& spec) {
  return {{"family", spec.family},
          {"operator", spelled(kOperators, spec.op)},
          {"scales", spec.scales},
          {"moments", spec.moments},
          {"layers", spec.layers},
          {"linear", spec.linear},
          {"kernel", spec.kernel},
          {"spectral_method", spelled(kSpectralMethods, spec.spectral.method)},
          {"degree", spec.spectral.degree},
          {"eigen_nodes", spec.spectral.eigen_nodes},
          {"frame_min_lower", spec.spectral.frame.min_lower},
          {"frame_max_upper", spec.spectral.frame.max_upper},
          {"damping", spec.pagerank_damping}};
}

Status read_transform(const Json& json, TransformSpec& spec) {
  spec.family = json.at("family").get<std::string>();
  UNSCATTER_CHECK_OK(read_name(json.at("operator"), kOperators, spec.op));
  spec.scales = json.at("scales").get<std::size_t>();
  spec.moments = json.at("moments").get<std::size_t>();
  spec.layers = json.at("layers").get<std::size_t>();
  spec.linear = json.at("linear").get<bool>();
  spec.kernel = json.at("kernel").get<std::string>();
  UNSCATTER_CHECK_OK(read_name(json.at("spectral_method"), kSpectralMethods, spec.spectral.method));
  spec.spectral.degree = json.at("degree").get<std::size_t>();
  spec.spectral.eigen_nodes = json.at("eigen_nodes").get<std::size_t>();
  spec.spectral.frame = {json.at("frame_min_lower").get<double>(), json.at("frame_max_upper").get<double>()};
  spec.pagerank_damping = json.at("damping").get<double>();
  return ok_status();
}

Json options_to_json(const SessionOptions& options) {
  return {{"loss", options.loss.describe()},
          {"lambda", options.regularisation},
          {"bias", options.bias},
          {"optimizer", spelled(kOptimizers, options.optimizer)},
          {"mechanism", name(options.mechanism)},
          {"epsilon", options.guarantee.epsilon},
          {"delta", options.guarantee.delta},
          {"noise_stddev", options.noise_stddev},
          {"releases", options.releases},
          {"precision", options.precision},
          {"bound", name(options.bound)},
          {"rule", name(options.rule)},
          {"report_all_bounds", options.report_all_bounds},
          {"row_norm", options.row_norm ? Json(*options.row_norm) : Json()},
          {"retrain_when_exceeded", options.retrain_when_exceeded},
          {"fast_rung", options.fast_rung},
          {"removal", spelled(kRemovals, options.removal)},
          {"method", spelled(kMethods, options.method)}};
}

Status read_options(const Json& json, SessionOptions& options) {
  UNSCATTER_TRY(loss, Loss::parse(json.at("loss").get<std::string>()));
  options.loss = loss;
  options.regularisation = json.at("lambda").get<double>();
  options.bias = json.at("bias").get<bool>();
  UNSCATTER_CHECK_OK(read_name(json.at("optimizer"), kOptimizers, options.optimizer));
  UNSCATTER_TRY(mechanism, parse_mechanism(json.at("mechanism").get<std::string>()));
  options.mechanism = mechanism;
  options.guarantee = {json.at("epsilon").get<double>(), json.at("delta").get<double>()};
  options.noise_stddev = json.at("noise_stddev").get<double>();
  options.releases = json.at("releases").get<std::size_t>();
  options.precision = json.at("precision").get<double>();
  UNSCATTER_TRY(bound, parse_residual_bound(json.at("bound").get<std::string>()));
  options.bound = bound;
  UNSCATTER_TRY(rule, parse_budget_rule(json.at("rule").get<std::string>()));
  options.rule = rule;
  options.report_all_bounds = json.at("report_all_bounds").get<bool>();
  if (!json.at("row_norm").is_null()) options.row_norm = json.at("row_norm").get<double>();
  options.retrain_when_exceeded = json.at("retrain_when_exceeded").get<bool>();
  options.fast_rung = json.at("fast_rung").get<bool>();
  UNSCATTER_CHECK_OK(read_name(json.at("removal"), kRemovals, options.removal));
  UNSCATTER_CHECK_OK(read_name(json.at("method"), kMethods, options.method));
  return check_options(options);
}

std::string spell(const Constants& constants) {
  const Json document = {{"name", constants.name},
                         {"class_names", constants.class_names},
                         {"features", constants.features},
                         {"transform", transform_to_json(constants.transform)},
                         {"options", options_to_json(constants.options)}};
  return document.dump();
}

}  // namespace

Result<std::string> constants_text(const Constants& constants) {
  UNSCATTER_CHECK_OK(check_options(constants.options));
  try {
    std::string text = spell(constants);
    // JSON has no word for infinity: what is not read back now never will be.
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
    UNSCATTER_CHECK_OK(read_transform(document.at("transform"), constants.transform));
    UNSCATTER_CHECK_OK(read_options(document.at("options"), constants.options));
    return constants;
  };
  return read_canonical<Constants>(text, "set of constants", read, spell);
}

Result<std::shared_ptr<const Embedder>> make_embedder(const Constants& constants) {
  UNSCATTER_TRY(features, FeatureMap::parse(constants.features));
  UNSCATTER_TRY(transform, make_transform(constants.transform));
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({std::move(features), std::move(transform)});
  return std::make_shared<const Embedder>(std::move(blocks));
}

}  // namespace unscatter
