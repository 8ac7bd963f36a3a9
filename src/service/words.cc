#include "service/words.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "unscatter/store/promise_text.h"

namespace unscatter::service {
namespace {

// "3 nodes, 1 edge"
class List {
 public:
  void add(std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) words_ += (words_.empty() ? "" : ", ") + counted(count, one, many);
  }
  [[nodiscard]] std::string str() const { return words_.empty() ? "nothing" : words_; }

 private:
  std::string words_;
};

Json bound_json(const std::optional<double>& bound) { return bound ? Json(*bound) : Json(nullptr); }

}  // namespace

std::string promise_words(const Promise& promise) {
  const bool everyone = promise.protection == Protection::kEveryone;
  const std::string numbers =
      fmt::format("(epsilon, delta) = ({}, {})", promise.guarantee.epsilon, promise.guarantee.delta);
  if (promise.mechanism == Mechanism::kObjective) {
    return fmt::format("{}, by noise of {:.4g} in the objective.", numbers, promise.noise_stddev);
  }
  return fmt::format(
      "Whoever sees the published models, {} of them at most, can hardly tell them from models that were trained "
      "without "
      "{}: {}, by noise of {:.4g} on every published weight.",
      promise.releases, everyone ? "any one subject" : "what was forgotten", numbers, promise.noise_stddev);
}

std::string protection_words(const SessionOptions& options) {
  if (options.protection == Protection::kRemoved) return "removed: those who were removed, in models published later";
  return options.per_subject == 0
             ? std::string("everyone: every graph is a subject")
             : fmt::format("everyone: every subject, in at most {}", counted(options.per_subject, "graph", "graphs"));
}

std::string certificate_words(const Certificate& certificate) {
  return fmt::format("{}: kept weights at most {:.1e} from training from scratch.",
                     certificate.satisfied ? "certified" : "NOT certified", certificate.distance_upper_bound);
}

std::string cost_words(const Certificate& certificate) {
  switch (certificate.rung) {
    case Rung::kFast: return "fast: a step with the kept factor, no other graph is looked at";
    case Rung::kExact: return "exact: a step with the kept factor, then the gradient of all graphs";
    case Rung::kNewton: return "newton: " + counted(certificate.newton_steps, "Newton step", "Newton steps");
    case Rung::kRetrain: return "retrain: training from scratch";
  }
  return {};
}

std::string edits_words(const EditCounts& edits) {
  List list;
  list.add(edits.nodes, "node", "nodes");
  list.add(edits.edges, "edge", "edges");
  list.add(edits.features, "node's features", "nodes' features");
  std::string words = list.str() + ", in " + counted(edits.graphs_edited + edits.graphs_removed, "graph", "graphs");
  if (edits.graphs_removed > 0)
    words += fmt::format("; {} whole", counted(edits.graphs_removed, "graph goes", "graphs go"));
  return words;
}

std::string entry_words(const LedgerRecord& record) {
  switch (record.kind) {
    case EntryKind::kCreated: return fmt::format("trained on {} graphs", record.graphs);
    case EntryKind::kForgotten: return "forgot " + counts_words(record.requests);
    case EntryKind::kReleased: return fmt::format("published model {}", record.published);
    case EntryKind::kUpgraded: return "brought to format 2";
    case EntryKind::kReplayed: return "brought an older copy up to date: forgot " + counts_words(record.requests);
    case EntryKind::kRenewed: return "began another count, after " + counted(record.published, "model", "models");
    case EntryKind::kAdded: return "added " + counted(record.graphs_added, "graph", "graphs");
    case EntryKind::kCorrected: return "corrected " + counted(record.requests.total(), "value", "values");
  }
  return {};
}

Json certificate_json(const Certificate& certificate) {
  Json json = {{"satisfied", certificate.satisfied},
               {"binding", name(certificate.binding)},
               {"graphs", certificate.graphs},
               {"residual_upper_bound", certificate.residual_upper_bound},
               {"distance_upper_bound", certificate.distance_upper_bound},
               {"shift_upper_bound", certificate.shift_upper_bound},
               {"bounds",
                {{"worst", bound_json(certificate.bounds.worst)},
                 {"data", bound_json(certificate.bounds.data)},
                 {"tight", bound_json(certificate.bounds.tight)},
                 {"exact", bound_json(certificate.bounds.exact)}}},
               {"rung", name(certificate.rung)},
               {"newton_steps", certificate.newton_steps}};
  // Through the library's own text, so that a promise has one spelling.
  json.update(Json::parse(promise_text(certificate.promise, kCertificatePromise)));
  return json;
}

Json edits_json(const EditCounts& edits) {
  return {{"graphs_edited", edits.graphs_edited},
          {"graphs_removed", edits.graphs_removed},
          {"nodes", edits.nodes},
          {"edges", edits.edges},
          {"features", edits.features}};
}

Json exposure_json(const Exposure& exposure, const Promise& promise) {
  // JSON has no infinity.
  return {{"models", exposure.models},
          {"older", exposure.older},
          {"shift", std::isfinite(exposure.shift) ? Json(exposure.shift) : Json(nullptr)},
          {"best_guess", best_guess(exposure)},
          {"words", exposure_words(exposure, promise)}};
}

}  // namespace unscatter::service
