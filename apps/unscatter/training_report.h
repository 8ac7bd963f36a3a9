// What `train` and `retrain` say at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "embedding_words.h"
#include "stage_clock.h"
#include "unscatter/store/workspace.h"

namespace unscatter::cli {

// On the graphs that were held out.
struct Evaluation {
  std::size_t graphs = 0;
  double accuracy = 0;
  std::vector<LevelCost> levels;  // with --compare-levels
};

struct TrainingFacts {
  std::filesystem::path path;  // of the new workspace
  std::string data;            // what was learned from
  WorkspaceInfo info;
  EmbeddingUse use;
  std::size_t width = 0;  // weights per class
  std::optional<Evaluation> evaluation;
  BoundedContributions bounded;  // level everyone
};

[[nodiscard]] Report report_training(const TrainingFacts& facts, const StageClock& clock);

}  // namespace unscatter::cli
