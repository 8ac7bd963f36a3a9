#include "embedding/transforms/portrait.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "embedding/features/wide_scale.h"
#include "embedding/seen_graphs.h"
#include "embedding/transforms/node_shapes.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// ln(1 + 4446) = 8.4: larger degrees share the last centre, as in soft-degree.
constexpr double kLargestLog = 8.4;
constexpr std::size_t kShapeCentres = 8;
constexpr std::size_t kClusteringCentres = 4;
constexpr std::array kSizeScales = {0.25, 0.5, 1.0, 2.0};
constexpr std::size_t kBuckets = 1024;
// In counts: up to about ten different kinds of nodes the norm still tells how many there are.
constexpr double kCountSoftening = 60;

// A part of the row: how many columns, and its share of the norm.  The weights were chosen once, on MUTAG, NCI1,
// PROTEINS, IMDB-BINARY and generated frauds (docs/constants.md): they are built in, and no data of a user shape them.
struct Part {
  std::size_t width;
  double weight;
};
constexpr Part kSize = {6 * kSizeScales.size(), 2};
constexpr Part kStructure = {kShapeCentres * kShapeCentres * kShapeCentres, 1};
constexpr Part kClustering = {kShapeCentres * kShapeCentres * kClusteringCentres, 1};
constexpr Part kNodeDirections = {kShapeCentres * kShapeCentres, 1};
constexpr Part kEdgeDirections = {kShapeCentres * kShapeCentres, 1};
constexpr Part kWeights = {3 * kWideChannels, 1};
constexpr Part kKinds = {kBuckets, 2};
constexpr std::size_t kFixedWidth = kSize.width + kStructure.width + kClustering.width + kNodeDirections.width +
                                    kEdgeDirections.width + kWeights.width + kKinds.width;
// Channels: means over nodes, over starts and over ends of edges; counts.
constexpr std::array kChannelWeights = {1.0, 1.0, 1.0, 2.0};
constexpr double kAllWeights = kSize.weight + kStructure.weight + kClustering.weight + kNodeDirections.weight +
                               kEdgeDirections.weight + kWeights.weight + kKinds.weight + 5.0;

// A public hash.  Any fixed one does; this one spreads small whole numbers well.
std::uint64_t mixed(std::uint64_t a) {
  a *= 0x9E3779B97F4A7C15u;
  a ^= a >> 29;
  a *= 0xC2B2AE3D27D4EB4Fu;
  return a ^ (a >> 32);
}
std::uint64_t mixed(std::uint64_t h, std::uint64_t next) { return mixed(h * 0x165667B19E3779F9u + mixed(next)); }

// Where a number lies between two of `centres` centres on [0, high].
struct Between {
  std::size_t left;
  double right_share;

  Between(double value, double high, std::size_t centres) {
    const double t = std::clamp(value, 0.0, high) / high * static_cast<double>(centres - 1);
    left = std::min(static_cast<std::size_t>(t), centres - 2);
    right_share = std::min(t - static_cast<double>(left), 1.0);
  }
  [[nodiscard]] double share(std::size_t side) const { return side == 0 ? 1 - right_share : right_share; }
};

Between on_log_scale(double value) { return {value, kLargestLog, kShapeCentres}; }

// Adds 1 to a grid, shared by the cells around the place.
void add_to_grid(std::span<double> grid, const Between& a, const Between& b) {
  for (const std::size_t i : {0u, 1u}) {
    for (const std::size_t j : {0u, 1u}) grid[(a.left + i) * kShapeCentres + b.left + j] += a.share(i) * b.share(j);
  }
}
void add_to_grid(std::span<double> grid, const Between& a, const Between& b, const Between& c, std::size_t depth) {
  for (const std::size_t i : {0u, 1u}) {
    for (const std::size_t j : {0u, 1u}) {
      for (const std::size_t k : {0u, 1u}) {
        grid[((a.left + i) * kShapeCentres + b.left + j) * depth + c.left + k] += a.share(i) * b.share(j) * c.share(k);
      }
    }
  }
}

// sign(h) sqrt(|h| / sum |h|): norm 1, or nothing at all.
void finish_histogram(std::span<double> part, double weight) {
  double sum = 0;
  for (const double value : part) sum += std::abs(value);
  if (!(sum > 0)) return;
  for (double& value : part) value = std::copysign(std::sqrt(std::abs(value) / sum * (weight / kAllWeights)), value);
}

// v / sqrt(|v|^2 + softening) with v = sign(h) ln(1 + |h|): norm below 1.
void finish_counts(std::span<double> part, double weight) {
  double squares = kCountSoftening;
  for (double& value : part) {
    value = std::copysign(std::log1p(std::abs(value)), value);
    squares += value * value;
  }
  const double scale = std::sqrt(weight / kAllWeights / squares);
  for (double& value : part) value *= scale;
}

bool is_there(const Graph& graph, std::size_t i) { return graph.state(i) != NodeState::kTombstone; }

