// Runs experiments: finds out which cells are missing, makes them, and writes the summaries.
//
// A cell that is good on disk is not made again.  So a run that was stopped costs nothing twice.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "experiment/experiment.h"
#include "experiment/plan.h"
#include "experiment/summary.h"
#include "unscatter/base/version.h"
#include "unscatter/embedding/walk_scattering.h"

namespace unscatter {
namespace experiment {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Status check_experiment_options(const ExperimentOptions& options) {
  const std::pair<const char*, std::size_t> at_least_one[] = {
      {"splits", options.splits},           {"points", options.points},           {"jobs", options.jobs},
      {"long-points", options.long_points}, {"long-splits", options.long_splits}, {"uu-steps", options.uu_steps},
      {"gin-splits", options.gin_splits},   {"gin-points", options.gin_points}};
  for (const auto& [option, value] : at_least_one) {
    if (value == 0) return Error{ErrorCode::kInvalidArgument, fmt::format("{} is 0; it must be at least 1", option)};
  }
  if (options.fresh_from < kFirstFreshSplit || options.splits > kFirstFreshSplit) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("fresh splits have the numbers from {} on, and known ones those before", kFirstFreshSplit)};
  }
  // In a build without libtorch train_gin() is an error that says how to get it.
  if (options.with_gin() && !gin_available()) return train_gin({}, {}, {}, options.gin_options).error();
  return ok_status();
}

// A summary of no cell would take the place of a good one.
Status check_cells(const std::vector<std::string>& names, const ExperimentOptions& options) {
  for (const std::string& name : names) {
    if (options.gin_only && plan_experiment(name, options).empty())
      return Error{ErrorCode::kInvalidArgument, fmt::format("experiment '{}' trains no GIN", name)};
  }
  return ok_status();
}

// All cells of a run, and what is known about them.
class Run {
 public:
  Run(const ExperimentOptions& options, std::vector<std::string> names) : options_(options), names_(std::move(names)) {
    const std::size_t all = options.threads == 0 ? hardware_threads() : options.threads;
    // Cells that run at the same time share the threads.
    threads_ = std::max<std::size_t>(1, all / options.jobs);
    for (const std::string& name : names_) {
      for (CellPlan& plan : plan_experiment(name, options_)) {
        if (std::find(data_sets_.begin(), data_sets_.end(), plan.key.data_set) == data_sets_.end()) {
          data_sets_.push_back(plan.key.data_set);
        }
        // Two experiments may share a cell.  It is made once.
        plans_.try_emplace(plan.key, std::move(plan));
      }
    }
  }

  // Every data set must be there before the first hour of work is spent.
  [[nodiscard]] Status check_data() const {
    for (const std::string& data_set : data_sets_) UNSCATTER_CHECK_OK(find_data_set(options_.data, data_set));
    return ok_status();
  }

  // Stops early if it is asked to. report.complete is false then.
  [[nodiscard]] Status make_cells(ExperimentReport& report) {
    report.cells = plans_.size();
    for (const std::string& data_set : data_sets_) {
      UNSCATTER_CHECK_OK(make_cells_of(data_set, report));
      if (stopped_) return ok_status();
    }
    report.complete = true;
    return ok_status();
  }

  [[nodiscard]] Status summarise(ExperimentReport& report) const {
    Json all = Json::object();
    for (const std::string& name : names_) {
      Summary summary = summarise_experiment(name, groups_of(name));
      summary.json["made"] = made();
      const std::filesystem::path file = options_.out / fmt::format("{}.json", name);
      UNSCATTER_CHECK_OK(replace_text(file, summary.json.dump(1) + "\n"));
      report.files.push_back(file);
      for (SummaryTable& table : summary.tables) {
        table.title = fmt::format("{}: {}", name, table.title);
        report.tables.push_back(std::move(table));
      }
      all[name] = std::move(summary.json);
    }
    report.json = all.dump();
    return ok_status();
  }

 private:
  void note(const std::string& sentence) const {
    if (options_.note) options_.note(sentence);
  }

  // Where a cell or a summary comes from.  It is for people, and nothing compares it.
  [[nodiscard]] Json made() const {
    Json json = {{"date", utc_now()},     {"version", version()},       {"threads", threads_},
                 {"jobs", options_.jobs}, {"simd", simd_target_name()}, {"preset", name(options_.preset)}};
    if (!options_.commit.empty()) json["commit"] = options_.commit;
    return json;
  }

