#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench_process.h"
#include "laboratory_commands.h"
#include "locations.h"
#include "renamed_options.h"

namespace unscatter::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> names;
  bool list = false;
  std::string data;
  std::size_t threads = 0;
  std::size_t repeat = 5;
  std::size_t groups = 1000;
  std::string features = "auto";
  std::vector<std::size_t> scale_rows;
  std::string rows_out;
  std::optional<std::size_t> removals;
  std::optional<double> regularisation;
  std::optional<double> noise;
  std::optional<double> distance_limit;
  std::optional<double> tolerance;
};

std::filesystem::path bench_data_folder(const BenchArguments& arguments) {
  if (!arguments.data.empty()) return arguments.data;
  return data_folder().value_or("../shared/data");
}

Status check_numbers(const BenchArguments& arguments) {
  const auto outside = [](const char* option, const char* range) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{} must be {}", option, range)};
  };
  if (arguments.repeat == 0) return outside("--repeat", "at least 1");
  if (arguments.removals == 0U) return outside("--removals", "at least 1");
  // So few rows that some class has none would leave nothing to measure.
  for (const std::size_t rows : arguments.scale_rows) {
    if (rows < 100 || rows > 100'000'000) return outside("--scale-rows", "in 100 .. 10^8");
  }
  const std::pair<const char*, std::optional<double>> positive[] = {{"--lambda", arguments.regularisation},
                                                                    {"--noise", arguments.noise},
                                                                    {"--distance-limit", arguments.distance_limit},
                                                                    {"--tolerance", arguments.tolerance}};
  for (const auto& [option, value] : positive) {
    if (value && !(std::isfinite(*value) && *value > 0)) return outside(option, "a positive number");
  }
  if (!arguments.rows_out.empty() && !std::filesystem::is_directory(arguments.rows_out)) {
    return Error{ErrorCode::kNotFound, fmt::format("--rows-out: no folder '{}'", arguments.rows_out)};
  }
  return ok_status();
}

template <typename T>
void put(Json& settings, const char* key, const std::optional<T>& value) {
  if (value) settings[key] = *value;
}

Json settings_of(const BenchArguments& arguments) {
  Json settings = {{"data", bench_data_folder(arguments).string()},
                   {"threads", arguments.threads},
                   {"repeat", arguments.repeat},
                   {"groups", arguments.groups},
                   {"features", arguments.features}};
  if (!arguments.scale_rows.empty()) settings["scale_rows"] = arguments.scale_rows;
  if (!arguments.rows_out.empty()) settings["rows_out"] = arguments.rows_out;
  put(settings, "removals", arguments.removals);
  put(settings, "lambda", arguments.regularisation);
  put(settings, "noise", arguments.noise);
  put(settings, "distance_limit", arguments.distance_limit);
  put(settings, "tolerance", arguments.tolerance);
  return settings;
}

std::string bench_duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.2f} ms", 1e3 * seconds);
  return fmt::format("{:.2f} s", seconds);
}

std::string duration_cell(const Json& result, const char* key) {
  return result.contains(key) ? bench_duration(result.at(key).get<double>()) : "-";
}

constexpr const char* kRowFormat = "{:<30} {:>10} {:>10} {:>10} {:>10} {:>11} {:>11} {:>9}  {}";

std::string header_line() {
  return fmt::format("{}\n", fmt::format(kRowFormat, "workload", "best", "p50", "p95", "p99", "per second",
                                         "allocations", "memory", ""));
}

