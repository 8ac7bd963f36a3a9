// Few graphs on which features are fitted as on all.
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "unscatter/embedding/feature_map.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// By what constants of features are fitted.
struct FitRule {
  std::string features;  // as FeatureMap::resolve() reads them
  ConstantKind fit = ConstantKind::kStated;
  bool symmetrise = false;  // as the transform says
};

// Graphs on which the features are fitted as on all that were shown.  A graph joins only if the fit changes with it.
// This is right for fits that are unions and maxima (fits_graph_by_graph()): what a graph adds, it adds to any others.
// So the samples of parts, shown one after the other, give the sample of the whole.
class FitSample {
 public:
  // `rule`: as FeatureMap::resolve() reads it.  `symmetrise`: as the transform says.
  FitSample(std::string rule, const FitSource& source, bool symmetrise)
      : rule_(std::move(rule)), source_(source), symmetrise_(symmetrise) {}

  // True: the fit is another one than before.
  bool show(const Graph& graph);
  [[nodiscard]] const Dataset& graphs() const { return sample_; }
  [[nodiscard]] std::vector<Graph> take() { return std::move(sample_.graphs); }
  // Every graph may change a fit of this kind; otherwise only the first one joins, for its form.
  [[nodiscard]] static bool looks_at_data(ConstantKind kind) { return kind != ConstantKind::kPublicData; }

 private:
  [[nodiscard]] std::string fit_of(const Dataset& graphs) const;

  std::string rule_;
  FitSource source_;
  bool symmetrise_;
  Dataset sample_;     // as they came
  Dataset fitted_on_;  // the same, as the features see them
  std::string fit_;
  std::unordered_set<std::string> seen_;  // fits of single graphs
};

}  // namespace unscatter
