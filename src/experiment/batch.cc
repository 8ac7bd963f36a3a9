// One update for many removals: how time and residual grow with the size of a batch.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "experiment/removals.h"
#include "experiment/task.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::experiment {

Result<Json> run_batch(const CellPlan& plan, const BatchTask& task, DataCache& data, const CellContext& context) {
  UNSCATTER_TRY(embedded, data.embedded(plan.key.backbone, task.parameters, CellForm::kPlain));
  UNSCATTER_TRY(split, random_split(embedded->dataset->size(), task.shares, plan.seed));
  Dataset train = subset(*embedded->dataset, split.train);
  const std::vector<RemovalRequest> requests =
      random_removals(train, RemovalKind::kNode, task.amount.of(train.size()), plan.seed);
  // All sizes draw the same sequence and take its beginning.  So a larger batch contains the smaller ones.
  const std::size_t size = std::min(task.size, requests.size());
  SessionOptions options;
  options.classes = ConstantKind::kFittedOnce;  // labels of the test graphs are places in the list of all classes
  options.regularisation = task.parameters.regularisation;
  options.guarantee.delta = task.delta;
  options.noise_stddev = task.release.noise_stddev;
  options.distance_limit = task.release.distance_limit;
  options.threads = context.threads;
  UNSCATTER_TRY(session, Session::create(std::move(train), embedded->embedder, options,
                                         context.noise ? context.noise(plan.seed) : nullptr));
  // Only the update is timed.  Training and publishing are the same for every size.
  const Stopwatch watch;
  UNSCATTER_TRY(certificate, session.forget(std::span(requests).first(size)));
  const double seconds = watch.seconds();
  UNSCATTER_TRY(model, session.release());
  return Json{{"removals", size},
              {"seconds", seconds},
              {"newton_steps", certificate.newton_steps},
              {"rung", name(certificate.rung)},
              {"satisfied", certificate.satisfied},
              {"residual", certificate.residual_upper_bound},
              {"distance", certificate.distance_upper_bound},
              {"accuracy", accuracy_percent(*embedded, split.test, model.weights, context.threads)}};
}

}  // namespace unscatter::experiment
