#include "store/stored_model.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "store/json_fields.h"

namespace unscatter {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

std::vector<std::byte> bytes_of(std::span<const double> numbers) {
  const std::span<const std::byte> bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

// A bound that is infinite says as much as none, and JSON has no word for it.
Json bound_to_json(const std::optional<double>& bound) {
  return bound && std::isfinite(*bound) ? Json(*bound) : Json();
}

std::optional<double> bound_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

Json certificate_to_json(const Certificate& certificate) {
  return {{"satisfied", certificate.satisfied},
          {"mechanism", name(certificate.mechanism)},
          {"binding", name(certificate.binding)},
          {"rule", name(certificate.rule)},
          {"epsilon", certificate.guarantee.epsilon},
          {"delta", certificate.guarantee.delta},
          {"delta_for_shift", certificate.delta_for_shift},
          {"noise_stddev", certificate.noise_stddev},
          {"graphs", certificate.graphs},
          {"residual_upper_bound", certificate.residual_upper_bound},
          {"distance_upper_bound", certificate.distance_upper_bound},
          {"shift_upper_bound", certificate.shift_upper_bound},
          {"shift_limit", certificate.shift_limit},
          {"worst", bound_to_json(certificate.bounds.worst)},
          {"data", bound_to_json(certificate.bounds.data)},
          {"tight", bound_to_json(certificate.bounds.tight)},
          {"exact", bound_to_json(certificate.bounds.exact)},
          {"rung", name(certificate.rung)},
          {"newton_steps", certificate.newton_steps},
          {"assumptions", certificate.assumptions}};
}

Status read_certificate(const Json& json, Certificate& certificate) {
  certificate.satisfied = json.at("satisfied").get<bool>();
  UNSCATTER_TRY(mechanism, parse_mechanism(json.at("mechanism").get<std::string>()));
  certificate.mechanism = mechanism;
  UNSCATTER_TRY(binding, parse_residual_bound(json.at("binding").get<std::string>()));
  certificate.binding = binding;
  UNSCATTER_TRY(rule, parse_budget_rule(json.at("rule").get<std::string>()));
  certificate.rule = rule;
  certificate.guarantee = {json.at("epsilon").get<double>(), json.at("delta").get<double>()};
  certificate.delta_for_shift = json.at("delta_for_shift").get<double>();
  certificate.noise_stddev = json.at("noise_stddev").get<double>();
  certificate.graphs = json.at("graphs").get<std::size_t>();
  certificate.residual_upper_bound = json.at("residual_upper_bound").get<double>();
  certificate.distance_upper_bound = json.at("distance_upper_bound").get<double>();
  certificate.shift_upper_bound = json.at("shift_upper_bound").get<double>();
  certificate.shift_limit = json.at("shift_limit").get<double>();
  certificate.bounds = {bound_from_json(json.at("worst")), bound_from_json(json.at("data")),
                        bound_from_json(json.at("tight")), bound_from_json(json.at("exact"))};
  UNSCATTER_TRY(rung, parse_rung(json.at("rung").get<std::string>()));
  certificate.rung = rung;
  certificate.newton_steps = json.at("newton_steps").get<std::size_t>();
  certificate.assumptions = json.at("assumptions").get<std::vector<std::string>>();
  return ok_status();
}

// The part of a StoredModel that is not a matrix.
std::string details_text(const StoredModel& model) {
  const Json document = {{"certificate", certificate_to_json(model.certificate)},
                         {"fast", model.rungs.fast},
                         {"exact", model.rungs.exact},
                         {"newton", model.rungs.newton},
                         {"retrain", model.rungs.retrain},
                         {"updates", model.rungs.total()},
                         {"published", model.published}};
  return document.dump();
}

Result<StoredModel> parse_details(std::string_view text) {
  const auto read = [](const Json& document) -> Result<StoredModel> {
    StoredModel model;
    UNSCATTER_CHECK_OK(read_certificate(document.at("certificate"), model.certificate));
    model.rungs = {document.at("fast").get<std::size_t>(), document.at("exact").get<std::size_t>(),
                   document.at("newton").get<std::size_t>(), document.at("retrain").get<std::size_t>()};
    model.published = document.at("published").get<std::size_t>();
    return model;
  };
  return read_canonical<StoredModel>(text, "description of a model", read, details_text);
}

}  // namespace

StoredModel model_of(const SessionSnapshot& snapshot, std::size_t published) {
  return {snapshot.weights, snapshot.residuals, snapshot.perturbation, snapshot.certificate, snapshot.rungs, published};
}

std::vector<std::byte> to_blob(const Matrix& matrix) {
  return bytes_of({matrix.data(), static_cast<std::size_t>(matrix.size())});
}
std::vector<std::byte> to_blob(const Vector& vector) {
  return bytes_of({vector.data(), static_cast<std::size_t>(vector.size())});
}

Result<Matrix> matrix_from_blob(const std::vector<std::byte>& blob, std::size_t rows, std::size_t columns) {
  if (blob.size() / sizeof(double) != rows * columns || blob.size() % sizeof(double) != 0) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("a matrix of {} x {} numbers has {} bytes", rows, columns, blob.size())};
  }
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  if (!blob.empty()) std::memcpy(matrix.data(), blob.data(), blob.size());
  return matrix;
}

