// One recipe with stated constants, on one split.
#include <utility>

#include "experiment/published_accuracy.h"
#include "experiment/task.h"
#include "unlearn/tuning.h"

namespace unscatter::experiment {

Result<Json> run_recipe(const CellPlan& plan, const RecipeTask& task, DataCache& data, const CellContext& context) {
  UNSCATTER_TRY(embedded, data.embedded(task.recipe));
  UNSCATTER_TRY(split, random_split(embedded->dataset->size(), task.shares, plan.seed));
  const std::size_t classes = embedded->dataset->class_names.size();
  const SplitRows learned = rows_of_split(*embedded, split.train);
  const double ridge = task.lambda * static_cast<double>(split.train.size());
  UNSCATTER_TRY(weights,
                weights_at({&learned.rows, learned.labels, classes}, task.loss, std::span(&ridge, 1), context.threads));
  const std::unique_ptr<RandomSource> source = noise_source(plan, context);
  UNSCATTER_TRY(result, look_at_published(*embedded, split.test, weights.front(),
                                          {task.noise_stddev, classes, task.draws}, *source, context.threads));
  result["train_graphs"] = split.train.size();
  result["test_graphs"] = split.test.size();
  result["coordinates"] = embedded->rows.columns();
  result["classes"] = classes;
  result["embedding"] = embedded->embedder->describe();
  return result;
}

}  // namespace unscatter::experiment
