#include "certificate_words.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "constant_words.h"

namespace unscatter::cli {
namespace {

Json bound_json(const std::optional<double>& bound) { return bound ? Json(*bound) : Json(nullptr); }

// "exact: residual at most 1.2e-9 (shift 3.4e-06 of 0.0099 allowed)"
template <typename Record>
std::string bound_words(const Record& record) {
  return fmt::format("{}: residual at most {:.2e}, shift at most {:.2e}; allowed {:.2e}", name(record.binding),
                     record.residual_upper_bound, record.shift_upper_bound, record.promise.shift_limit);
}

// The other bounds, where they were computed.  Only a certificate has them.
void add_other_bounds(Table& table, const ResidualBounds& bounds) {
  std::string words;
  std::size_t computed = 0;
  for (const auto& [text, bound] : {std::pair{"worst", bounds.worst}, std::pair{"data", bounds.data},
                                    std::pair{"tight", bounds.tight}, std::pair{"exact", bounds.exact}}) {
    if (!bound) continue;
    ++computed;
    words += fmt::format("{}{} {:.2e}", words.empty() ? "" : ", ", text, *bound);
  }
  // One alone is the binding one, which stands above.
  if (computed > 1) table.add_row({"all bounds", std::move(words)});
}

// A Certificate, or the ledger's record of one.  The fields have the same names.
template <typename Record>
void add_rows(Table& table, const Record& record) {
  std::string words = guarantee_words(record.promise);
  // Whoever reads "certified" has to see at once that this rule promises too much.
  if (record.promise.rule == BudgetRule::kPaper) words += "; the paper's budget, not sound for several classes";
  table.add_row({record.satisfied ? "certified" : "NOT certified", std::move(words)});
  table.add_row({"distance", distance_words(record.promise, record.distance_upper_bound, record.shift_upper_bound)});
  table.add_row({"how", rung_words(record.rung, record.newton_steps, record.binding)});
  table.add_row({"bound", bound_words(record)});
  add_earlier_rows(table, record.promise);
  add_embedding_rows(table, record.promise);
  add_constants_row(table, record.promise.constants);
}

}  // namespace

std::string graphs_words(std::size_t edited, std::size_t removed, std::size_t left) {
  return fmt::format("{} edited, {} removed, {} left", grouped(edited), grouped(removed), grouped(left));
}

// How much work it was.  The promise is the same on every rung (docs/certificates.md, "Rungs").
std::string rung_words(Rung rung, std::size_t newton_steps, ResidualBound binding) {
  switch (rung) {
    case Rung::kFast: return "fast: a step with the kept factor, no other graph was looked at";
    case Rung::kExact: return "exact: a step with the kept factor, then the gradient of all graphs evaluated";
    case Rung::kNewton:
      return fmt::format("newton: {}, {}", counted(newton_steps, "Newton step", "Newton steps"),
                         binding == ResidualBound::kExact ? "gradient evaluated on all graphs"
                                                          : fmt::format("gradient bounded by '{}'", name(binding)));
    case Rung::kRetrain: return "retrain: trained from scratch";
  }
  return {};
}

std::string guarantee_words(const Promise& promise) {
  const bool everyone = promise.protection == Protection::kEveryone;
  // The noise of level everyone is derived, and its last digits tell a person nothing.
  const std::string noise =
      everyone ? fmt::format("{:.4g}", promise.noise_stddev) : fmt::format("{}", promise.noise_stddev);
  return fmt::format("(epsilon, delta) = ({}, {}){}, by noise of {} {}", promise.guarantee.epsilon,
                     promise.guarantee.delta, everyone ? " for every subject" : "", noise,
                     promise.mechanism == Mechanism::kRelease ? "on every published model" : "in the objective");
}

// A share of the limit, because a residual or a shift alone tells a reader nothing.
std::string distance_words(double distance_upper_bound, double shift_upper_bound, double shift_limit) {
  return fmt::format("kept weights at most {:.1e} from training from scratch; {:.2g} % of what the noise may hide",
                     distance_upper_bound, shift_limit > 0 ? 100 * shift_upper_bound / shift_limit : 0);
}

std::string distance_words(const Promise& promise, double distance_upper_bound, double shift_upper_bound) {
  if (promise.protection == Protection::kRemoved) {
    return distance_words(distance_upper_bound, shift_upper_bound, promise.shift_limit);
  }
  return fmt::format("kept weights at most {:.1e} from training from scratch; one subject moves that by {:.3g} at most",
                     distance_upper_bound, promise.sensitivity);
}

Json exposure_json(const Exposure& exposure) {
  // JSON has no infinity.
  return {{"models", exposure.models},
          {"older", exposure.older},
          {"shift", std::isfinite(exposure.shift) ? Json(exposure.shift) : Json(nullptr)},
          {"best_guess", best_guess(exposure)}};
}

void add_earlier_rows(Table& table, const Promise& promise) {
  if (promise.earlier.empty()) return;
  const std::size_t counts = promise.earlier.size();
  const bool again = promise.earlier.back().trained_again;
  table.add_row(
      {"earlier",
       fmt::format("{} in {}{}; they are not undone", counted(published_in(promise.earlier), "model", "models"),
                   counted(counts, "count", "counts"), again ? ", before it was trained again" : "")});
  table.add_row({"all together", promise.together
                                     ? fmt::format("(epsilon, delta) = ({:.4g}, {:.4g}) for all {} counts",
                                                   promise.together->epsilon, promise.together->delta, counts + 1)
                                     : std::string("no joint promise: the counts are of different kinds")});
}

void add_embedding_rows(Table& table, const Promise& promise) {
  if (!promise.embedding) return;
  table.add_row({"rows made with", fmt::format("(epsilon, delta) = ({}, {}) differential privacy, as the user states",
                                               promise.embedding->epsilon, promise.embedding->delta)});
  table.add_row({"rows and models", promise.with_embedding
                                        ? fmt::format("(epsilon, delta) = ({:.4g}, {:.4g}) for one {}subject at a time",
                                                      promise.with_embedding->epsilon, promise.with_embedding->delta,
                                                      promise.protection == Protection::kRemoved ? "removed " : "")
                                        : std::string("no joint promise")});
}

void add_certificate_rows(Table& table, const Certificate& certificate) {
  add_rows(table, certificate);
  add_other_bounds(table, certificate.bounds);
}
void add_certificate_rows(Table& table, const LedgerRecord& record) { add_rows(table, record); }

Json counts_json(const RequestCounts& counts) {
  return {{"features", counts.features},
          {"nodes", counts.nodes},
          {"edges", counts.edges},
          {"graphs", counts.graphs},
          {"subjects", counts.subjects}};
}

void fill_in_promise(Json& document, const Promise& promise, const PromiseParts& parts) {
  // Through the library's own text, so that the program cannot spell a promise in another way.
  document.update(Json::parse(promise_text(promise, parts)));
}

Json certificate_json(const Certificate& certificate) {
  Json json = {{"satisfied", certificate.satisfied},
               // null keeps the places of fields until the promise is filled in.
               {"mechanism", nullptr},
               {"binding", name(certificate.binding)},
               {"rule", nullptr},
               {"epsilon", nullptr},
               {"delta", nullptr},
               {"delta_for_shift", nullptr},
               {"noise_stddev", nullptr},
               {"graphs", certificate.graphs},
               {"residual_upper_bound", certificate.residual_upper_bound},
               {"distance_upper_bound", certificate.distance_upper_bound},
               {"shift_upper_bound", certificate.shift_upper_bound},
               {"shift_limit", nullptr},
               {"bounds",
                {{"worst", bound_json(certificate.bounds.worst)},
                 {"data", bound_json(certificate.bounds.data)},
                 {"tight", bound_json(certificate.bounds.tight)},
                 {"exact", bound_json(certificate.bounds.exact)}}},
               {"rung", name(certificate.rung)},
               {"newton_steps", certificate.newton_steps},
               {"assumptions", nullptr},
               {"constants", nullptr}};
  fill_in_promise(json, certificate.promise, kCertificatePromise);
  return json;
}

Json entry_json(const LedgerRecord& record) {
  // The hash is that of the canonical text.  It can be checked against a receipt.
  const std::string text = ledger_text(record);
  Json json = Json::parse(text);
  json["hash"] = entry_hash(text).hex();
  return json;
}

std::string compact_receipt(const Receipt& receipt) { return Json::parse(receipt_text(receipt)).dump(); }

}  // namespace unscatter::cli
