#include "unscatter/store/promise_text.h"

#include <vector>

#include "store/json_fields.h"
#include "store/promise_json.h"

namespace unscatter {
namespace {

nlohmann::json guarantee_to_json(const RemovalGuarantee& guarantee) {
  return {{"epsilon", guarantee.epsilon}, {"delta", guarantee.delta}};
}

RemovalGuarantee guarantee_from_json(const nlohmann::json& json) {
  return {json.at("epsilon").get<double>(), json.at("delta").get<double>()};
}

nlohmann::json count_to_json(const EarlierCount& count) {
  nlohmann::json json = guarantee_to_json(count.guarantee);
  json["mechanism"] = name(count.mechanism);
  json["protection"] = name(count.protection);
  json["shift"] = count.shift;
  json["grid_delta"] = count.grid_delta;
  json["releases"] = count.releases;
  json["published"] = count.published;
  json["trained_again"] = count.trained_again;
  return json;
}

Result<EarlierCount> count_from_json(const nlohmann::json& json) {
  EarlierCount count;
  count.guarantee = guarantee_from_json(json);
  UNSCATTER_TRY(mechanism, parse_mechanism(json.at("mechanism").get<std::string>()));
  count.mechanism = mechanism;
  UNSCATTER_TRY(protection, parse_protection(json.at("protection").get<std::string>()));
  count.protection = protection;
  count.shift = json.at("shift").get<double>();
  count.grid_delta = json.at("grid_delta").get<double>();
  count.releases = whole_number(json.at("releases"));
  count.published = whole_number(json.at("published"));
  count.trained_again = json.at("trained_again").get<bool>();
  return count;
}

// Only a promise that has earlier counts spells them.  So documents from before there were any stay what they are.
void add_earlier(nlohmann::json& document, const Promise& promise) {
  if (promise.earlier.empty()) return;
  nlohmann::json counts = nlohmann::json::array();
  for (const EarlierCount& count : promise.earlier) counts.push_back(count_to_json(count));
  document["earlier"] = std::move(counts);
  document["together"] = promise.together ? guarantee_to_json(*promise.together) : nlohmann::json();
}

// Only a promise about rows whose function learned from private data spells it.
void add_embedding(nlohmann::json& document, const Promise& promise) {
  if (!promise.embedding) return;
  document["embedding"] = guarantee_to_json(*promise.embedding);
  document["with_embedding"] = promise.with_embedding ? guarantee_to_json(*promise.with_embedding) : nlohmann::json();
}

void read_embedding(const nlohmann::json& document, Promise& promise) {
  if (!document.contains("embedding")) return;
  promise.embedding = guarantee_from_json(document.at("embedding"));
  const nlohmann::json& both = document.at("with_embedding");
  if (!both.is_null()) promise.with_embedding = guarantee_from_json(both);
}

Status read_earlier(const nlohmann::json& document, Promise& promise) {
  if (!document.contains("earlier")) return ok_status();
  for (const nlohmann::json& entry : document.at("earlier")) {
    UNSCATTER_TRY(count, count_from_json(entry));
    promise.earlier.push_back(count);
  }
  if (!document.at("together").is_null()) promise.together = guarantee_from_json(document.at("together"));
  return ok_status();
}

}  // namespace

void add_promise(nlohmann::json& document, const Promise& promise, const PromiseParts& parts) {
  // No field may be renamed or left out: receipts that were given out are checked against this spelling for ever.
  document["mechanism"] = name(promise.mechanism);
  document["epsilon"] = promise.guarantee.epsilon;
  document["delta"] = promise.guarantee.delta;
  document["noise_stddev"] = promise.noise_stddev;
  document["shift_limit"] = promise.shift_limit;
  if (parts.rule) document["rule"] = name(promise.rule);
  if (parts.delta_for_shift) document["delta_for_shift"] = promise.delta_for_shift;
  if (parts.releases) document["releases"] = promise.releases;
  if (parts.assumptions) document["assumptions"] = promise.assumptions;
  if (parts.constants) {
    // By name, so that a reader finds one without a search.
    nlohmann::json constants = nlohmann::json::array();
    for (const ConstantOrigin& origin : promise.constants) {
      constants.push_back({{"name", origin.name}, {"kind", name(origin.kind)}});
    }
    document["constants"] = std::move(constants);
  }
  if (parts.level) {
    document["protection"] = name(promise.protection);
    document["per_subject"] = promise.per_subject;
    document["sensitivity"] = promise.sensitivity;
    add_earlier(document, promise);
    add_embedding(document, promise);
  }
}

Result<Promise> promise_from_json(const nlohmann::json& document, const PromiseParts& parts) {
  Promise promise;
  UNSCATTER_TRY(mechanism, parse_mechanism(document.at("mechanism").get<std::string>()));
  promise.mechanism = mechanism;
  promise.guarantee = {document.at("epsilon").get<double>(), document.at("delta").get<double>()};
  promise.noise_stddev = document.at("noise_stddev").get<double>();
  promise.shift_limit = document.at("shift_limit").get<double>();
  if (parts.rule) {
    UNSCATTER_TRY(rule, parse_budget_rule(document.at("rule").get<std::string>()));
    promise.rule = rule;
  }
  if (parts.delta_for_shift) promise.delta_for_shift = document.at("delta_for_shift").get<double>();
  if (parts.releases) promise.releases = whole_number(document.at("releases"));
  if (parts.assumptions) promise.assumptions = document.at("assumptions").get<std::vector<std::string>>();
  if (parts.constants) {
    for (const nlohmann::json& entry : document.at("constants")) {
      UNSCATTER_TRY(kind, parse_constant_kind(entry.at("kind").get<std::string>()));
      promise.constants.push_back({entry.at("name").get<std::string>(), kind});
    }
  }
  if (parts.level) {
    UNSCATTER_TRY(protection, parse_protection(document.at("protection").get<std::string>()));
    promise.protection = protection;
    promise.per_subject = whole_number(document.at("per_subject"));
    promise.sensitivity = document.at("sensitivity").get<double>();
    UNSCATTER_CHECK_OK(read_earlier(document, promise));
    read_embedding(document, promise);
  }
  return promise;
}

Promise shown(const Promise& promise, const PromiseParts& parts) {
  // A document that was just made then equals the one that is read back from its text.
  const Promise unknown;
  return {promise.mechanism,
          parts.rule ? promise.rule : unknown.rule,
          promise.guarantee,
          promise.noise_stddev,
          parts.delta_for_shift ? promise.delta_for_shift : unknown.delta_for_shift,
          promise.shift_limit,
          parts.releases ? promise.releases : unknown.releases,
          parts.assumptions ? promise.assumptions : unknown.assumptions,
          parts.constants ? promise.constants : unknown.constants,
          parts.level ? promise.protection : unknown.protection,
          parts.level ? promise.per_subject : unknown.per_subject,
          parts.level ? promise.sensitivity : unknown.sensitivity,
          parts.level ? promise.earlier : unknown.earlier,
          parts.level ? promise.together : unknown.together,
          parts.level ? promise.embedding : unknown.embedding,
          parts.level ? promise.with_embedding : unknown.with_embedding};
}

std::string promise_text(const Promise& promise, const PromiseParts& parts) {
  nlohmann::json document = nlohmann::json::object();
  add_promise(document, promise, parts);
  return document.dump();
}

}  // namespace unscatter