double mean_over_neighbours(const Graph& graph, std::size_t i, const std::vector<double>& values) {
  double sum = 0;
  for (const NodeIndex j : graph.neighbours(i)) sum += values[j];
  return graph.degree(i) == 0 ? 0 : sum / static_cast<double>(graph.degree(i));
}

// Cuts the parts of a row off, one after the other.
class Columns {
 public:
  explicit Columns(std::span<double> all) : left_(all) {}
  std::span<double> take(std::size_t width) {
    const std::span<double> part = left_.first(width);
    left_ = left_.subspan(width);
    return part;
  }

 private:
  std::span<double> left_;
};

void draw_size(const Graph& whole, std::span<double> part) {
  const auto n = static_cast<double>(whole.living_node_count());
  const auto m = static_cast<double>(whole.edge_count());
  const std::size_t pairs = part.size() / 2;  // of a cosine and a sine
  const double scale = std::sqrt(kSize.weight / kAllWeights / static_cast<double>(pairs));
  std::size_t column = 0;
  for (const double t : kSizeScales) {
    for (const double q : {std::log1p(n), std::log1p(m), std::log1p(2 * m / n)}) {
      part[column++] = scale * std::cos(t * q);
      part[column++] = scale * std::sin(t * q);
    }
  }
}

// Nodes by degrees around them, and by how closed their neighbourhoods are.
void draw_structure(const Graph& whole, const std::vector<std::uint64_t>& triangles, std::span<double> structure,
                    std::span<double> clustering) {
  const std::size_t n = whole.node_count();
  std::vector<double> degree(n);
  for (std::size_t i = 0; i < n; ++i) degree[i] = static_cast<double>(whole.degree(i));
  std::vector<double> around(n);
  for (std::size_t i = 0; i < n; ++i) around[i] = std::log1p(mean_over_neighbours(whole, i, degree));
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_there(whole, i)) continue;
    const Between own = on_log_scale(std::log1p(degree[i]));
    const Between near = on_log_scale(around[i]);
    add_to_grid(structure, own, near, on_log_scale(mean_over_neighbours(whole, i, around)), kShapeCentres);
    const double pairs = std::max(degree[i] * (degree[i] - 1) / 2, 1.0);
    const Between closed(static_cast<double>(triangles[i]) / pairs, 1, kClusteringCentres);
    add_to_grid(clustering, own, near, closed, kClusteringCentres);
  }
  finish_histogram(structure, kStructure.weight);
  finish_histogram(clustering, kClustering.weight);
}

std::vector<double> out_degrees(const Graph& graph) {
  std::vector<double> degrees(graph.node_count(), 0.0);
  for (const NodeIndex from : graph.entries()) degrees[from] += 1;
  return degrees;
}

void draw_directions(const Graph& graph, const std::vector<double>& out, std::span<double> nodes,
                     std::span<double> edges) {
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (!is_there(graph, i)) continue;
    const Between in = on_log_scale(std::log1p(static_cast<double>(graph.degree(i))));
    add_to_grid(nodes, in, on_log_scale(std::log1p(out[i])));
    for (const NodeIndex from : graph.neighbours(i)) add_to_grid(edges, on_log_scale(std::log1p(out[from])), in);
  }
  finish_histogram(nodes, kNodeDirections.weight);
  finish_histogram(edges, kEdgeDirections.weight);
}

void draw_weights(const Graph& graph, std::span<double> part) {
  const auto add_to = [&](std::size_t which) {
    return [part, which](std::size_t channel, double share) { part[which * kWideChannels + channel] += share; };
  };
  // Sums stay finite: a weight is at most kMaxEdgeWeight, and so is what is kept of a sum.
  const auto sum_of = [](double a, double b) { return std::clamp(a + b, -kMaxEdgeWeight, kMaxEdgeWeight); };
  std::vector<double> out(graph.node_count(), 0.0);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    double in = 0;
    for (std::size_t k = 0; k < graph.degree(i); ++k) {
      const double weight = graph.weights(i)[k];
      on_wide_scale(weight, add_to(0));
      in = sum_of(in, weight);
      out[graph.neighbours(i)[k]] = sum_of(out[graph.neighbours(i)[k]], weight);
    }
    if (is_there(graph, i)) on_wide_scale(in, add_to(1));
  }
  for (std::size_t i = 0; graph.directed() && i < graph.node_count(); ++i) {
    if (is_there(graph, i)) on_wide_scale(out[i], add_to(2));
  }
  finish_histogram(part, kWeights.weight);
}

