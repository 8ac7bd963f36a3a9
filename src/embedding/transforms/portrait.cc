#include "embedding/transforms/portrait.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "embedding/blocks/directions.h"
#include "embedding/blocks/graph_shape.h"
#include "embedding/blocks/histograms.h"
#include "embedding/blocks/kinds.h"
#include "embedding/blocks/shapes.h"
#include "embedding/blocks/size.h"
#include "embedding/blocks/stored_runs.h"
#include "embedding/features/wide_scale.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr std::size_t kShapeCentres = 8;
constexpr std::size_t kClusteringCentres = 4;
constexpr std::size_t kBuckets = 1024;
// In counts: up to about ten different channels the norm still tells how many there are.
constexpr double kCountSoftening = 60;

// A part of the row: how many columns, and its share of the norm.  The weights were chosen once, on MUTAG, NCI1,
// PROTEINS, IMDB-BINARY and generated frauds (docs/constants.md): they are built in, and no data of a user shape them.
struct Share {
  std::size_t width;
  double weight;
};
constexpr Share kSize = {kSizeColumns, 2};
constexpr Share kStructure = {kShapeCentres * kShapeCentres * kShapeCentres, 1};
constexpr Share kClustering = {kShapeCentres * kShapeCentres * kClusteringCentres, 1};
constexpr Share kNodeDirections = {kShapeCentres * kShapeCentres, 1};
constexpr Share kEdgeDirections = {kShapeCentres * kShapeCentres, 1};
constexpr Share kWeights = {3 * kWideChannels, 1};
constexpr Share kKinds = {kBuckets, 2};
constexpr std::size_t kFixedWidth = kSize.width + kStructure.width + kClustering.width + kNodeDirections.width +
                                    kEdgeDirections.width + kWeights.width + kKinds.width;
// Channels: means over nodes, over starts and over ends of edges; counts.
constexpr std::array kChannelWeights = {1.0, 1.0, 1.0, 2.0};
constexpr double kAllWeights = kSize.weight + kStructure.weight + kClustering.weight + kNodeDirections.weight +
                               kEdgeDirections.weight + kWeights.weight + kKinds.weight + 5.0;

// A weight as a share of the squared norm.
constexpr double share_of(double weight) { return weight / kAllWeights; }

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

void draw_channels(GraphShape& shape, const NodeSignals& signals, std::size_t channels, Columns& columns) {
  const Graph& graph = shape.graph();
  const std::span<const double> out = shape.out_degrees();
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
  finish_histogram(nodes, share_of(kChannelWeights[0]));
  finish_histogram(starts, share_of(kChannelWeights[1]));
  finish_histogram(ends, share_of(kChannelWeights[2]));
  finish_counts(counts, share_of(kChannelWeights[3]), kCountSoftening);
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
    auto& memory = dynamic_cast<Memory&>(scratch);
    GraphShape& shape = memory.shape;
    shape.look_at(graph);
    memory.z.assign(width(channels), 0.0);

    Columns columns(memory.z);
    draw_size(shape, share_of(kSize.weight), columns.take(kSize.width));
    draw_shapes(shape, kShapeCentres, share_of(kStructure.weight), columns.take(kStructure.width));
    draw_clustering(shape, kShapeCentres, kClusteringCentres, share_of(kClustering.weight),
                    columns.take(kClustering.width));
    const std::span<double> node_directions = columns.take(kNodeDirections.width);
    const std::span<double> edge_directions = columns.take(kEdgeDirections.width);
    draw_directions(shape, kShapeCentres, share_of(kNodeDirections.weight), share_of(kEdgeDirections.weight),
                    node_directions, edge_directions);
    draw_weights(shape, share_of(kWeights.weight), columns.take(kWeights.width));
    draw_all_kinds(shape, kBuckets, share_of(kKinds.weight), columns.take(kKinds.width));
    draw_channels(shape, signals, channels, columns);
    store_runs(memory.z, row);
    return ok_status();
  }

 private:
  struct Memory final : Scratch {
    GraphShape shape;
    std::vector<double> z;
  };
};

}  // namespace

std::unique_ptr<Transform> make_portrait() { return std::make_unique<Portrait>(); }

}  // namespace unscatter
