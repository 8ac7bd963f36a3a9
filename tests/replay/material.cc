#include "material.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace replay {
namespace {

using unscatter::Dataset;
using unscatter::Graph;
using unscatter::GraphParts;
using unscatter::NodeIndex;

// Graphs that are looked at before the data counts as used up.
constexpr std::size_t kMostTries = 10000;

unscatter::TransformSpec transform(std::size_t scales, std::size_t moments, std::size_t layers) {
  unscatter::TransformSpec spec;
  spec.scales = scales;
  spec.moments = moments;
  spec.layers = layers;
  return spec;
}

Dataset groups(std::size_t count, std::uint64_t seed, std::size_t users = 150) {
  unscatter::InterestGroupOptions options;
  options.groups = count;
  options.users = users;
  options.min_size = 5;
  options.max_size = 12;
  options.seed = seed;
  Dataset dataset = unscatter::generate_interest_groups(options).value();
  dataset.name = "groups";
  return dataset;
}

Graph rich_graph(Draw& draw, std::size_t label) {
  GraphParts parts;
  parts.node_count = 4 + draw.below(6);
  // A ring, so that every node has a neighbour, and some chords.
  for (NodeIndex i = 0; i < parts.node_count; ++i) {
    parts.edges.push_back({i, static_cast<NodeIndex>((i + 1) % parts.node_count)});
    for (NodeIndex j = 0; j < i; ++j) {
      if (draw.unit() < 0.1 + 0.1 * static_cast<double>(label)) parts.edges.push_back({i, j});
    }
  }
  parts.attribute_count = 2;
  for (std::size_t i = 0; i < parts.node_count; ++i) {
    parts.attributes.push_back(draw.unit() - 0.5 + 0.2 * static_cast<double>(label));
    parts.attributes.push_back(draw.unit() - 0.5);
    parts.labels.push_back(static_cast<std::int64_t>(draw.below(3)));
    parts.positions.push_back(draw.unit());
    parts.positions.push_back(draw.unit());
    // Nine users share each place, so that subjects occur in several graphs.
    parts.node_ids.push_back("u" + std::to_string(9 * i + draw.below(9)));
  }
  return Graph::create(std::move(parts)).value();
}

Dataset rich(std::size_t count, std::uint64_t seed) {
  Draw draw(seed);
  Dataset dataset;
  dataset.name = "rich";
  dataset.class_names = {"north", "east", "south", "west"};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = draw.below(dataset.class_names.size());
    dataset.graphs.push_back(rich_graph(draw, label));
    dataset.labels.push_back(static_cast<std::uint32_t>(label));
    dataset.graph_ids.push_back("graph-" + std::to_string(i));
    dataset.numbers.push_back(3 * i + 1);
  }
  return dataset;
}

// Every so-and-so-many-th graph of a data set, or nothing if the file is not there.
std::optional<Dataset> part(const std::filesystem::path& file, std::size_t count) {
  if (!std::filesystem::exists(file)) {
    std::fprintf(stderr, "record: %s is not there and is left out\n", file.c_str());
    return std::nullopt;
  }
  const Dataset whole = unscatter::read_dataset(file).value();
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = i * whole.size() / count;
  return unscatter::subset(whole, chosen);
}

}  // namespace

std::uint64_t Draw::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void SeededSource::fill(std::span<std::byte> bytes) {
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(draw_.next() & 0xff);
}

std::vector<Material> interest_groups() {
  return {{"groups", "many", groups(160, 11), "log-degree+constant", transform(2, 2, 2)},
          {"groups", "as-many", groups(64, 12), "degree-onehot:8", transform(2, 2, 2)},
          {"groups", "few", groups(40, 13), "degree-onehot:12", transform(3, 2, 3)}};
}

std::vector<Material> many_interest_groups() {
  return {{"large", "many", groups(1200, 14, 1000), "log-degree+constant", transform(2, 2, 2)},
          {"large", "as-many", groups(150, 15, 400), "degree-onehot:12", transform(3, 2, 2)},
          {"large", "few", groups(150, 16, 400), "degree-onehot:12", transform(3, 2, 3)}};
}

std::vector<Material> rich_graphs() {
  return {{"rich", "many", rich(150, 21), "attributes+log-degree", transform(2, 1, 2)},
          {"rich", "as-many", rich(60, 22), "attributes+labels+position+constant", transform(2, 2, 2)},
          {"rich", "few", rich(40, 23), "standard-attributes+labels+product(attributes,position)", transform(3, 2, 3)}};
}

