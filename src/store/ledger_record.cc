#include "unscatter/store/ledger_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "store/json_fields.h"
#include "store/promise_json.h"

namespace unscatter {
namespace {

using Json = nlohmann::json;  // keys sorted

// The names stand in files and under signatures.
constexpr std::array kKinds = {std::pair{EntryKind::kCreated, std::string_view("created")},
                               std::pair{EntryKind::kForgotten, std::string_view("forgotten")},
                               std::pair{EntryKind::kReleased, std::string_view("released")},
                               std::pair{EntryKind::kUpgraded, std::string_view("upgraded")},
                               std::pair{EntryKind::kReplayed, std::string_view("replayed")},
                               std::pair{EntryKind::kRenewed, std::string_view("renewed")},
                               std::pair{EntryKind::kAdded, std::string_view("added")},
                               std::pair{EntryKind::kCorrected, std::string_view("corrected")}};

Result<EntryKind> parse_kind(std::string_view text) {
  for (const auto& [kind, spelled] : kKinds) {
    if (spelled == text) return kind;
  }
  return Error{ErrorCode::kMalformedInput, fmt::format("'{}' is no kind of entry", text)};
}

constexpr PromiseParts entry_promise(std::uint32_t version) { return version == 1 ? kEntryPromise1 : kEntryPromise; }

Json digest_or_null(const std::optional<Digest>& digest) { return digest ? Json(digest->hex()) : Json(); }

Result<std::optional<Digest>> digest_if_there(const Json& json) {
  if (json.is_null()) return std::optional<Digest>();
  UNSCATTER_TRY(digest, digest_from_json(json));
  return std::optional(digest);
}

// What version 1 does not have.
void add_since_version_2(Json& document, const LedgerRecord& record) {
  document["version"] = record.version;
  document["published_model"] = digest_or_null(record.published_model);
  document["supersedes"] = digest_or_null(record.supersedes);
  // Entries that have none are spelled as before there was such a thing.
  if (record.continues) document["continues"] = record.continues->hex();
  if (record.kind == EntryKind::kAdded) document["graphs_added"] = record.graphs_added;
}

Status read_since_version_2(const Json& document, LedgerRecord& record) {
  UNSCATTER_TRY(published_model, digest_if_there(document.at("published_model")));
  record.published_model = published_model;
  UNSCATTER_TRY(supersedes, digest_if_there(document.at("supersedes")));
  record.supersedes = supersedes;
  if (document.contains("continues")) {
    UNSCATTER_TRY(continues, digest_from_json(document.at("continues")));
    record.continues = continues;
  }
  if (record.kind == EntryKind::kAdded) record.graphs_added = whole_number(document.at("graphs_added"));
  return ok_status();
}

// Bodies of version 1 have no number.
Result<std::uint32_t> version_of(const Json& document) {
  const auto found = document.find("version");
  if (found == document.end()) return std::uint32_t{1};
  const auto version = static_cast<std::uint32_t>(whole_number(*found));
  if (version == kLedgerVersion) return version;
  return Error{ErrorCode::kMalformedInput,
               fmt::format("its version is {}, and this program knows 1 and {}", version, kLedgerVersion)};
}

// The next power of two, for a number that is finite and not negative.  A power of two stays.  The result is still an
// upper bound, and tells no digit that could confirm a guess (docs/workspace-format.md, "Why rounded numbers").
double rounded_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

}  // namespace

std::string_view name(EntryKind kind) {
  for (const auto& [candidate, spelled] : kKinds) {
    if (candidate == kind) return spelled;
  }
  return "?";
}

void set_certificate(LedgerRecord& record, const Certificate& certificate) {
  record.satisfied = certificate.satisfied;
  record.promise = shown(certificate.promise, entry_promise(record.version));
  record.binding = certificate.binding;
  record.graphs = certificate.graphs;
  record.residual_upper_bound = rounded_up(certificate.residual_upper_bound);
  record.distance_upper_bound = rounded_up(certificate.distance_upper_bound);
  record.shift_upper_bound = rounded_up(certificate.shift_upper_bound);
  // Rounding up may carry a shift over its limit, and invariant 7 would call the entry damaged.  The limit is an upper
  // bound as well.  It follows from options, so it says nothing about the data.
  const double limit = certificate.promise.shift_limit;
  if (certificate.shift_upper_bound <= limit) record.shift_upper_bound = std::min(record.shift_upper_bound, limit);
  record.rung = certificate.rung;
  record.newton_steps = certificate.newton_steps;
}

// The document sorts its keys, so the order of the lines here is free.
std::string ledger_text(const LedgerRecord& record) {
  Json certificate = {{"satisfied", record.satisfied},
                      {"binding", name(record.binding)},
                      {"residual_upper_bound", record.residual_upper_bound},
                      {"distance_upper_bound", record.distance_upper_bound},
                      {"shift_upper_bound", record.shift_upper_bound},
                      {"rung", name(record.rung)},
                      {"newton_steps", record.newton_steps}};
  add_promise(certificate, record.promise, entry_promise(record.version));
  Json document = {{"kind", name(record.kind)},
                   {"sequence", record.sequence},
                   {"workspace", record.workspace},
                   {"previous", record.previous.hex()},
                   {"time", record.time},
                   {"software", record.software},
                   {"constants", record.constants.hex()},
                   {"requests", counts_to_json(record.requests)},
                   {"commitments", digests_to_json(record.commitments)},
                   {"graphs_edited", record.graphs_edited},
                   {"graphs_removed", record.graphs_removed},
                   {"graphs", record.graphs},
                   {"published", record.published},
                   {"data_before", record.data_before.hex()},
                   {"data_after", record.data_after.hex()},
                   {"model", record.model.hex()},
                   {"certificate", certificate}};
  if (record.version >= 2) add_since_version_2(document, record);
  return document.dump();
}

Result<LedgerRecord> parse_ledger_text(std::string_view text) {
  const auto read = [](const Json& document) -> Result<LedgerRecord> {
    LedgerRecord record;
    UNSCATTER_TRY(version, version_of(document));
    record.version = version;
    UNSCATTER_TRY(kind, parse_kind(document.at("kind").get<std::string>()));
    record.kind = kind;
    if (version >= 2) UNSCATTER_CHECK_OK(read_since_version_2(document, record));
    record.sequence = whole_number(document.at("sequence"));
    record.workspace = document.at("workspace").get<std::string>();
    UNSCATTER_TRY(previous, digest_from_json(document.at("previous")));
    record.previous = previous;
    record.time = document.at("time").get<std::string>();
    record.software = document.at("software").get<std::string>();
    UNSCATTER_TRY(constants, digest_from_json(document.at("constants")));
    record.constants = constants;
    record.requests = counts_from_json(document.at("requests"));
    UNSCATTER_TRY(commitments, digests_from_json(document.at("commitments")));
    record.commitments = std::move(commitments);
    record.graphs_edited = whole_number(document.at("graphs_edited"));
    record.graphs_removed = whole_number(document.at("graphs_removed"));
    record.graphs = whole_number(document.at("graphs"));
    record.published = whole_number(document.at("published"));
    UNSCATTER_TRY(data_before, digest_from_json(document.at("data_before")));
    record.data_before = data_before;
    UNSCATTER_TRY(data_after, digest_from_json(document.at("data_after")));
    record.data_after = data_after;
    UNSCATTER_TRY(model, digest_from_json(document.at("model")));
    record.model = model;

    const Json& certificate = document.at("certificate");
    record.satisfied = certificate.at("satisfied").get<bool>();
    UNSCATTER_TRY(promise, promise_from_json(certificate, entry_promise(version)));
    record.promise = std::move(promise);
    UNSCATTER_TRY(binding, parse_residual_bound(certificate.at("binding").get<std::string>()));
    record.binding = binding;
    record.residual_upper_bound = certificate.at("residual_upper_bound").get<double>();
    record.distance_upper_bound = certificate.at("distance_upper_bound").get<double>();
    record.shift_upper_bound = certificate.at("shift_upper_bound").get<double>();
    UNSCATTER_TRY(rung, parse_rung(certificate.at("rung").get<std::string>()));
    record.rung = rung;
    record.newton_steps = whole_number(certificate.at("newton_steps"));
    return record;
  };
  return read_canonical<LedgerRecord>(text, "ledger entry", read, ledger_text);
}

// No salt: everybody who has the entry must be able to compute its hash.  What an entry says of data is salted or
// rounded already.  The first text keeps these hashes apart from all others.
Digest entry_hash(std::string_view text) {
  return Hasher().add(std::string_view("unscatter ledger 1")).add(text).finish();
}

}  // namespace unscatter