  // The cells of a data set that must be made.  The others are kept.
  [[nodiscard]] std::vector<const CellPlan*> missing_cells(const std::string& data_set, ExperimentReport& report) {
    std::vector<const CellPlan*> missing;
    for (const auto& [key, plan] : plans_) {
      if (key.data_set != data_set) continue;
      FoundCell found;
      if (!options_.fresh) found = read_cell(options_.out, key, settings_json(plan, threads_, options_.jobs));
      // A failed cell is tried again: the reason may have been memory or a file.
      if (found.state == CellState::kGood) {
        results_[key] = std::move(found.cell["result"]);
        continue;
      }
      if (found.state == CellState::kDamaged) {
        ++report.damaged;
        note(fmt::format("{}; it is made again", found.problem));
      }
      missing.push_back(&plan);
    }
    return missing;
  }

  [[nodiscard]] Status make_cells_of(const std::string& data_set, ExperimentReport& report) {
    const std::vector<const CellPlan*> missing = missing_cells(data_set, report);
    if (missing.empty()) return ok_status();
    const Stopwatch watch;
    // One data set at a time: its embeddings are freed before the next one is read.
    UNSCATTER_TRY(data, DataCache::open(options_.data, data_set, threads_ * options_.jobs));
    Progress& progress = options_.progress != nullptr ? *options_.progress : no_progress();
    progress.begin(data_set, missing.size());
    std::optional<Error> failure;
    std::size_t made_here = 0;
    parallel_for(missing.size(), options_.jobs, 1, [&](std::size_t i, std::size_t) {
      {
        const std::lock_guard lock(mutex_);
        // Asked between cells only.  A cell that has begun is finished, so that its time is not lost.
        if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
        if (stopped_ || failure) return;
      }
      // The lock is free while a cell is made.  Only counters and results are shared.
      Status written = make_cell(*missing[i], *data, report);
      const std::lock_guard lock(mutex_);
      if (!written.ok() && !failure) failure = std::move(written).error();
      ++made_here;
      progress.advance(1);
    });
    progress.end();
    if (failure) return *std::move(failure);
    note(fmt::format("{}: {} cells in {:.1f} s", data_set, made_here, watch.seconds()));
    return ok_status();
  }

  [[nodiscard]] Status make_cell(const CellPlan& plan, DataCache& data, ExperimentReport& report) {
    const Stopwatch watch;
    const Result<Json> outcome = run_cell(plan, data, {threads_, options_.noise});
    // An error inside a cell is a result, and the run goes on.  A cell that cannot be written ends the run.
    const Json result =
        outcome.ok()
            ? *outcome
            : Json{{"error", {{"code", error_code_name(outcome.error().code)}, {"message", outcome.error().message}}}};
    Json record = made();
    record["data_digest"] = data.digest();
    record["cell_seconds"] = watch.seconds();
    UNSCATTER_CHECK_OK(
        write_cell(options_.out, plan.key, settings_json(plan, threads_, options_.jobs), record, result));
    const std::lock_guard lock(mutex_);
    ++report.made;
    if (!outcome.ok()) {
      ++report.failed;
      note(fmt::format("{}: {}", cell_path(options_.out, plan.key).string(), outcome.error().message));
    }
    results_[plan.key] = result;
    return ok_status();
  }

  [[nodiscard]] std::vector<CellGroup> groups_of(const std::string& name) const {
    std::vector<CellGroup> groups;
    for (const CellPlan& plan : plan_experiment(name, options_)) {
      // Splits of one setting follow one another in a plan.  Known splits begin with the number 0, and fresh ones are a
      // group of their own.
      if (plan.key.split == 0 || plan.key.split == options_.fresh_from) groups.push_back({plan.key, {}, 0});
      const Json& result = results_.at(plan.key);
      if (result.contains("error")) {
        ++groups.back().failed;
      } else {
        groups.back().results.push_back(result);
      }
    }
    return groups;
  }

  const ExperimentOptions& options_;
  std::vector<std::string> names_;
  std::vector<std::string> data_sets_;
  std::map<CellKey, CellPlan> plans_;
  std::size_t threads_ = 1;
  std::map<CellKey, Json> results_;
  bool stopped_ = false;
  std::mutex mutex_;
};

}  // namespace
}  // namespace experiment

Result<ExperimentReport> run_experiments(std::span<const std::string> names, const ExperimentOptions& options) {
  UNSCATTER_TRY(expanded, experiment::expand_names(names));
  UNSCATTER_CHECK_OK(experiment::check_experiment_options(options));
  UNSCATTER_CHECK_OK(experiment::check_cells(expanded, options));
  experiment::Run run(options, std::move(expanded));
  UNSCATTER_CHECK_OK(run.check_data());
  ExperimentReport report;
  UNSCATTER_CHECK_OK(run.make_cells(report));
  // No summary of a run that was stopped: it would be of fewer splits than it says.
  if (report.complete) UNSCATTER_CHECK_OK(run.summarise(report));
  return report;
}

}  // namespace unscatter
