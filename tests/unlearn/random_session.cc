#include "unlearn/random_session.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "support/random_graph.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/learn/bias.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"

namespace unscatter::testing {
namespace {

std::size_t number_of(const Graph& original, const std::string& id) {
  std::size_t number = 0;
  while (original.node_id(number) != id) ++number;
  return number;
}

// The embeddings of what is left, computed from the graphs.
struct Scratch {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
};

Scratch from_scratch(const Dataset& left, const Embedder& embedder, bool bias) {
  Scratch scratch{embedder.embed(left).value(), left.labels};
  if (bias) scratch.rows = with_bias(scratch.rows);
  return scratch;
}

}  // namespace

RandomData random_data(std::uint64_t seed, const RandomDataOptions& options) {
  Sequence random(seed);
  RandomData data;
  for (std::size_t k = 0; k < options.classes; ++k) data.dataset.class_names.push_back(std::to_string(k));
  for (std::size_t g = 0; g < options.graphs; ++g) {
    RandomGraphOptions graph;
    graph.nodes = options.smallest_graph + random.below(options.largest_graph - options.smallest_graph + 1);
    graph.edge_probability = 0.2 + 0.6 * random.unit();
    graph.attributes = options.attributes;
    GraphParts parts = random_graph_parts(random.next(), graph);
    // A third of the graphs share each user, so that subjects occur several times.
    parts.node_ids.clear();
    for (std::size_t i = 0; i < parts.node_count; ++i) {
      parts.node_ids.push_back(fmt::format("u{}", 3 * i + random.below(3)));
    }
    data.dataset.graphs.push_back(Graph::create(std::move(parts)).value());
    data.dataset.labels.push_back(static_cast<std::uint32_t>(random.below(options.classes)));
  }
  TransformSpec spec;
  spec.scales = options.scales;
  spec.moments = options.moments;
  spec.layers = 2;
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back(
      {FeatureMap::resolve(options.attributes > 0 ? fmt::format("attributes:{}+degree-onehot:6", options.attributes)
                                                  : "degree-onehot:6",
                           data.dataset)
           .value(),
       make_transform(spec).value()});
  data.embedder = std::make_shared<Embedder>(std::move(blocks));
  return data;
}

RandomData nameless_data(std::uint64_t seed, const RandomDataOptions& options) {
  RandomData data = random_data(seed, options);
  for (Graph& graph : data.dataset.graphs) {
    GraphParts parts;
    parts.node_count = graph.node_count();
    parts.attribute_count = graph.attribute_count();
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      for (const NodeIndex j : graph.neighbours(i)) parts.edges.push_back({j, static_cast<NodeIndex>(i)});
      for (const double value : graph.attributes(i)) parts.attributes.push_back(value);
    }
    graph = Graph::create(std::move(parts)).value();
  }
  return data;
}

RemovalRequest random_request(Sequence& random, const Session& session, const Dataset& original) {
  for (;;) {
    const std::size_t slot = random.below(session.slots());
    const Graph* graph = session.graph(slot);
    if (graph == nullptr) continue;
    const auto node = static_cast<NodeIndex>(random.below(graph->node_count()));
    if (graph->state(node) == NodeState::kTombstone) continue;
    const auto key = [&](NodeIndex i) -> NodeKey {
      const std::string& id = graph->node_id(i);
      if (random.chance(0.5)) return id;
      return number_of(original.graphs[slot], id);
    };
    const bool last_graph = session.graph_count() == 1;
    const bool last_node = graph->living_node_count() == 1;
    switch (random.below(8)) {
      case 0:
      case 1:
        if (graph->has_features(node)) return ForgetFeatures{slot, key(node)};
        break;
      case 2:
      case 3:
        if (!(last_graph && last_node)) return ForgetNode{slot, key(node)};
        break;
      case 4:
      case 5:
        if (graph->degree(node) > 0) {
          const NodeIndex other = graph->neighbours(node)[random.below(graph->degree(node))];
          return ForgetEdge{slot, key(node), key(other)};
        }
        break;
      case 6:
        if (!last_graph) return ForgetGraph{slot};
        break;
      default:
        if (session.graph_count() > 2) return ForgetSubject{graph->node_id(node)};
    }
  }
}

std::vector<RemovalRequest> random_batch(Sequence& random, const Session& session, const Dataset& original,
                                         std::size_t size) {
  std::vector<RemovalRequest> batch;
  std::vector<bool> touched(session.slots(), false);
  std::size_t untouched = session.graph_count();
  for (std::size_t tries = 0; tries < 50 * size && batch.size() < size && untouched > 1; ++tries) {
    RemovalRequest request = random_request(random, session, original);
    // A subject touches graphs that are not named here.
    if (std::holds_alternative<ForgetSubject>(request)) continue;
    const std::size_t slot = std::visit(
        [](const auto& r) -> std::size_t {
          if constexpr (requires { r.graph; }) return std::get<std::size_t>(r.graph);
          return 0;
        },
        request);
    if (touched[slot]) continue;
    touched[slot] = true;
    --untouched;
    batch.push_back(std::move(request));
  }
  return batch;
}

