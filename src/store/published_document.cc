// Published models as signed files.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "store/constants.h"
#include "store/json_fields.h"
#include "store/promise_json.h"
#include "unscatter/store/receipt.h"

namespace unscatter {
namespace {

using Json = nlohmann::json;  // keys sorted

constexpr std::string_view kModelFormat = "unscatter-model-2";
// The first line of what is signed.  It keeps these signatures apart from those of receipts and of ledger entries.
constexpr std::string_view kModelLine = "unscatter model 2\n";

// Weights per class, and the bias by itself, which is the last coordinate of every class.
void add_weights(Json& document, const PublishedModel& model) {
  const Eigen::Index width = model.weights.rows() - (model.bias ? 1 : 0);
  Json weights = Json::array();
  Json bias = model.bias ? Json::array() : Json();
  for (Eigen::Index k = 0; k < model.weights.cols(); ++k) {
    const Vector column = model.weights.col(k);
    weights.push_back(std::vector<double>(column.begin(), column.begin() + width));
    if (model.bias) bias.push_back(column(width));
  }
  document["weights"] = std::move(weights);
  document["bias"] = std::move(bias);
}

Status read_weights(const Json& document, PublishedModel& model) {
  const auto classes = document.at("weights").get<std::vector<std::vector<double>>>();
  const Error malformed{ErrorCode::kMalformedInput, "its weights do not fit its classes"};
  model.bias = !document.at("bias").is_null();
  const auto bias = model.bias ? document.at("bias").get<std::vector<double>>() : std::vector<double>();
  if (classes.size() != model.class_names.size() || classes.empty()) return malformed;
  if (model.bias && bias.size() != classes.size()) return malformed;
  const std::size_t width = classes.front().size();
  model.weights.resize(static_cast<Eigen::Index>(width + (model.bias ? 1 : 0)),
                       static_cast<Eigen::Index>(classes.size()));
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (classes[k].size() != width) return malformed;
    auto column = model.weights.col(static_cast<Eigen::Index>(k));
    for (std::size_t i = 0; i < width; ++i) column(static_cast<Eigen::Index>(i)) = classes[k][i];
    if (model.bias) column(static_cast<Eigen::Index>(width)) = bias[k];
  }
  return ok_status();
}

// What the entry commits to.  The entry itself cannot be part of it.
Json committed_json(const PublishedDocument& document) {
  Json json = {{"format", kModelFormat},
               {"workspace", document.workspace},
               {"features", document.features},
               {"transform", transform_to_json(document.transform, kConstantsVersion)},
               {"embedding_version", document.embedding_version},
               {"classes", document.model.class_names},
               {"release_number", document.model.release_number}};
  add_promise(json, document.model.promise, kPublishedPromise);
  add_weights(json, document.model);
  return json;
}

Json unsigned_model(const PublishedDocument& document) {
  Json json = committed_json(document);
  json["sequence"] = document.sequence;
  json["previous"] = document.previous.hex();
  json["entry"] = document.entry.hex();
  json["time"] = document.time;
  json["software"] = document.software;
  json["signer"] = document.signer.hex();
  return json;
}

Status read_entry_fields(const Json& json, PublishedDocument& document) {
  document.sequence = whole_number(json.at("sequence"));
  UNSCATTER_TRY(previous, digest_from_json(json.at("previous")));
  document.previous = previous;
  UNSCATTER_TRY(entry, digest_from_json(json.at("entry")));
  document.entry = entry;
  document.time = json.at("time").get<std::string>();
  document.software = json.at("software").get<std::string>();
  UNSCATTER_TRY(signer, parse_public_key(json.at("signer").get<std::string>()));
  document.signer = signer;
  UNSCATTER_TRY(signature, parse_signature(json.at("signature").get<std::string>()));
  document.signature = signature;
  return ok_status();
}

Result<PublishedDocument> model_from_json(const Json& json) {
  if (json.at("format").get<std::string>() != kModelFormat) {
    return Error{ErrorCode::kMalformedInput, fmt::format("its format is not '{}'", kModelFormat)};
  }
  PublishedDocument document;
  document.workspace = json.at("workspace").get<std::string>();
  document.features = json.at("features").get<std::string>();
  UNSCATTER_CHECK_OK(read_transform(json.at("transform"), kConstantsVersion, document.transform));
  document.embedding_version = static_cast<std::uint32_t>(whole_number(json.at("embedding_version")));
  document.model.class_names = json.at("classes").get<std::vector<std::string>>();
  document.model.release_number = whole_number(json.at("release_number"));
  UNSCATTER_TRY(promise, promise_from_json(json, kPublishedPromise));
  document.model.promise = std::move(promise);
  UNSCATTER_CHECK_OK(read_weights(json, document.model));
  UNSCATTER_CHECK_OK(read_entry_fields(json, document));
  return document;
}

}  // namespace

Digest published_digest(const PublishedDocument& document) {
  return Hasher().add(std::string_view("unscatter published model 2")).add(committed_json(document).dump()).finish();
}

std::string signed_text(const PublishedDocument& document) {
  return std::string(kModelLine) + unsigned_model(document).dump();
}

std::string published_model_text(const PublishedDocument& document) {
  Json json = unsigned_model(document);
  json["signature"] = document.signature.hex();
  // One line per class.  A JSON writer would put every number on a line of its own.
  std::string rows;
  for (const Json& row : json.at("weights")) rows += fmt::format("{}\n    {}", rows.empty() ? "" : ",", row.dump());
  json["weights"] = nullptr;
  std::string text = json.dump(2) + "\n";
  // Texts in the document cannot imitate the place: their quotes are escaped.
  constexpr std::string_view kPlace = "\"weights\": null";
  return text.replace(text.find(kPlace), kPlace.size(), fmt::format("\"weights\": [{}\n  ]", rows));
}

Result<PublishedDocument> parse_published_model(std::string_view text) {
  return read_canonical<PublishedDocument>(text, "published model", model_from_json, published_model_text);
}

void sign(PublishedDocument& document, const SigningKey& key) {
  // In this order: the signer is part of what is signed.
  document.signer = key.public_key();
  document.signature = key.sign(signed_text(document));
}

Status check_signature(const PublishedDocument& document, const PublicKey& key) {
  // As for a receipt: the key that the document names is compared, and never used.
  if (document.signer != key) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the model names {} as its signer, not {}", document.signer.hex(), key.hex())};
  }
  if (!verify_signature(signed_text(document), document.signature, key)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the model's signature is wrong: it was changed, or its signer did not sign it"};
  }
  return ok_status();
}

}  // namespace unscatter
