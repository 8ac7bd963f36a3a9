#pragma once

#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "unscatter/graph/graph.h"
#include "unscatter/store/receipt.h"

namespace unscatter::fuzz {

// Checks the one spelling of a published model.  Also, whoever can read it can try to use it: there is a reason why it
// cannot be used, or it says something of a graph.
[[nodiscard]] inline std::string check_published_model(std::string_view text) {
  if (const std::string finding = check_one_spelling(text, parse_published_model, published_model_text);
      !finding.empty()) {
    return finding;
  }
  const Result<PublishedDocument> document = parse_published_model(text);
  if (!document.ok()) return "";
  const Status checked = check_signature(*document, document->signer);
  if (!checked.ok() && checked.error().message.empty()) return "a wrong signature without a reason";
  const Result<Predictor> predictor = Predictor::create(*document);
  if (!predictor.ok()) return predictor.error().message.empty() ? "a model that is refused without a reason" : "";
  GraphParts parts;
  parts.node_count = 3;
  parts.edges = {{0, 1}, {1, 2}};
  const Result<Prediction> prediction = predictor->predict(Graph::create(std::move(parts)).value());
  if (!prediction.ok()) return prediction.error().message.empty() ? "a graph that is refused without a reason" : "";
  return prediction->scores.size() == document->model.class_names.size() ? "" : "not one score per class";
}

}  // namespace unscatter::fuzz