Correction random_correction(Sequence& random, const Session& session) {
  for (;;) {
    const std::size_t slot = random.below(session.slots());
    const Graph* graph = session.graph(slot);
    if (graph == nullptr) continue;
    const auto node = static_cast<NodeIndex>(random.below(graph->node_count()));
    const auto other = static_cast<NodeIndex>(random.below(graph->node_count()));
    switch (random.below(4)) {
      case 0: {
        std::vector<double> values(graph->attribute_count());
        for (double& value : values) value = 2 * random.unit() - 1;
        return SetFeatures{slot, graph->node_id(node), values};
      }
      case 1:
        if (node != other && !graph->has_edge(node, other)) {
          return AddEdge{slot, graph->node_id(node), graph->node_id(other)};
        }
        break;
      case 2:
        if (graph->has_edge(node, other)) return DropEdge{slot, graph->node_id(node), graph->node_id(other)};
        break;
      default: {
        const std::size_t label = (session.labels()[slot] + 1) % session.classes();
        return SetLabel{slot, session.class_names()[label]};
      }
    }
  }
}

Dataset part_of(const Dataset& all, std::size_t first, std::size_t count) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = first; i < first + count; ++i) chosen.push_back(i);
  return subset(all, chosen);
}

std::vector<double> true_residuals(const Session& session, const Embedder& embedder) {
  const Scratch scratch = from_scratch(session.remaining(), embedder, session.options().bias);
  const RowMatrix Z = scratch.rows.to_dense();
  const Matrix& W = session.weights();
  const Loss& loss = session.options().loss;
  const long double ridge =
      static_cast<long double>(session.options().regularisation) * static_cast<long double>(scratch.labels.size());
  std::vector<double> norms;
  for (Eigen::Index k = 0; k < W.cols(); ++k) {
    std::vector<long double> gradient(static_cast<std::size_t>(W.rows()));
    for (Eigen::Index j = 0; j < W.rows(); ++j) {
      gradient[static_cast<std::size_t>(j)] = ridge * W(j, k);
      if (session.perturbation() != nullptr) gradient[static_cast<std::size_t>(j)] += (*session.perturbation())(j, k);
    }
    for (Eigen::Index i = 0; i < Z.rows(); ++i) {
      const double sign = scratch.labels[static_cast<std::size_t>(i)] == static_cast<std::size_t>(k) ? 1 : -1;
      long double margin = 0;
      for (Eigen::Index j = 0; j < Z.cols(); ++j) margin += static_cast<long double>(Z(i, j)) * W(j, k);
      margin *= sign;
      long double slope = 0;
      switch (loss.kind()) {
        case LossKind::kLogistic: slope = -1 / (1 + std::exp(margin)); break;
        case LossKind::kSquared: slope = margin - 1; break;
        case LossKind::kHuberSvm: {
          const long double x = (1 - margin) / loss.smoothing();
          slope = x <= -1 ? 0 : x <= 0 ? -(1 + x) * (1 + x) / 2 : x <= 1 ? -1 + (1 - x) * (1 - x) / 2 : -1;
          break;
        }
      }
      for (Eigen::Index j = 0; j < Z.cols(); ++j) gradient[static_cast<std::size_t>(j)] += slope * sign * Z(i, j);
    }
    long double square = 0;
    for (const long double g : gradient) square += g * g;
    norms.push_back(static_cast<double>(std::sqrt(square)));
  }
  return norms;
}

double joint(const std::vector<double>& per_class) {
  double square = 0;
  for (const double norm : per_class) square += norm * norm;
  return std::sqrt(square);
}

Retrained retrained(const Session& session, const Embedder& embedder) {
  return retrained(session.remaining(), embedder, session.options(), session.perturbation());
}

Retrained retrained(const Dataset& left, const Embedder& embedder, const SessionOptions& options,
                    const Matrix* perturbation) {
  const Scratch scratch = from_scratch(left, embedder, options.bias);
  const double ridge = options.regularisation * static_cast<double>(scratch.labels.size());
  const Objective objective(scratch.rows, scratch.labels, left.class_names.size(), options.loss, ridge, perturbation);
  const TrainedWeights trained = train(objective).value();
  return {trained.weights, trained.gradient_norms.norm() / ridge};
}

SessionOptions limitless_options() {
  SessionOptions options;
  // A class that leaves would be a training from scratch, which has no bounds to watch.
  options.classes = ConstantKind::kStated;
  options.noise_stddev = 1e60;
  options.distance_limit = 1e100;
  options.fast_rung = false;
  return options;
}

}  // namespace unscatter::testing
