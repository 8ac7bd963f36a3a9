// Figure 4: GIN, trained from scratch at some places of a sequence of removals.
#include <utility>
#include <vector>

#include "experiment/accuracy.h"
#include "experiment/removals.h"
#include "experiment/task.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter::experiment {

Result<Json> run_gin_retrain(const CellPlan& plan, const GinRetrainTask& task, DataCache& data,
                             const CellContext& /*context*/) {
  // The paper's removals, as for the other methods of its figure: degrees are taken once, and a removed node keeps its
  // place.
  Dataset dataset = data.dataset(CellForm::kFrozenDegrees);
  UNSCATTER_TRY(split, random_split(dataset.size(), task.shares, plan.seed));
  const std::vector<RemovalRequest> requests =
      random_removals(subset(dataset, split.train), RemovalKind::kNode, task.amount.of(split.train.size()), plan.seed);
  std::vector<std::size_t> places = {0};
  for (const std::size_t place : sampled_places(requests.size(), task.points)) places.push_back(place);

  Json points = Json::array();
  double seconds = 0;
  std::size_t done = 0;
  std::size_t trainings = 0;
  for (const std::size_t place : places) {
    for (; done < place; ++done) {
      const auto& request = std::get<ForgetNode>(requests[done]);
      Graph& graph = dataset.graphs[split.train[std::get<std::size_t>(request.graph)]];
      UNSCATTER_TRY(edited, apply(graph, RemoveNode{static_cast<NodeIndex>(std::get<std::size_t>(request.node)),
                                                    NodeRemoval::kTombstone}));
      if (edited) graph = *std::move(edited);
    }
    GinOptions options = task.gin;
    options.seed = plan.seed;
    UNSCATTER_TRY(trained, train_gin(dataset, split.train, split.test, options));
    if (place > 0) {
      seconds += trained.train_seconds;
      ++trainings;
    }
    // Retraining after every removal takes one training per removal.  Only some were done, so their mean stands for
    // all.
    const double mean = trainings == 0 ? 0 : seconds / static_cast<double>(trainings);
    points.push_back({{"removed", place},
                      {"accuracy", percent_right(trained.predictions, dataset, split.test)},
                      {"seconds", mean * static_cast<double>(place)},
                      {"retrains", place},
                      {"residual", nullptr}});
  }
  const double mean = trainings == 0 ? 0 : seconds / static_cast<double>(trainings);
  return Json{{"train_graphs", split.train.size()},
              {"test_graphs", split.test.size()},
              {"removals", requests.size()},
              {"sampled", trainings < requests.size()},
              {"single_removals", 0},
              {"updates", trainings},
              {"seconds", mean * static_cast<double>(requests.size())},
              {"retrains", requests.size()},
              {"retrains_of", requests.size()},
              {"epochs", task.gin.epochs},
              {"points", std::move(points)}};
}

}  // namespace unscatter::experiment
