// The cells of which an experiment consists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/task.h"

namespace unscatter::experiment {

// Splits with smaller numbers are known: choices were made by looking at them.
inline constexpr std::size_t kFirstFreshSplit = 100;

// The names one by one.  "all" and "extras" are replaced by what they stand for, and repetitions are dropped.  Errors:
// kInvalidArgument.
[[nodiscard]] Result<std::vector<std::string>> expand_names(std::span<const std::string> names);

// The cells by data set, then in the order in which a person would read them.  `name` is one of experiment_names().
[[nodiscard]] std::vector<CellPlan> plan_experiment(std::string_view name, const ExperimentOptions& options);

}  // namespace unscatter::experiment
