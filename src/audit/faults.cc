#include "audit/faults.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "unscatter/learn/objective.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

// As if the scale of the features had been fitted with the removed data: one per cent off.
constexpr double kStaleScale = 1.01;

Matrix on_grid(const Matrix& values, std::optional<double> grid) {
  if (!grid) return values;
  return (values.array() / *grid).round() * *grid;
}

// The same rows under the other constant.
SparseBlockRows rescaled(const SparseBlockRows& rows) {
  SparseBlockRows scaled(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    BlockRow row = rows.row(i);
    for (double& value : row.values) value *= kStaleScale;
    scaled.set_row(i, std::move(row));
  }
  return scaled;
}

Result<Matrix> weights_under_stale_constants(const Session& session) {
  const SessionOptions& options = session.options();
  const SparseBlockRows rows = rescaled(session.embeddings());
  const Objective objective(rows, session.labels(), session.classes(), options.loss,
                            ridge_of(options, session.graph_count()), nullptr, options.threads);
  TrainOptions training;
  training.optimizer = options.optimizer;
  UNSCATTER_TRY(trained, train(objective, session.weights(), training));
  return std::move(trained.weights);
}

}  // namespace

std::vector<PlantedFault> noise_faults(std::optional<double> grid) {
  std::vector<PlantedFault> faults;
  faults.push_back({"noise-halved", "published models get half of the noise", std::nullopt,
                    [](const Matrix& kept, Matrix& published) { published = (kept + published) / 2; }});
  faults.push_back({"seeded-noise", "every published model gets the same noise", std::nullopt,
                    [first = std::make_shared<std::optional<Matrix>>()](const Matrix& kept, Matrix& published) {
                      if (!*first) *first = published - kept;
                      published = kept + **first;
                    }});
  faults.push_back({"silent-class", "the first class is published without noise", std::nullopt,
                    [grid](const Matrix& kept, Matrix& published) { published.col(0) = on_grid(kept.col(0), grid); }});
  faults.push_back({"silent-coordinates", "a tenth of the coordinates is published without noise", std::nullopt,
                    [grid](const Matrix& kept, Matrix& published) {
                      const Eigen::Index rows = std::max<Eigen::Index>(1, kept.rows() / 10);
                      published.bottomRows(rows) = on_grid(kept.bottomRows(rows), grid);
                    }});
  if (grid) {
    faults.push_back(
        {"rounded-weights", "published weights are rounded to single precision", std::nullopt,
         [](const Matrix& /*kept*/, Matrix& published) { published = published.cast<float>().cast<double>().eval(); }});
  }
  return faults;
}

Result<std::vector<PlantedFault>> weight_faults(const Session& session, const Session& retrained,
                                                const RandomRemovals& removals) {
  std::vector<PlantedFault> faults;
  const auto add = [&](std::string name, std::string what, const Matrix& weights) {
    faults.push_back({std::move(name), std::move(what), published_columns(session, weights), nullptr});
  };
  add("stale-model", "the weights are not updated after the removals", removals.weights_before);
  add("graph-kept", "the graph removed last is still learned from", removals.weights_before_last);
  add("wrong-sign", "the last update goes the wrong way", 2 * removals.weights_before_last - session.weights());
  UNSCATTER_TRY(stale, weights_under_stale_constants(retrained));
  add("stale-constants", "a scale of the features is one per cent off, as if removed data had set it", stale);
  return faults;
}

}  // namespace unscatter
