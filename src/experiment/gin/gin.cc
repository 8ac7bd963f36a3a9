#include "experiment/gin.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/stopwatch.h"
#include "experiment/gin/graph_batch.h"
#include "experiment/gin/network.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/feature_map.h"

namespace unscatter {
namespace {

Status check_gin_options(std::span<const std::size_t> train, const GinOptions& options) {
  const auto wrong = [](const char* what) { return Error{ErrorCode::kInvalidArgument, what}; };
  if (train.empty()) return wrong("GIN: no graph to train on");
  if (options.layers == 0) return wrong("GIN: no layers");
  if (options.hidden == 0) return wrong("GIN: no hidden channels");
  if (options.epochs == 0) return wrong("GIN: no epochs");
  if (options.batch == 0) return wrong("GIN: a batch of no graphs");
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate))
    return wrong("GIN: the learning rate is not positive");
  return ok_status();
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Features are resolved on the whole data set: their widths are public constants, as for the other methods.
Result<FeatureMap> resolve_features(const Dataset& dataset, bool positions) {
  UNSCATTER_TRY(paper, FeatureMap::resolve("paper", dataset, FitSource::once()));
  if (!positions) return paper;
  return FeatureMap::parse(paper.describe() + "+position");
}

// Calls body(batch) for `size` graphs at a time.
template <typename Body>
void for_each_batch(const std::vector<gin::PreparedGraph>& graphs, std::span<const std::size_t> order, std::size_t size,
                    Body body) {
  for (std::size_t begin = 0; begin < order.size(); begin += size) {
    body(gin::make_batch(graphs, order.subspan(begin, std::min(size, order.size() - begin))));
  }
}

}  // namespace

bool gin_available() { return true; }

Result<GinResult> train_gin(const Dataset& dataset, std::span<const std::size_t> train,
                            std::span<const std::size_t> test, const GinOptions& options) {
  UNSCATTER_CHECK_OK(check_gin_options(train, options));
  GinResult result;

  // Preparing the graphs is part of the time, as for the other methods.
  const Stopwatch training;
  UNSCATTER_TRY(features, resolve_features(dataset, options.positions));
  UNSCATTER_TRY(graphs, gin::prepare_graphs(dataset, train, features));
  const gin::NetworkShape shape{features.width(), dataset.class_names.size(), options.layers, options.hidden};
  gin::Network network(shape, options.learning_rate, options.seed);
  Sequence random(options.seed);
  std::vector<std::size_t> order = in_order(graphs.size());
  for (; result.epochs < options.epochs; ++result.epochs) {
    // The order of an epoch goes on from that of the one before.  It depends on the seed alone.
    random.shuffle(std::span(order));
    for_each_batch(graphs, order, options.batch, [&](const gin::GraphBatch& batch) {
      // A last batch of a single node cannot be normalised.  Its graph gets its turn in the next epoch.
      if (batch.nodes() > 1) network.step(batch);
    });
  }
  result.train_seconds = training.seconds();

  const Stopwatch predicting;
  UNSCATTER_TRY(unseen, gin::prepare_graphs(dataset, test, features));
  for_each_batch(unseen, in_order(unseen.size()), options.batch, [&](const gin::GraphBatch& batch) {
    // The size of a batch changes no prediction: the normalisation takes averages that training collected.
    const std::vector<std::uint32_t> classes = network.predict(batch);
    result.predictions.insert(result.predictions.end(), classes.begin(), classes.end());
  });
  result.predict_seconds = predicting.seconds();
  return result;
}

}  // namespace unscatter
