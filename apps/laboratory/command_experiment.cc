#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "experiment/everyone.h"
#include "experiment/experiment.h"
#include "files.h"
#include "interrupt.h"
#include "laboratory_commands.h"
#include "locations.h"

namespace unscatter::cli {
namespace {

struct ExperimentArguments {
  std::vector<std::string> names;
  std::string data;
  std::string data_sets;
  std::string preset = "paper";
  ExperimentOptions options;
};

// The same place as in the project's own tests.
std::filesystem::path default_data_folder() {
  if (const auto folder = data_folder()) return *folder;
  return "../shared/data";
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string summary_text(const SummaryTable& summary) {
  std::vector<Table::Column> columns;
  for (const std::string& title : summary.columns) columns.push_back({title});
  Table table(columns);
  for (const std::vector<std::string>& row : summary.rows) table.add_row(row);
  std::string text = fmt::format("{}\n\n{}", summary.title, table.str());
  for (const std::string& remark : summary.remarks) text += fmt::format("{}\n", remark);
  return text + "\n";
}

Report report_experiment(const ExperimentReport& outcome, const ExperimentOptions& options) {
  Report report;
  report.json = {{"out", options.out.string()}, {"cells", outcome.cells},   {"made", outcome.made},
                 {"damaged", outcome.damaged},  {"failed", outcome.failed}, {"complete", outcome.complete}};
  if (!outcome.complete) {
    report.text = fmt::format("{} made\n", counted(outcome.made, "cell", "cells"));
    report.refusal = Error{ErrorCode::kUnavailable, "stopped before the end; the same command goes on from here"};
    return report;
  }
  report.json["summaries"] = Json::parse(outcome.json);
  Json files = Json::array();
  for (const std::filesystem::path& file : outcome.files) files.push_back(file.string());
  report.json["files"] = std::move(files);
  for (const SummaryTable& table : outcome.tables) report.text += summary_text(table);
  report.text += fmt::format("{}, {} of them made now; in '{}'\n", counted(outcome.cells, "cell", "cells"),
                             grouped(outcome.made), options.out.string());
  if (outcome.failed > 0) {
    report.refusal = Error{ErrorCode::kUnsupported,
                           fmt::format("{} failed; their files say why", counted(outcome.failed, "cell", "cells"))};
  }
  return report;
}

// Not made of cells: a few trainings per data set, and accuracies with the noise of level everyone.
Result<Report> everyone_action(const ExperimentArguments& arguments, Context& context) {
  const std::filesystem::path folder =
      arguments.data.empty() ? default_data_folder() : std::filesystem::path(arguments.data);
  experiment::LevelGrid grid;
  grid.threads = arguments.options.threads;
  UNSCATTER_TRY(levels, experiment::run_everyone(folder, split_at_commas(arguments.data_sets), grid,
                                                 arguments.options.seed, &context.progress()));
  std::error_code ignored;
  std::filesystem::create_directories(arguments.options.out, ignored);
  const std::filesystem::path file = arguments.options.out / "everyone.json";
  UNSCATTER_CHECK_OK(replace_file(file, levels.dump(1) + "\n"));
  Report report;
  report.json = {{"out", file.string()}, {"levels", Json::parse(levels.dump())}};
  Table table({{"data"}, {"ridge / n"}, {"no noise"}, {"epsilon"}, {"everyone"}});
  for (const auto& level : levels) {
    for (const auto& point : level.at("points")) {
      for (const auto& noisy : point.at("everyone")) {
        table.add_row({level.at("name").get<std::string>(),
                       fmt::format("{}", point.at("ridge_per_graph").get<double>()),
                       fmt::format("{:.1f}", point.at("plain").get<double>()),
                       fmt::format("{}", noisy.at("epsilon").get<double>()),
                       fmt::format("{:.1f}", noisy.at("accuracy").get<double>())});
      }
    }
  }
  report.text = table.str() + fmt::format("written to '{}'\n", file.string());
  return report;
}

Result<Report> experiment_action(const ExperimentArguments& arguments, Context& context) {
  if (arguments.names == std::vector<std::string>{"everyone"}) return everyone_action(arguments, context);
  ExperimentOptions options = arguments.options;
  options.data = arguments.data.empty() ? default_data_folder() : std::filesystem::path(arguments.data);
  options.data_sets = split_at_commas(arguments.data_sets);
  UNSCATTER_TRY(preset, parse_paper_preset(arguments.preset));
  options.preset = preset;
  if (options.commit.empty()) {
    if (const char* commit = std::getenv("UNSCATTER_COMMIT")) options.commit = commit;
  }
  options.progress = &context.progress();
  options.note = [&context](std::string_view sentence) {
    if (!context.quiet()) context.note(sentence);
  };
  const InterruptWatch watch;
  options.stop = [] { return InterruptWatch::requested(); };
  UNSCATTER_TRY(outcome, run_experiments(arguments.names, options));
  return report_experiment(outcome, options);
}

std::string experiment_list() {
  std::string text = "Experiments:\n";
  for (const ExperimentName& entry : experiment_names()) text += fmt::format("  {:<16}{}\n", entry.name, entry.what);
  return text +
         "  all             those of the paper: tables 1 to 3, figures 3 to 6\n  extras          the others\n"
         "  everyone        accuracy against epsilon at level everyone; alone, with --datasets MNIST,groups\n";
}

void add_options(CLI::App& command, ExperimentArguments& arguments) {
  ExperimentOptions& options = arguments.options;
  command.add_option("NAME", arguments.names, "Which tables and figures; see below")->required();
  command.add_option("--data", arguments.data,
                     "Folder with NAME/NAME.zip and the like; default $UNSCATTER_DATA or ../shared/data");
  command.add_option("--datasets", arguments.data_sets, "Only these data sets, with commas between them");
  command.add_option("--out", options.out, "Where cells and summaries go")->capture_default_str();
  command
      .add_option("--preset", arguments.preset,
                  "Hyper-parameters: paper (as printed) or program (as the paper's program has them)")
      ->check(CLI::IsMember({"paper", "program"}))
      ->capture_default_str();
  command.add_option("--splits", options.splits, "Random splits")->capture_default_str();
  command.add_option("--seed", options.seed, "Of the first split; the next ones follow")->capture_default_str();
  command.add_option("--fresh-splits", options.fresh_splits, "accuracy: further splits that no choice was made on")
      ->capture_default_str();
  command
      .add_option("--fresh-from", options.fresh_from,
                  "accuracy: the number of the first of them, 100 or more; its seed is --seed plus this number")
      ->capture_default_str();
  command.add_option("--points", options.points, "Places along a sequence where accuracy is looked at")
      ->capture_default_str();
  command.add_option("--full-steps", options.full_steps, "Longer sequences are shortened for Retrain and UU")
      ->capture_default_str();
  command.add_option("--long-points", options.long_points, "Places where Retrain and UU are then trained")
      ->capture_default_str();
  command.add_option("--long-splits", options.long_splits, "Splits of removals on MNIST and CIFAR10, if fewer")
      ->capture_default_str();
  command.add_option("--uu-steps", options.uu_steps, "Removals that UU then does one by one")->capture_default_str();
  command.add_option("--threads", options.threads, "0: all")->capture_default_str();
  command.add_option("--jobs", options.jobs, "Cells at a time; they share the threads")->capture_default_str();
  command.add_flag("--fresh", options.fresh, "Do again what is there");
  command.add_option("--commit", options.commit, "Recorded in every cell; default $UNSCATTER_COMMIT");
  const std::string group = "GIN (builds with libtorch)";
  command.add_flag("--gin", options.gin, "Train GIN too")->group(group);
  command.add_flag("--gin-only", options.gin_only, "Train GIN and nothing else; summaries then hold GIN alone")
      ->group(group);
  command.add_option("--gin-epochs", options.gin_options.epochs, "Epochs")->group(group)->capture_default_str();
  command.add_option("--gin-splits", options.gin_splits, "Splits; accuracy: as many fresh ones")
      ->group(group)
      ->capture_default_str();
  command.add_option("--gin-points", options.gin_points, "figure4: places where it is trained again")
      ->group(group)
      ->capture_default_str();
}

}  // namespace

void add_experiment_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand(kExperimentCommand.name, kExperimentCommand.summary);
  const auto arguments = std::make_shared<ExperimentArguments>();
  add_options(command, *arguments);
  command.footer(fmt::format(R"(
{}
Examples:
  unscatter experiment table1 --data ../shared/data
  unscatter experiment all --out results --threads 2
  unscatter experiment table3 --datasets IMDB-BINARY,PROTEINS --splits 2
  unscatter experiment accuracy accuracy-curves accuracy-parts --out results --jobs 2

One file per cell (experiment, data set, backbone, method, split) below OUT/cells; a run that was stopped goes on
with those that are missing.  Summaries: OUT/NAME.json.)",
                             experiment_list()));
  context.add_action(command, [arguments, &context] { return experiment_action(*arguments, context); });
}

}  // namespace unscatter::cli
