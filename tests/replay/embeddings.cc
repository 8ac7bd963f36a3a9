#include "adapters.h"
#include "report.h"
#include "sequences.h"

namespace replay {
namespace {

std::vector<std::pair<std::string, unscatter::TransformSpec>> transforms(const unscatter::TransformSpec& like) {
  std::vector<std::pair<std::string, unscatter::TransformSpec>> all;
  for (const std::string_view family : unscatter::transform_families()) {
    // Version 0.1 has none of them, and these graphs have no positions.
    if (family == "windows" || family == "portrait" || family == "blocks" || family == "rows") continue;
    unscatter::TransformSpec spec = like;
    spec.family = family;
    if (family == "custom") spec.kernel = "0..1: 1 -1 | 0..1: 0 1; 1..2: 1";
    all.emplace_back(family, spec);
  }
  unscatter::TransformSpec column = like;
  column.op = unscatter::WalkOperator::kColumn;
  all.emplace_back("column", column);
  unscatter::TransformSpec linear = like;
  linear.linear = true;
  all.emplace_back("linear", linear);
  unscatter::TransformSpec chebyshev = like;
  chebyshev.family = "itersine";
  chebyshev.spectral.method = unscatter::SpectralMethod::kChebyshev;
  all.emplace_back("chebyshev", chebyshev);
  return all;
}

}  // namespace

void record_embeddings(const std::vector<Material>& materials, std::size_t threads) {
  for (const Material& material : materials) {
    for (const auto& [name, spec] : transforms(material.transform)) {
      const Report report("embed/" + material.name + "-" + material.shape + "/" + name);
      const auto embedder = make_embedder(unscatter::WorkspaceSetup{material.dataset, material.features, spec, {}});
      if (!embedder.ok()) {
        report.error(embedder.error());
        continue;
      }
      report.line("description", (*embedder)->describe());
      const auto rows = (*embedder)->embed(material.dataset, {.threads = threads});
      if (!rows.ok()) {
        report.error(rows.error());
        continue;
      }
      report.embeddings(*rows);
    }
  }
}

}  // namespace replay