Digest ModelRow::digest() const {
  Hasher hasher(salt);
  hasher.add(std::string_view("unscatter model 1"));
  const auto add = [&](const std::vector<std::byte>& blob) {
    hasher.add(std::uint64_t{blob.size()});
    hasher.add_bytes(blob);
  };
  add(weights);
  add(residuals);
  hasher.add(std::uint64_t{perturbation.has_value()});
  if (perturbation) add(*perturbation);
  hasher.add(details);
  return hasher.finish();
}

ModelRow to_row(const StoredModel& model, RandomSource& random) {
  ModelRow row;
  row.weights = to_blob(model.weights);
  row.residuals = to_blob(model.residuals);
  if (model.perturbation) row.perturbation = to_blob(*model.perturbation);
  row.details = details_text(model);
  row.salt = Salt::random(random);
  return row;
}

Result<StoredModel> model_from_row(const ModelRow& row, std::size_t width, std::size_t classes) {
  UNSCATTER_TRY(model, parse_details(row.details));
  UNSCATTER_TRY(weights, matrix_from_blob(row.weights, width, classes));
  model.weights = std::move(weights);
  UNSCATTER_TRY(residuals, matrix_from_blob(row.residuals, classes, 1));
  model.residuals = residuals.col(0);
  if (row.perturbation) {
    UNSCATTER_TRY(perturbation, matrix_from_blob(*row.perturbation, width, classes));
    model.perturbation = std::move(perturbation);
  }
  return model;
}

std::string published_text(const PublishedModel& model) {
  const Json document = {{"class_names", model.class_names},   {"bias", model.bias},
                         {"mechanism", name(model.mechanism)}, {"epsilon", model.guarantee.epsilon},
                         {"delta", model.guarantee.delta},     {"noise_stddev", model.noise_stddev},
                         {"shift_limit", model.shift_limit},   {"release_number", model.release_number},
                         {"releases", model.releases},         {"assumptions", model.assumptions}};
  return document.dump();
}

Result<PublishedModel> parse_published(std::string_view text) {
  const auto read = [](const Json& document) -> Result<PublishedModel> {
    PublishedModel model;
    model.class_names = document.at("class_names").get<std::vector<std::string>>();
    model.bias = document.at("bias").get<bool>();
    UNSCATTER_TRY(mechanism, parse_mechanism(document.at("mechanism").get<std::string>()));
    model.mechanism = mechanism;
    model.guarantee = {document.at("epsilon").get<double>(), document.at("delta").get<double>()};
    model.noise_stddev = document.at("noise_stddev").get<double>();
    model.shift_limit = document.at("shift_limit").get<double>();
    model.release_number = document.at("release_number").get<std::size_t>();
    model.releases = document.at("releases").get<std::size_t>();
    model.assumptions = document.at("assumptions").get<std::vector<std::string>>();
    return model;
  };
  return read_canonical<PublishedModel>(text, "published model", read, published_text);
}

}  // namespace unscatter
