// What a benchmark workload is.  One workload runs per process, so that its peak of memory is its own.  `unscatter
// bench` starts the processes and prints what they measured.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "unscatter/base/result.h"

namespace unscatter::bench {

// Fields keep the order in which they were set.
using Json = nlohmann::ordered_json;

// Numbers that are not given are chosen by the workload.
struct BenchSettings {
  std::filesystem::path data;
  std::size_t threads = 0;                      // 0: all
  std::size_t repeat = 5;                       // of embedding, training and reading
  std::optional<std::size_t> removals;          // at most so many
  std::size_t groups = 1000;                    // generated ones, of batch and workspace
  std::string features = "auto";                // of workspace
  std::vector<std::size_t> scale_rows;          // of forget-scale and memory
  std::optional<double> regularisation;         // of forget-scale and workspace
  std::optional<std::string> loss;              // of recipe-*
  std::optional<double> noise;                  // of published weights; removals
  std::optional<double> distance_limit;         // of the kept weights; removals
  std::optional<double> tolerance;              // |gradient| of a class at the end; training
  std::optional<std::filesystem::path> folder;  // training: rows and labels go there, for other programs
};

// Reports one result: {"name": "forget-imdb", "p50_seconds": ..., ...}. measure.h lists the fields.  It appears in the
// table as soon as `report` is called.
using Reporter = std::function<void(const Json& result)>;

struct Workload {
  std::string name;
  std::string what;  // one line, for --list
  std::function<void(const BenchSettings&, const Reporter&)> run;
};

// Thrown if a file that a workload needs does not exist.  The workload is skipped, and the output says so.
struct MissingData : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value, or an exception with the error's message.  A workload that cannot go on ends.
template <typename T>
[[nodiscard]] T or_fail(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// One file per family.
[[nodiscard]] std::vector<Workload> embed_workloads();
[[nodiscard]] std::vector<Workload> train_workloads();
[[nodiscard]] std::vector<Workload> forget_workloads();
[[nodiscard]] std::vector<Workload> preview_workloads();
[[nodiscard]] std::vector<Workload> recipe_workloads();
[[nodiscard]] Workload scale_workload();
[[nodiscard]] Workload batch_workload();
[[nodiscard]] Workload cold_workload();
[[nodiscard]] Workload load_workload();
[[nodiscard]] Workload memory_workload();
[[nodiscard]] Workload workspace_workload();

}  // namespace unscatter::bench
