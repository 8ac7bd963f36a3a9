#include "embedding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "output.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter::cli {

EmbeddingUse embedding_use(const FormCounts& counts, const TransformSpec& spec, const std::string& features) {
  const bool portrait = spec.family == "portrait";
  const RecipeSight seen = recipe_sight(spec, features);
  const auto in_features = [&](std::string_view block) { return features.find(block) != std::string::npos; };
  EmbeddingUse use;
  if (spec.family == "rows") {
    use.uses.push_back(fmt::format("rows of {}, made outside", counted(counts.attributes, "number", "numbers")));
    return use;
  }
  // "labels", or "labels (12 of 300 graphs)" where some graphs lack them.
  const auto note = [&](std::string what, std::size_t graphs, bool used, std::string_view cure) {
    if (graphs == 0) return;
    if (graphs < counts.graphs)
      what += fmt::format(" ({} of {} graphs have them)", grouped(graphs), grouped(counts.graphs));
    if (used) {
      use.uses.push_back(std::move(what));
    } else {
      use.left_out.push_back(fmt::format("{}: {}", what, cure));
    }
  };
  const bool blocks = spec.family == "blocks";
  use.uses.emplace_back(portrait || blocks ? "size and structure" : "structure");
  note("directions", counts.directed, !spec.symmetrise && (!blocks || seen.directed),
       spec.symmetrise ? "--symmetrise takes them away" : "the part directions uses them");
  note("edge weights", counts.weighted, portrait || seen.weights,
       blocks ? "the part weights uses them" : "--transform portrait uses them");
  note("node labels", counts.labelled, portrait || seen.labels || (!blocks && in_features("label")),
       blocks ? "the part label-counts uses them" : "--features label-buckets uses them");
  note(counts.attributes == 1 ? "1 attribute" : fmt::format("{} attributes", counts.attributes), counts.with_attributes,
       seen.attributes || (!blocks && (in_features("attributes") || in_features("intensity"))),
       blocks ? "the part attributes uses them" : "--features wide-attributes uses them");
  note("positions", counts.positioned,
       seen.positions || (!blocks && (spec.family == "windows" || in_features("position"))),
       blocks ? "the part pixels uses them" : "--embedding image uses them");
  return use;
}

std::string embedding_title(const TransformSpec& spec, const std::string& features) {
  if (spec.family == "rows") {
    return spec.row_scale == 1 ? std::string("rows as they were given")
                               : fmt::format("rows as they were given, divided by {}", spec.row_scale);
  }
  if (spec.family != "blocks") return fmt::format("{} of {}", spec.family, features);
  const std::string parts = recipe_parts(spec, features);
  return embedding_is_built_in(spec.recipe) ? fmt::format("{}: {}", spec.recipe, parts) : parts;
}

}  // namespace unscatter::cli