std::vector<Material> real_data(const std::filesystem::path& folder) {
  std::vector<Material> all;
  if (auto data = part(folder / "IMDB-BINARY" / "IMDB-BINARY.zip", 200)) {
    all.push_back({"imdb-binary", "real", *std::move(data), "auto", transform(4, 3, 3)});
  }
  if (auto data = part(folder / "PROTEINS" / "PROTEINS.zip", 400)) {
    all.push_back({"proteins", "real", *std::move(data), "standard-attributes+labels", transform(4, 3, 3)});
  }
  if (auto data = part(folder / "MNIST" / "MNIST_superpixels_train.npz", 300)) {
    all.push_back({"mnist", "real", *std::move(data), "intensity+position", transform(3, 2, 3)});
  }
  return all;
}

unscatter::GraphKey Requests::graph_key(std::size_t slot) {
  if (!original_.graph_ids.empty() && draw_.unit() < 0.5) return original_.graph_ids[slot];
  return original_.numbers.empty() ? slot : original_.numbers[slot];
}

unscatter::NodeKey Requests::node_key(const Graph& graph, std::size_t slot, std::size_t node) {
  // Without ids, nodes are asked for only in graphs that have kept all of theirs: numbers are places there.
  if (!graph.has_node_ids()) return node;
  const std::string& id = graph.node_id(node);
  if (draw_.unit() < 0.5) return id;
  const Graph& before = original_.graphs[slot];
  std::size_t number = 0;
  while (before.node_id(number) != id) ++number;
  return number;
}

std::optional<unscatter::RemovalRequest> Requests::attempt(const unscatter::Session& session, std::size_t slot,
                                                           RequestKind kind) {
  const Graph* graph = session.graph(slot);
  if (graph == nullptr || graph->living_node_count() < 3) return std::nullopt;
  if (kind == RequestKind::kGraph) return unscatter::ForgetGraph{graph_key(slot)};
  if (!graph->has_node_ids() && graph->node_count() != original_.graphs[slot].node_count()) return std::nullopt;
  const std::size_t node = draw_.below(graph->node_count());
  if (graph->state(node) == unscatter::NodeState::kTombstone) return std::nullopt;
  switch (kind) {
    case RequestKind::kFeatures:
      if (!graph->has_features(node)) return std::nullopt;
      return unscatter::ForgetFeatures{graph_key(slot), node_key(*graph, slot, node)};
    case RequestKind::kEdge: {
      if (graph->degree(node) == 0) return std::nullopt;
      const std::size_t other = graph->neighbours(node)[draw_.below(graph->degree(node))];
      return unscatter::ForgetEdge{graph_key(slot), node_key(*graph, slot, other), node_key(*graph, slot, node)};
    }
    case RequestKind::kSubject:
      if (graph->has_node_ids()) return unscatter::ForgetSubject{graph->node_id(node)};
      [[fallthrough]];
    default: return unscatter::ForgetNode{graph_key(slot), node_key(*graph, slot, node)};
  }
}

unscatter::RemovalRequest Requests::next(const unscatter::Session& session, RequestKind kind) {
  for (std::size_t tries = 0; tries < kMostTries; ++tries) {
    if (auto request = attempt(session, draw_.below(session.slots()), kind)) return *std::move(request);
  }
  throw std::runtime_error("the data is used up: no request is left");
}

std::vector<unscatter::RemovalRequest> Requests::batch(const unscatter::Session& session, std::size_t size) {
  std::vector<unscatter::RemovalRequest> requests;
  std::vector<std::size_t> taken;
  for (std::size_t tries = 0; tries < kMostTries && requests.size() < size; ++tries) {
    const std::size_t slot = draw_.below(session.slots());
    if (std::find(taken.begin(), taken.end(), slot) != taken.end()) continue;
    const auto kind = static_cast<RequestKind>(requests.size() % (kRequestKinds - 1));
    if (auto request = attempt(session, slot, kind)) {
      requests.push_back(*std::move(request));
      taken.push_back(slot);
    }
  }
  if (requests.size() < size) throw std::runtime_error("the data is used up: no batch is left");
  return requests;
}

}  // namespace replay
