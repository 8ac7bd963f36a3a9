// The five data sets of the paper with its settings [Pan23, Table 4].  On COLLAB Q = 2, as in the paper's program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "unscatter/embedding/embedder.h"
#include "unscatter/graph/dataset.h"
#include "workload.h"

namespace unscatter::bench {

struct PaperData {
  const char* name;        // as in embed-imdb
  const char* file;        // below the data folder
  const char* embed_file;  // what `embed` reads; the NumPy program reads this form too
  std::size_t scales, moments, layers;
  double regularisation;
};

// The path data/file.  Throws MissingData if there is no such file.
[[nodiscard]] std::filesystem::path path_of(const BenchSettings& settings, const char* file);

// The workloads NAME-imdb to NAME-cifar10, one per data set.  `what` describes one of them in a line.
[[nodiscard]] std::vector<Workload> workloads_on_paper_data(
    const std::string& name, const std::function<std::string(const PaperData&)>& what,
    const std::function<void(const PaperData&, const BenchSettings&, const Reporter&)>& run);

// A tenth of the graphs, drawn with seed 1, and their embedder.  Its constants come from all graphs, as in the paper.
struct TrainingPart {
  Dataset dataset;
  std::shared_ptr<const Embedder> embedder;
};
[[nodiscard]] TrainingPart training_part(const PaperData& data, const BenchSettings& settings);

}  // namespace unscatter::bench