// Colours of nodes: their labels, then twice what they and their neighbours have [Shervashidze11].  A node whose label
// was removed has a colour of its own.
template <typename Count>
void count_label_kinds(const Graph& whole, Count count) {
  const std::size_t n = whole.node_count();
  std::vector<std::uint64_t> colours(n);
  for (std::size_t i = 0; i < n; ++i) {
    colours[i] = whole.has_features(i) ? mixed(1, static_cast<std::uint64_t>(whole.label(i))) : mixed(2);
  }
  std::vector<std::uint64_t> next(n);
  for (const std::uint64_t round : {2u, 3u}) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t sum = 0;  // of hashes: the order of neighbours does not matter
      for (const NodeIndex j : whole.neighbours(i)) sum += mixed(round, colours[j]);
      next[i] = mixed(colours[i], sum);
      if (is_there(whole, i)) count(mixed(round, next[i]));
    }
    colours.swap(next);
  }
}

void draw_kinds(const Graph& graph, const Graph& whole, const std::vector<std::uint64_t>& triangles,
                const std::vector<double>& out, std::span<double> part) {
  const auto count = [part](std::uint64_t hash) { part[hash % kBuckets] += 1; };
  const std::vector<std::uint32_t> core = core_numbers(whole);
  for (std::size_t i = 0; i < whole.node_count(); ++i) {
    if (!is_there(whole, i)) continue;
    count(mixed(mixed(mixed(0, whole.degree(i)), triangles[i]), core[i]));
    if (!graph.directed()) continue;
    const auto outgoing = static_cast<std::uint64_t>(out[i]);
    const std::uint64_t mutual = graph.degree(i) + outgoing - whole.degree(i);
    count(mixed(mixed(mixed(1, graph.degree(i)), outgoing), mutual));
  }
  if (whole.has_labels()) count_label_kinds(whole, count);
  finish_counts(part, kKinds.weight);
}

void draw_channels(const Graph& graph, const std::vector<double>& out, const NodeSignals& signals, std::size_t channels,
                   Columns& columns) {
  const std::span<double> nodes = columns.take(channels);
  const std::span<double> starts = columns.take(channels);
  const std::span<double> ends = columns.take(channels);
  const std::span<double> counts = columns.take(channels);
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    const std::span<const double> values = signals.node(i);
    const auto in = static_cast<double>(graph.degree(i));
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::uint32_t channel = signals.channels[k];
      nodes[channel] += values[k];
      ends[channel] += in * values[k];
      // Without directions an edge has no start, and both ends are in `ends`.
      if (graph.directed()) starts[channel] += out[i] * values[k];
    }
  }
  std::copy(nodes.begin(), nodes.end(), counts.begin());
  finish_histogram(nodes, kChannelWeights[0]);
  finish_histogram(starts, kChannelWeights[1]);
  finish_histogram(ends, kChannelWeights[2]);
  finish_counts(counts, kChannelWeights[3]);
}

// Runs of numbers that are not 0.  What a graph lacks takes no memory.
void store(std::span<const double> z, BlockRow& row) {
  row.clear();
  for (std::size_t first = 0; first < z.size();) {
    if (z[first] == 0) {
      ++first;
      continue;
    }
    std::size_t end = first;
    while (end < z.size() && z[end] != 0) ++end;
    std::copy(z.begin() + static_cast<std::ptrdiff_t>(first), z.begin() + static_cast<std::ptrdiff_t>(end),
              row.append(first, end - first));
    first = end;
  }
}

class Portrait final : public Transform {
 public:
  [[nodiscard]] std::string name() const override { return "portrait"; }
  [[nodiscard]] std::size_t width(std::size_t channels) const noexcept override {
    return kFixedWidth + kChannelWeights.size() * channels;
  }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Memory>(); }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t channels, Scratch& scratch,
                             BlockRow& row) const override {
    invariant(signals.nodes == graph.node_count(), "signals have a row per node");
    std::vector<double>& z = dynamic_cast<Memory&>(scratch).z;
    z.assign(width(channels), 0.0);
    const Graph* const one[] = {&graph};
    const SeenGraphs seen(one, true);
    const Graph& whole = *seen.graphs()[0];
    const std::vector<std::uint64_t> triangles = triangle_counts(whole);
    const std::vector<double> out = out_degrees(graph);

    Columns columns(z);
    draw_size(whole, columns.take(kSize.width));
    const std::span<double> structure = columns.take(kStructure.width);
    draw_structure(whole, triangles, structure, columns.take(kClustering.width));
    const std::span<double> node_directions = columns.take(kNodeDirections.width);
    const std::span<double> edge_directions = columns.take(kEdgeDirections.width);
    if (graph.directed()) draw_directions(graph, out, node_directions, edge_directions);
    const std::span<double> weights = columns.take(kWeights.width);
    if (graph.has_weights()) draw_weights(graph, weights);
    draw_kinds(graph, whole, triangles, out, columns.take(kKinds.width));
    draw_channels(graph, out, signals, channels, columns);
    store(z, row);
    return ok_status();
  }

 private:
  struct Memory final : Scratch {
    std::vector<double> z;
  };
};

}  // namespace

std::unique_ptr<Transform> make_portrait() { return std::make_unique<Portrait>(); }

}  // namespace unscatter
