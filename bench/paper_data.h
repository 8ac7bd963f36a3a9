// The five data sets of the paper with its settings [Pan23, Table 4], Q = 2 on COLLAB as its program has it.
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
  const char* embed_file;  // what `embed` reads: the form that the NumPy program reads too
  std::size_t scales, moments, layers;
  double regularisation;
};

// data/file, if it is there.  Throws MissingData.
[[nodiscard]] std::filesystem::path path_of(const BenchSettings& settings, const char* file);

// The workloads NAME-imdb to NAME-cifar10, one per data set.  `what` says what one does, in a line.
[[nodiscard]] std::vector<Workload> workloads_on_paper_data(
    const std::string& name, const std::function<std::string(const PaperData&)>& what,
    const std::function<void(const PaperData&, const BenchSettings&, const Reporter&)>& run);

// A tenth of the graphs, drawn with seed 1, and the embedder for them, whose constants come from all graphs.
struct TrainingPart {
  Dataset dataset;
  std::shared_ptr<const Embedder> embedder;
};
[[nodiscard]] TrainingPart training_part(const PaperData& data, const BenchSettings& settings);

}  // namespace unscatter::bench
