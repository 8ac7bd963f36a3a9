#include "experiment/accuracy.h"

namespace unscatter::experiment {

double percent_right(std::span<const std::uint32_t> predictions, const Dataset& dataset,
                     std::span<const std::size_t> graphs) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (predictions[i] == dataset.labels[graphs[i]]) ++right;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(graphs.size());
}

}  // namespace unscatter::experiment
