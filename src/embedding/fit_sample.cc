#include "embedding/fit_sample.h"

#include <utility>

namespace unscatter {

bool FitSample::show(const Graph& graph) {
  if (!sample_.graphs.empty() && !looks_at_data(source_.kind)) return false;
  // Most graphs are fitted like one that was seen before, and that one has been looked at.
  Dataset alone;
  alone.graphs.push_back(symmetrise_ ? symmetrised(graph) : graph);
  if (!seen_.insert(fit_of(alone)).second) return false;
  fitted_on_.graphs.push_back(std::move(alone.graphs.front()));
  std::string with_it = fit_of(fitted_on_);
  if (with_it == fit_ && !sample_.graphs.empty()) {
    fitted_on_.graphs.pop_back();
    return false;
  }
  fit_ = std::move(with_it);
  sample_.graphs.push_back(graph);
  return true;
}

// A fit that fails is told apart by its error, and the sample fails in the end as all graphs would.
std::string FitSample::fit_of(const Dataset& graphs) const {
  const Result<FeatureMap> map = FeatureMap::resolve(rule_, graphs, source_);
  return map.ok() ? map->describe() : "error: " + map.error().message;
}

}  // namespace unscatter
