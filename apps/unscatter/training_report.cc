#include "training_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "certificate_words.h"
#include "constant_words.h"

namespace unscatter::cli {
namespace {

// The best of a level; null if it was not tried.
const LevelCost* best_of(std::span<const LevelCost> levels, Protection protection) {
  const LevelCost* best = nullptr;
  for (const LevelCost& level : levels) {
    if (level.protection == protection && (best == nullptr || level.accuracy > best->accuracy)) best = &level;
  }
  return best;
}

// What was done to the data so that nobody counts for more than the noise hides.
std::string bounded_words(const BoundedContributions& bounded) {
  std::vector<std::string> parts;
  if (bounded.memberships > 0) {
    parts.push_back(fmt::format("{} of {} dropped", counted(bounded.memberships, "membership", "memberships"),
                                counted(bounded.subjects, "subject", "subjects")));
  }
  if (bounded.graphs_dropped > 0) {
    parts.push_back(fmt::format("{} lost everybody", counted(bounded.graphs_dropped, "graph", "graphs")));
  }
  if (bounded.rows_shortened > 0) {
    parts.push_back(fmt::format("{} shortened", counted(bounded.rows_shortened, "embedding", "embeddings")));
  }
  return parts.empty() ? "nothing had to be dropped or shortened" : fmt::format("{}", fmt::join(parts, ", "));
}

void report_levels(const Evaluation& evaluation, const SessionOptions& options, Report& report, Table& table) {
  Json levels = Json::array();
  for (const LevelCost& level : evaluation.levels) {
    levels.push_back({{"protection", name(level.protection)},
                      {"ridge", level.ridge},
                      {"noise_stddev", level.noise_stddev},
                      {"accuracy", level.accuracy}});
  }
  report.json["levels"] = levels;
  const LevelCost& present = evaluation.levels.front();
  table.add_row({"as published",
                 fmt::format("{:.1f} % with the noise of level {}", 100 * present.accuracy, name(present.protection))});
  if (const LevelCost* best = best_of(std::span(evaluation.levels).subspan(1), Protection::kEveryone)) {
    table.add_row(
        {"everyone", fmt::format("{:.1f} % for one model at ({}, {}), best with --ridge {:.3g}", 100 * best->accuracy,
                                 options.guarantee.epsilon, options.guarantee.delta, best->ridge)});
    table.add_row({"", "an estimate that looks at the data: a ridge chosen by it is no public constant"});
  }
}

}  // namespace

Report report_training(const TrainingFacts& facts, const StageClock& clock) {
  const auto& [path, data, info, use, width, evaluation, bounded] = facts;
  const SessionOptions& options = info.options;
  Report report;
  report.json = {{"workspace", path.string()},
                 {"id", info.id},
                 {"data", data},
                 {"graphs", info.graphs},
                 {"classes", info.class_names},
                 {"features", info.features},
                 {"coordinates", width},
                 {"uses", use.uses},
                 {"left_out", use.left_out},
                 {"mechanism", name(options.mechanism)},
                 {"epsilon", options.guarantee.epsilon},
                 {"delta", options.guarantee.delta},
                 {"noise_stddev", options.noise_stddev},
                 {"lambda", options.regularisation},
                 {"constants", constants_json(info.certificate.promise.constants)},
                 {"ridge", options.ridge ? Json(*options.ridge) : Json(nullptr)},
                 {"protection", name(options.protection)},
                 {"per_subject", options.per_subject},
                 {"certificate", certificate_json(info.certificate)},
                 {"holdout", nullptr},
                 {"signer", info.signer.hex()},
                 {"seconds", clock.json()}};
  if (evaluation) report.json["holdout"] = {{"graphs", evaluation->graphs}, {"accuracy", evaluation->accuracy}};

  Table table({{""}, {""}});
  table.add_row({"workspace", fmt::format("{} ({})", path.string(), info.id)});
  table.add_row({"learned from",
                 fmt::format("{} graphs of {}, {} classes", grouped(info.graphs), info.name, info.class_names.size())});
  table.add_row({"uses", fmt::format("{}", fmt::join(use.uses, ", "))});
  table.add_row({"left out", use.left_out.empty() ? "nothing" : fmt::format("{}", fmt::join(use.left_out, "; "))});
  table.add_row({"embedding", fmt::format("{}{}", embedding_title(info.transform, info.features),
                                          info.transform.symmetrise ? ", directed graphs made undirected first" : "")});
  table.add_row({"model", fmt::format("{} weights per class, {} loss, {} {}", grouped(width), options.loss.describe(),
                                      options.ridge ? "ridge" : "lambda",
                                      options.ridge ? *options.ridge : options.regularisation)});
  add_constants_row(table, info.certificate.promise.constants);
  table.add_row({"promise", guarantee_words(info.certificate.promise)});
  add_earlier_rows(table, info.certificate.promise);
  add_embedding_rows(table, info.certificate.promise);
  table.add_row({"distance", distance_words(info.certificate.promise, info.certificate.distance_upper_bound,
                                            info.certificate.shift_upper_bound)});
  if (options.protection == Protection::kEveryone) {
    report.json["bounded"] = {{"subjects", bounded.subjects},
                              {"memberships", bounded.memberships},
                              {"graphs_dropped", bounded.graphs_dropped},
                              {"rows_shortened", bounded.rows_shortened}};
    table.add_row({"bounded", bounded_words(bounded)});
  }
  if (evaluation) {
    table.add_row({"accuracy", fmt::format("{:.1f} % on the {} graphs that were held out", 100 * evaluation->accuracy,
                                           grouped(evaluation->graphs))});
  }
  if (evaluation && !evaluation->levels.empty()) report_levels(*evaluation, options, report, table);
  table.add_row({"signed by", info.signer.hex()});
  table.add_row({"time", clock.words()});
  report.text = table.str();
  return report;
}

}  // namespace unscatter::cli
