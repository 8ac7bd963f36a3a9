// A data folder with one small generated data set, and options that run on it in no time.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/testing/seeded_random.h"
#include "experiment/data_cache.h"
#include "experiment/experiment.h"
#include "experiment/task.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/generate.h"
#include "unscatter/graph/read.h"

namespace unscatter::testing {

class SmallExperiment {
 public:
  SmallExperiment() {
    const Dataset groups =
        generate_interest_groups({.groups = 200, .users = 300, .min_size = 14, .max_size = 24, .noise = 0, .seed = 7})
            .value();
    std::filesystem::create_directories(data() / "groups");
    if (!write_jsonl(groups, data() / "groups" / "groups.jsonl").ok())
      throw std::runtime_error("cannot write the data set");
  }

  [[nodiscard]] std::filesystem::path data() const { return folder_.path() / "data"; }
  [[nodiscard]] std::filesystem::path out(const char* name = "out") const { return folder_.path() / name; }

  [[nodiscard]] ExperimentOptions options(const char* out_name = "out") const {
    ExperimentOptions options;
    options.data = data();
    options.out = out(out_name);
    options.data_sets = {"groups"};
    options.splits = 2;
    options.threads = 1;
    options.noise = seeded;
    return options;
  }

  [[nodiscard]] std::unique_ptr<experiment::DataCache> cache() const {
    return experiment::DataCache::open(data(), "groups", 1).value();
  }

  static std::unique_ptr<RandomSource> seeded(std::uint64_t seed) { return std::make_unique<SeededRandom>(seed); }
  static experiment::CellContext context() { return {1, seeded}; }

 private:
  TemporaryFolder folder_;
};

// A cell of one split with the library's usual constants.
inline experiment::CellPlan small_plan(const std::string& kind, const std::string& method, const experiment::Task& task,
                                       const std::string& backbone = "gst") {
  return {{kind, "groups", backbone, method, "", 0}, 3, task};
}
inline constexpr HyperParameters kSmallParameters{3, 2, 2, 1e-3};

}  // namespace unscatter::testing