std::string row_line(const Json& result) {
  const std::string name = result.at("name").get<std::string>();
  if (result.contains("skipped")) {
    return fmt::format("{:<30} skipped: {}\n", name, result.at("skipped").get<std::string>());
  }
  const char* allocations = result.contains("allocations_per_removal") ? "allocations_per_removal" : "allocations";
  std::string line =
      fmt::format(kRowFormat, name, duration_cell(result, "best_seconds"), duration_cell(result, "p50_seconds"),
                  duration_cell(result, "p95_seconds"), duration_cell(result, "p99_seconds"),
                  fmt::format("{:.4g}", result.at("per_second").get<double>()),
                  fmt::format("{:.0f}", result.at(allocations).get<double>()),
                  fmt::format("{:.0f} MB", result.at("peak_bytes").get<double>() / 1e6), result.value("remark", ""));
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

Result<Json> workload_list(const std::filesystem::path& program) {
  Json list;
  UNSCATTER_CHECK_OK(run_bench_process(program, {"--list"}, [&list](Json document) { list = std::move(document); }));
  return list;
}

Report list_report(const Json& list) {
  Report report;
  report.json = {{"workloads", list}};
  Table table({{""}, {""}});
  for (const Json& workload : list) {
    table.add_row({workload.at("name").get<std::string>(), workload.at("what").get<std::string>()});
  }
  report.text = table.str();
  return report;
}

Result<std::vector<std::string>> chosen_names(const std::vector<std::string>& wanted, const Json& list) {
  std::vector<std::string> all;
  for (const Json& workload : list) all.push_back(workload.at("name").get<std::string>());
  for (const std::string& name : wanted) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("unknown workload '{}'; `unscatter bench --list` names them all", name)};
    }
  }
  return wanted.empty() ? all : wanted;
}

Result<Report> bench(const BenchArguments& arguments, Context& context) {
  UNSCATTER_TRY(program, bench_program());
  UNSCATTER_TRY(list, workload_list(program));
  if (arguments.list) return list_report(list);
  UNSCATTER_TRY(names, chosen_names(arguments.names, list));
  UNSCATTER_CHECK_OK(check_numbers(arguments));
  const Json settings = settings_of(arguments);

  Report report;
  report.json = {{"version", UNSCATTER_VERSION}, {"settings", settings}, {"results", Json::array()}};
  Json& results = report.json["results"];
  std::string failures;
  context.say(header_line());
  for (const std::string& name : names) {
    const Status ran = run_bench_process(program, {name, settings.dump()}, [&](Json result) {
      context.say(row_line(result));
      results.push_back(std::move(result));
    });
    if (!ran.ok()) failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ", name, ran.error().message);
  }
  if (!failures.empty()) report.refusal = Error{ErrorCode::kUnsupported, failures};
  return report;
}

void add_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("WORKLOAD", arguments.names, "Which to run; default: all of --list");
  command.add_flag("--list", arguments.list, "Name the workloads, and run none");
  command.add_option("--data", arguments.data,
                     "Folder with NAME/NAME.zip and the like; default $UNSCATTER_DATA or ../shared/data");
  command.add_option("--threads", arguments.threads, "0: all")->capture_default_str();
  command.add_option("--repeat", arguments.repeat, "How often to embed, train and read; the best and the median count")
      ->capture_default_str();
  command.add_option("--removals", arguments.removals,
                     "At most so many per result; default: the workload's own number");
  command.add_option("--groups", arguments.groups, "Generated groups of batch and workspace")->capture_default_str();
  command.add_option("--features", arguments.features, "Node features of workspace, as `unscatter train` reads them")
      ->capture_default_str();
  command
      .add_option("--scale-rows", arguments.scale_rows,
                  "n of forget-scale and memory; default 1000,10000,100000 and, of forget-scale, 1000000")
      ->delimiter(',');
  command.add_option("--lambda", arguments.regularisation,
                     "Regularisation of forget-* (default: that of the data) and workspace");
  command.add_option("--noise", arguments.noise, "Standard deviation on published weights; removals");
  command.add_option(option_names("--distance-limit"), arguments.distance_limit,
                     "How far kept weights may be from the retrained ones; removals");
  command.add_option("--tolerance", arguments.tolerance, "|gradient| of every class at the end of training");
  command.add_option("--rows-out", arguments.rows_out,
                     "train-*: write rows and labels into this folder, for other programs");
}

}  // namespace

void add_bench_command(CLI::App& parent, Context& context) {
  CLI::App& command = *parent.add_subcommand(kBenchCommand.name, kBenchCommand.summary);
  const auto arguments = std::make_shared<BenchArguments>();
  add_options(command, *arguments);
  command.footer(R"(
Examples:
  unscatter bench --list
  unscatter bench forget-imdb forget-proteins --data ../shared/data --threads 2
  unscatter bench forget-scale --scale-rows 10000,1000000 --json
  unscatter bench batch workspace                               no data needed: groups are generated

Every workload runs in a process of its own (unscatter-bench, beside this program), so that its peak of memory
is its own.
Data sets that are not there are skipped.  Removals are timed with their certificates.)");
  context.add_action(command, [arguments, &context] { return bench(*arguments, context); });
}

}  // namespace unscatter::cli
