// How much accuracy noise on published weights costs, with the library's default embedding (docs/constants.md,
// "Noise").
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "experiment/task.h"
#include "privacy/grid_noise.h"
#include "unscatter/learn/train.h"

namespace unscatter::experiment {

Result<Json> run_noise(const CellPlan& plan, const NoiseTask& task, DataCache& data, const CellContext& context) {
  UNSCATTER_TRY(embedded, data.embedded(plan.key.backbone, task.parameters, CellForm::kPlain));
  UNSCATTER_TRY(split, random_split(embedded->dataset->size(), task.shares, plan.seed));
  SparseBlockRows rows(split.train.size(), embedded->rows.columns());
  std::vector<std::uint32_t> labels;
  double largest_norm = 0;
  for (std::size_t i = 0; i < split.train.size(); ++i) {
    rows.set_row(i, embedded->rows.row(split.train[i]));
    labels.push_back(embedded->dataset->labels[split.train[i]]);
    largest_norm = std::max(largest_norm, rows.row_norm(i));
  }
  const double ridge = task.parameters.regularisation * static_cast<double>(rows.rows());
  const std::size_t classes = embedded->dataset->class_names.size();
  UNSCATTER_TRY(trained, train(Objective(rows, labels, classes, Loss::logistic(), ridge, nullptr, context.threads),
                               TrainOptions{}));

  Json result = {{"accuracy", accuracy_percent(*embedded, split.test, trained.weights, context.threads)},
                 {"train_graphs", split.train.size()},
                 {"test_graphs", split.test.size()},
                 {"coordinates", embedded->rows.columns()},
                 {"classes", classes},
                 {"features", embedded->embedder->blocks().front().features.describe()},
                 {"largest_row_norm", largest_norm},
                 {"weight_norm", trained.weights.norm()},
                 {"noise", task.noises},
                 {"noisy_accuracy", Json::array()}};
  std::unique_ptr<RandomSource> source = context.noise ? context.noise(plan.seed) : nullptr;
  if (source == nullptr) source = std::make_unique<SecureRandom>();
  for (const double noise : task.noises) {
    UNSCATTER_TRY(grid, GridNoise::create(noise));
    double sum = 0;
    for (std::size_t draw = 0; draw < task.draws; ++draw) {
      Matrix noisy = trained.weights;
      UNSCATTER_CHECK_OK(grid.add_to({noisy.data(), static_cast<std::size_t>(noisy.size())}, *source));
      sum += accuracy_percent(*embedded, split.test, noisy, context.threads);
    }
    result["noisy_accuracy"].push_back(sum / static_cast<double>(task.draws));
  }
  return result;
}

}  // namespace unscatter::experiment
