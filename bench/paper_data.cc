#include "paper_data.h"

#include <fmt/format.h>

#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"

namespace unscatter::bench {
namespace {

constexpr const char* kImdb = "IMDB-BINARY/IMDB-BINARY.zip";
constexpr const char* kProteins = "PROTEINS/PROTEINS.zip";
constexpr const char* kMnist = "MNIST/MNIST_superpixels_train.npz";
constexpr const char* kCifar = "CIFAR10/CIFAR10_superpixels_train.npz";
constexpr PaperData kPaperData[] = {
    {"imdb", kImdb, kImdb, 4, 3, 3, 1e-3},
    {"proteins", kProteins, kProteins, 5, 4, 3, 1e-4},
    {"collab", "COLLAB/COLLAB_gin.zip", "COLLAB/COLLAB.zip", 3, 2, 2, 1e-4},
    {"mnist", kMnist, kMnist, 5, 4, 3, 1e-6},
    {"cifar10", kCifar, kCifar, 5, 4, 3, 1e-6},
};

}  // namespace

std::filesystem::path path_of(const BenchSettings& settings, const char* file) {
  std::filesystem::path path = settings.data / file;
  if (!std::filesystem::exists(path)) throw MissingData(fmt::format("no file '{}'", path.string()));
  return path;
}

std::vector<Workload> workloads_on_paper_data(
    const std::string& name, const std::function<std::string(const PaperData&)>& what,
    const std::function<void(const PaperData&, const BenchSettings&, const Reporter&)>& run) {
  std::vector<Workload> workloads;
  for (const PaperData& data : kPaperData) {
    workloads.push_back(
        {fmt::format("{}-{}", name, data.name), what(data),
         [&data, run](const BenchSettings& settings, const Reporter& report) { run(data, settings, report); }});
  }
  return workloads;
}

TrainingPart training_part(const PaperData& data, const BenchSettings& settings) {
  const Dataset dataset = or_fail(read_dataset(path_of(settings, data.file)));
  TransformSpec spec;
  spec.scales = data.scales;
  spec.moments = data.moments;
  spec.layers = data.layers;
  spec.row_norm = RowNorm::kNone;  // the paper's rows, so that times can be compared with earlier ones
  TrainingPart part;
  part.embedder = or_fail(make_embedder("paper", spec, dataset, FitSource::once()));
  part.dataset = subset(dataset, or_fail(random_split(dataset.size(), {}, 1)).train);
  return part;
}

}  // namespace unscatter::bench
