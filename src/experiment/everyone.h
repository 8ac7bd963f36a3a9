// What level everyone costs in accuracy: published models against epsilon, for data sets of growing size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/learn/loss.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter::experiment {

// Rows to learn from and rows to look at, which are public.
struct LevelData {
  std::string name;
  SparseBlockRows train;
  std::vector<std::uint32_t> train_labels;
  SparseBlockRows test;
  std::vector<std::uint32_t> test_labels;
  std::size_t classes = 0;
  std::size_t per_subject = 0;  // as in SessionOptions
};

struct LevelGrid {
  std::vector<double> epsilons = {0.25, 0.5, 1, 2, 4, 8};
  double delta = 1e-6;
  std::vector<double> ridges_per_graph = {3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
  std::size_t draws = 20;  // of noise
  std::size_t threads = 0;
};

// {"name", "graphs", "coordinates", "classes", "per_subject", "delta", "points": [{"ridge_per_graph", "ridge",
// "plain": accuracy without noise, "everyone": [{"epsilon", "noise_stddev", "accuracy", "spread"}]}]}, accuracies in
// per cent, means over the draws.  Noise comes from the session's own mechanism.
[[nodiscard]] Result<nlohmann::json> accuracy_of_everyone(const LevelData& data, const LevelGrid& grid);

// MNIST superpixels with 5,500 and 44,000 training graphs (11,000 others to test on), and generated interest groups
// with 10^5 and 10^6.  `folder` as for other experiments.
[[nodiscard]] Result<nlohmann::json> run_everyone(const std::filesystem::path& folder,
                                                  std::span<const std::string> data_sets, const LevelGrid& grid,
                                                  std::uint64_t seed, Progress* progress);

}  // namespace unscatter::experiment
