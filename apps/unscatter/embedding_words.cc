#include "embedding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "output.h"

namespace unscatter::cli {
void count_form(const Graph& graph, FormCounts& counts) {
  ++counts.graphs;
  counts.directed += graph.directed() ? 1u : 0u;
  counts.weighted += graph.has_weights() ? 1u : 0u;
  counts.labelled += graph.has_labels() ? 1u : 0u;
  counts.positioned += graph.has_positions() ? 1u : 0u;
  counts.with_attributes += graph.attribute_count() > 0 ? 1u : 0u;
  counts.attributes = std::max(counts.attributes, graph.attribute_count());
}

FormCounts count_forms(const Dataset& dataset) {
  FormCounts counts;
  for (const Graph& graph : dataset.graphs) count_form(graph, counts);
  return counts;
}

EmbeddingUse embedding_use(const FormCounts& counts, const TransformSpec& spec, const std::string& features) {
  const bool portrait = spec.family == "portrait";
  const auto in_features = [&](std::string_view block) { return features.find(block) != std::string::npos; };
  EmbeddingUse use;
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
  use.uses.emplace_back(portrait ? "size and structure" : "structure");
  note("directions", counts.directed, !spec.symmetrise, "--symmetrise takes them away");
  note("edge weights", counts.weighted, portrait, "--transform portrait uses them");
  note("node labels", counts.labelled, portrait || in_features("label"), "--features label-buckets uses them");
  note(counts.attributes == 1 ? "1 attribute" : fmt::format("{} attributes", counts.attributes), counts.with_attributes,
       in_features("attributes") || in_features("intensity"), "--features wide-attributes uses them");
  note("positions", counts.positioned, spec.family == "windows" || in_features("position"),
       "--transform windows uses them");
  return use;
}

}  // namespace unscatter::cli
