// The paper's tables and figures, and what goes beyond them, by name.
//
// Work is cut into cells: one kind of experiment, data set, backbone, method and split.  The outcome of a cell is one
// JSON file, written at once or not at all.  It holds every setting on which it depends.  So a run that was killed goes
// on where it stopped, and tables and figures share the cells that they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/gin.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"

namespace unscatter {

// Which Q is used on COLLAB: the one printed in [Pan23, Table 4], or that of the public program.
enum class PaperPreset { kPrinted, kProgram };
// "paper", "program".
[[nodiscard]] std::string_view name(PaperPreset preset);
// The inverse.  Errors: kInvalidArgument.
[[nodiscard]] Result<PaperPreset> parse_paper_preset(std::string_view text);

struct ExperimentOptions {
  std::filesystem::path data;                         // holds NAME/NAME.zip and the like
  std::filesystem::path out = "experiments/results";  // created if need be
  std::vector<std::string> data_sets = {};            // empty: those that the experiment is about

  PaperPreset preset = PaperPreset::kPrinted;
  std::size_t splits = 10;
  std::uint64_t seed = 0;  // split s uses seed + s, for the split itself and for what is removed
  // Of the experiments on accuracy: further splits, with the numbers fresh_from, fresh_from + 1, ...; from 100 on.  No
  // choice in the program was made by looking at those from 300 on, and none may be.
  std::size_t fresh_splits = 10;
  std::size_t fresh_from = 300;

  // Along a sequence of removals, accuracy is looked at in this many places, evenly spaced.
  std::size_t points = 20;
  // On sequences longer than full_steps, Retrain is trained only in `long_points` places, since its state depends on
  // the data alone.  UU does `uu_steps` removals one by one there, and the others in one update per place.
  std::size_t full_steps = 100;
  std::size_t long_points = 10;
  std::size_t uu_steps = 20;
  // Splits of sequences on MNIST and CIFAR10, if this is less than `splits`.
  std::size_t long_splits = 10;

  bool gin = false;       // train GIN too, where the experiment has it
  bool gin_only = false;  // train GIN and nothing else
  [[nodiscard]] bool with_gin() const noexcept { return gin || gin_only; }
  GinOptions gin_options = {};
  std::size_t gin_splits = 10;  // known ones, and as many fresh ones
  std::size_t gin_points = 4;   // of figure4: places where GIN is trained again

  std::size_t threads = 0;  // 0: all
  std::size_t jobs = 1;     // cells at a time, which share the threads
  bool fresh = false;       // do again what is there
  std::string commit = {};  // recorded

  Progress* progress = nullptr;
  std::function<void(std::string_view)> note = {};  // sentences for a person, as they come up
  std::function<bool()> stop = {};                  // asked between cells; true ends the run early
  // For tests: the source of a cell's noise, by the seed of the cell.  Default: SecureRandom.
  std::function<std::unique_ptr<RandomSource>(std::uint64_t seed)> noise = {};
};

// The content of a table or figure, for people.
struct SummaryTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> remarks;
};

struct ExperimentReport {
  std::vector<SummaryTable> tables;
  std::string json;                          // {"table1": {...}, ...}: what the summary files hold
  std::vector<std::filesystem::path> files;  // one summary per table or figure
  std::size_t cells = 0;                     // that the experiments consist of
  std::size_t made = 0;                      // in this run
  std::size_t damaged = 0;                   // found unreadable, and made again
  std::size_t failed = 0;                    // whose outcome is an error, recorded as such
  bool complete = false;                     // not stopped
};

// What run_experiments() knows: the tables and figures of the paper in its order, then what goes beyond it.
struct ExperimentName {
  std::string_view name;
  std::string_view what;
  bool of_the_paper = false;
};
[[nodiscard]] std::span<const ExperimentName> experiment_names();

// Makes the cells that are missing, damaged or made with other settings.  Then makes the summaries.  "all" stands for
// the paper's tables and figures, "extras" for the others.  Errors: kInvalidArgument (unknown experiment or data set,
// numbers outside their ranges), kNotFound (a data set that is not in the folder), kUnavailable (GIN in a build without
// it), those of reading, kIo.  An error inside one cell is recorded there and counted as failed, and the next run tries
// it again.
[[nodiscard]] Result<ExperimentReport> run_experiments(std::span<const std::string> names,
                                                       const ExperimentOptions& options);

}  // namespace unscatter
