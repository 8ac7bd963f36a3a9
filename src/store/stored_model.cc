#include "store/stored_model.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "store/json_fields.h"
#include "store/promise_json.h"

namespace unscatter {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

// Bit for bit, because a certificate is about exactly these weights.
std::vector<std::byte> bytes_of(std::span<const double> numbers) {
  const std::span<const std::byte> bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

// An infinite bound says as much as none, and JSON has no word for infinity.
Json bound_to_json(const std::optional<double>& bound) {
  return bound && std::isfinite(*bound) ? Json(*bound) : Json();
}

// Missing and infinite bounds are both null and both read as missing.
std::optional<double> bound_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

constexpr PromiseParts certificate_promise(std::uint32_t version) {
  return version == 1 ? kCertificatePromise1 : kCertificatePromise;
}
constexpr PromiseParts published_promise(std::uint32_t version) {
  return version == 1 ? kPublishedPromise1 : kPublishedPromise;
}

// All digits stand here, unlike in the ledger.  The next removal overwrites this row, but the ledger stays.
Json certificate_to_json(const Certificate& certificate, std::uint32_t version) {
  Json json = {{"satisfied", certificate.satisfied},
               {"binding", name(certificate.binding)},
               {"graphs", certificate.graphs},
               {"residual_upper_bound", certificate.residual_upper_bound},
               {"distance_upper_bound", certificate.distance_upper_bound},
               {"shift_upper_bound", certificate.shift_upper_bound},
               {"worst", bound_to_json(certificate.bounds.worst)},
               {"data", bound_to_json(certificate.bounds.data)},
               {"tight", bound_to_json(certificate.bounds.tight)},
               {"exact", bound_to_json(certificate.bounds.exact)},
               {"rung", name(certificate.rung)},
               {"newton_steps", certificate.newton_steps}};
  add_promise(json, certificate.promise, certificate_promise(version));
  return json;
}

Status read_certificate(const Json& json, std::uint32_t version, Certificate& certificate) {
  certificate.satisfied = json.at("satisfied").get<bool>();
  UNSCATTER_TRY(promise, promise_from_json(json, certificate_promise(version)));
  certificate.promise = std::move(promise);
  UNSCATTER_TRY(binding, parse_residual_bound(json.at("binding").get<std::string>()));
  certificate.binding = binding;
  certificate.graphs = whole_number(json.at("graphs"));
  certificate.residual_upper_bound = json.at("residual_upper_bound").get<double>();
  certificate.distance_upper_bound = json.at("distance_upper_bound").get<double>();
  certificate.shift_upper_bound = json.at("shift_upper_bound").get<double>();
  certificate.bounds = {bound_from_json(json.at("worst")), bound_from_json(json.at("data")),
                        bound_from_json(json.at("tight")), bound_from_json(json.at("exact"))};
  UNSCATTER_TRY(rung, parse_rung(json.at("rung").get<std::string>()));
  certificate.rung = rung;
  certificate.newton_steps = whole_number(json.at("newton_steps"));
  return ok_status();
}

// The part of a StoredModel that is not a matrix.  `updates` follows from the rungs.  It is not read, but the
// comparison of spellings checks it.
std::string details_text(const StoredModel& model) {
  Json document = {{"certificate", certificate_to_json(model.certificate, model.version)},
                   {"updates", model.rungs.total()},
                   {"published", model.published}};
  if (model.version >= 2) {
    document["version"] = model.version;
    document["features"] = model.features;
    document["class_names"] = model.class_names;
  }
  return counts_by_name(model.rungs, std::move(document)).dump();
}

Result<StoredModel> parse_details(std::string_view text) {
  const auto read = [](const Json& document) -> Result<StoredModel> {
    StoredModel model;
    model.version = document.contains("version") ? static_cast<std::uint32_t>(whole_number(document.at("version"))) : 1;
    if (model.version > kModelVersion) {
      return Error{ErrorCode::kMalformedInput,
                   fmt::format("its version {} is newer than this program knows ({})", model.version, kModelVersion)};
    }
    if (model.version >= 2) {
      model.features = document.at("features").get<std::string>();
      model.class_names = document.at("class_names").get<std::vector<std::string>>();
    }
    UNSCATTER_CHECK_OK(read_certificate(document.at("certificate"), model.version, model.certificate));
    for (const auto& [rung, key] : kRungs) model.rungs[rung] = whole_number(document.at(std::string(key)));
    model.published = whole_number(document.at("published"));
    return model;
  };
  return read_canonical<StoredModel>(text, "description of a model", read, details_text);
}

}  // namespace

StoredModel model_of(const SessionSnapshot& snapshot, std::size_t published) {
  return {snapshot.weights, snapshot.residuals, snapshot.perturbation, snapshot.certificate, snapshot.rungs,
          published,        kModelVersion,      snapshot.features,     snapshot.class_names};
}

std::vector<std::byte> to_blob(const Matrix& matrix) {
  return bytes_of({matrix.data(), static_cast<std::size_t>(matrix.size())});
}
std::vector<std::byte> to_blob(const Vector& vector) {
  return bytes_of({vector.data(), static_cast<std::size_t>(vector.size())});
}

Result<Matrix> matrix_from_blob(const std::vector<std::byte>& blob, std::size_t rows, std::size_t columns) {
  // The sizes come from the constants, never from the blob.  So damaged bytes cannot ask for memory.
  if (blob.size() / sizeof(double) != rows * columns || blob.size() % sizeof(double) != 0) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("a matrix of {} x {} numbers has {} bytes", rows, columns, blob.size())};
  }
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  if (!blob.empty()) std::memcpy(matrix.data(), blob.data(), blob.size());
  return matrix;
}

