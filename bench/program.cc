// unscatter-bench: one workload, measured in a process of its own.  People call `unscatter bench`, which starts this
// program.
//
//   unscatter-bench --list                one JSON document: the workloads
//   unscatter-bench WORKLOAD [SETTINGS]   SETTINGS is a JSON object; prints a JSON document per result, one per line
//
// Exit codes: 0 done or skipped (the document says so), 1 failed, 2 wrong usage.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "workload.h"

namespace unscatter::bench {
namespace {

std::vector<Workload> all_workloads() {
  std::vector<Workload> all;
  for (const auto& family :
       {embed_workloads(), train_workloads(), forget_workloads(), preview_workloads(), recipe_workloads()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  for (Workload single : {scale_workload(), batch_workload(), load_workload(), workspace_workload(), memory_workload(),
                          cold_workload()}) {
    all.push_back(std::move(single));
  }
  return all;
}

template <typename T>
void take(const Json& document, const char* key, T& target) {
  if (document.contains(key)) target = document.at(key).get<T>();
}
template <typename T>
void take(const Json& document, const char* key, std::optional<T>& target) {
  if (document.contains(key)) target = document.at(key).get<T>();
}

BenchSettings parse_settings(const std::string& text) {
  const Json document = Json::parse(text);
  BenchSettings settings;
  std::string path;
  take(document, "data", path);
  settings.data = path;
  take(document, "threads", settings.threads);
  take(document, "repeat", settings.repeat);
  take(document, "removals", settings.removals);
  take(document, "groups", settings.groups);
  take(document, "features", settings.features);
  take(document, "scale_rows", settings.scale_rows);
  take(document, "lambda", settings.regularisation);
  take(document, "loss", settings.loss);
  take(document, "noise", settings.noise);
  take(document, "distance_limit", settings.distance_limit);
  take(document, "tolerance", settings.tolerance);
  if (document.contains("rows_out")) settings.folder = document.at("rows_out").get<std::string>();
  return settings;
}

void print_line(const Json& document) {
  fmt::print("{}\n", document.dump(-1, ' ', false, Json::error_handler_t::replace));
  // `unscatter bench` shows each line as soon as it comes.
  std::fflush(stdout);
}

int run_one(const Workload& workload, const BenchSettings& settings) {
  const std::size_t threads = settings.threads == 0 ? hardware_threads() : settings.threads;
  const Reporter report = [&](const Json& result) {
    Json line = {{"workload", workload.name}, {"threads", threads}};
    line.update(result);
    print_line(line);
  };
  try {
    workload.run(settings, report);
  } catch (const MissingData& missing) {
    report({{"name", workload.name}, {"skipped", missing.what()}});
  }
  return 0;
}

int run_arguments(const std::vector<std::string>& arguments) {
  const std::vector<Workload> all = all_workloads();
  if (arguments.size() == 1 && arguments[0] == "--list") {
    Json list = Json::array();
    for (const Workload& workload : all) list.push_back({{"name", workload.name}, {"what", workload.what}});
    print_line(list);
    return 0;
  }
  const auto chosen = std::find_if(all.begin(), all.end(), [&](const Workload& workload) {
    return !arguments.empty() && workload.name == arguments[0];
  });
  if (chosen == all.end() || arguments.size() > 2) {
    fmt::print(stderr, "usage: unscatter-bench --list | WORKLOAD [SETTINGS]; see `unscatter bench --help`\n");
    return 2;
  }
  return run_one(*chosen, arguments.size() == 2 ? parse_settings(arguments[1]) : BenchSettings{});
}

}  // namespace
}  // namespace unscatter::bench

int main(int argc, char** argv) {
  try {
    return unscatter::bench::run_arguments({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
