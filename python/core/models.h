// Published models.
#pragma once

#include <memory>
#include <string>

#include "core.h"
#include "unscatter/store/receipt.h"
#include "unscatter/unlearn/session.h"
#include "words.h"

namespace unscatter::python {

// A published model that is ready for use.
struct Model {
  TransformSpec spec;
  std::string features;
  PublishedModel published;
  Predictor predictor;
};
using SharedModel = std::shared_ptr<Model>;

[[nodiscard]] Result<SharedModel> make_model(const TransformSpec& spec, const std::shared_ptr<const Embedder>& embedder,
                                             PublishedModel published);

}  // namespace unscatter::python
