// What an embedding sees of the data and what it leaves out, in words: people should not have to guess.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/dataset.h"

namespace unscatter::cli {

struct EmbeddingUse {
  std::vector<std::string> uses;      // "directions (300 of 600 graphs)"
  std::vector<std::string> left_out;  // each with the reason or the cure
};

// `features`: with all constants, as FeatureMap::describe() writes them.
[[nodiscard]] EmbeddingUse embedding_use(const FormCounts& counts, const TransformSpec& spec,
                                         const std::string& features);

// "portrait of soft-degree:16", or a recipe with the parts that it has for these data.
[[nodiscard]] std::string embedding_title(const TransformSpec& spec, const std::string& features);

}  // namespace unscatter::cli