Digest ModelRow::digest() const {
  // Salted like the graphs: somebody could train without a guessed graph, hash the weights, and compare with the
  // ledger.
  Hasher hasher(salt);
  hasher.add(std::string_view("unscatter model 1"));
  const auto add = [&](const std::vector<std::byte>& blob) {
    hasher.add(std::uint64_t{blob.size()});
    hasher.add_bytes(blob);
  };
  add(weights);
  add(residuals);
  // No perturbation and an empty one have to differ.
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

Result<StoredModel> details_of(const ModelRow& row) { return parse_details(row.details); }

Result<StoredModel> model_from_row(const ModelRow& row, std::size_t width, std::size_t classes) {
  UNSCATTER_TRY(model, parse_details(row.details));
  UNSCATTER_TRY(weights, matrix_from_blob(row.weights, width, classes));
  model.weights = std::move(weights);
  // Whether the numbers are finite is looked at when a session is restored from them.
  UNSCATTER_TRY(residuals, matrix_from_blob(row.residuals, classes, 1));
  model.residuals = residuals.col(0);
  if (row.perturbation) {
    UNSCATTER_TRY(perturbation, matrix_from_blob(*row.perturbation, width, classes));
    model.perturbation = std::move(perturbation);
  }
  return model;
}

std::string published_text(const PublishedModel& model, std::uint32_t version) {
  Json document = {{"class_names", model.class_names}, {"bias", model.bias}, {"release_number", model.release_number}};
  if (version >= 2) document["version"] = version;
  add_promise(document, model.promise, published_promise(version));
  return document.dump();
}

Result<PublishedModel> parse_published(std::string_view text, std::uint32_t version) {
  const auto read = [version](const Json& document) -> Result<PublishedModel> {
    PublishedModel model;
    model.class_names = document.at("class_names").get<std::vector<std::string>>();
    model.bias = document.at("bias").get<bool>();
    model.release_number = whole_number(document.at("release_number"));
    UNSCATTER_TRY(promise, promise_from_json(document, published_promise(version)));
    model.promise = std::move(promise);
    return model;
  };
  const auto write = [version](const PublishedModel& model) { return published_text(model, version); };
  return read_canonical<PublishedModel>(text, "published model", read, write);
}

}  // namespace unscatter
