// Using a published model where there is nothing but its file.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "embedding/embedding_version.h"
#include "linalg/fixed_scores.h"
#include "unscatter/base/invariant.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/store/receipt.h"

namespace unscatter {
namespace {

// A file may claim any constants.  Those that have no range of their own, cost memory or could make a width overflow,
// are compared with the weights first, which are there.
Status check_claims(const PublishedDocument& document) {
  const auto width = static_cast<std::size_t>(document.model.weights.rows());
  const TransformSpec& spec = document.transform;
  // Coordinates of a channel at one node of the tree; every transform but windows and rows takes moments.
  std::size_t least = spec.moments;
  if (spec.family == "windows") least = spec.random_features;
  if (spec.family == "rows") least = 1;
  if (least > width) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("the model has {} weights per class, but its transform gives {} coordinates or more",
                             width, least)};
  }
  return ok_status();
}

Error not_this_model(const Error& error) {
  return {ErrorCode::kMalformedInput,
          fmt::format("the model's features and transform are none that this program knows: {}", error.message)};
}

}  // namespace

Result<Predictor> Predictor::create(const PublishedDocument& document) {
  if (document.embedding_version != kEmbeddingVersion) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the model is for embeddings of version {}, and this program computes version {}: use the "
                             "unscatter that it was made with, or publish it again",
                             document.embedding_version, kEmbeddingVersion)};
  }
  UNSCATTER_CHECK_OK(check_claims(document));
  Result<FeatureMap> features = FeatureMap::parse(document.features);
  if (!features.ok()) return not_this_model(features.error());
  Result<std::shared_ptr<const Embedder>> embedder = make_embedder(std::move(*features), document.transform);
  if (!embedder.ok()) return not_this_model(embedder.error());
  return create(*std::move(embedder), document.model);
}

Result<Predictor> Predictor::create(std::shared_ptr<const Embedder> embedder, PublishedModel model) {
  const std::size_t width = embedder->width();
  const auto classes = static_cast<std::size_t>(model.weights.cols());
  const auto rows = static_cast<std::size_t>(model.weights.rows());
  if (rows != width + (model.bias ? 1 : 0) || classes == 0 || classes != model.class_names.size()) {
    return Error{
        ErrorCode::kMalformedInput,
        fmt::format("the model has {} weights per class for {} classes, but its embedding has {} coordinates{}", rows,
                    model.class_names.size(), width, model.bias ? " and a bias" : "")};
  }
  Predictor predictor;
  predictor.embedder_ = std::move(embedder);
  predictor.class_names_ = std::move(model.class_names);
  predictor.scores_ = std::make_shared<const FixedScores>(model.weights, model.bias);
  return predictor;
}

Prediction Predictor::predict(const BlockRow& row) const {
  std::vector<double> scores(class_names_.size());
  scores_->of(row, scores);
  return decide(std::move(scores));
}

Prediction Predictor::decide(std::vector<double> scores) {
  invariant(!scores.empty(), "a model has classes");
  Prediction prediction;
  const auto best = std::max_element(scores.begin(), scores.end());
  prediction.predicted = static_cast<std::uint32_t>(best - scores.begin());
  prediction.lead = *best;
  bool first = true;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (k == prediction.predicted) continue;
    const double lead = *best - scores[k];
    prediction.lead = first ? lead : std::min(prediction.lead, lead);
    first = false;
  }
  prediction.scores = std::move(scores);
  return prediction;
}

Result<Prediction> Predictor::predict(const Graph& graph) const {
  UNSCATTER_TRY(row, embedder_->embed(graph));
  return predict(row);
}

}  // namespace unscatter
