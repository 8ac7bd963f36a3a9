#include "unscatter/embedding/walk_scattering.h"

#include <fmt/format.h>
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <array>
#include <utility>

#include "embedding/transforms/low_pass.h"
#include "embedding/transforms/walk_kernel.h"

namespace unscatter {
namespace {

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Grows, never shrinks, never keeps its content when it grows.
class AlignedBuffer {
 public:
  double* at_least(std::size_t count) {
    if (count > size_) {
      size_ = count + count / 2;
      values_ = hwy::AllocateAligned<double>(size_);
    }
    return values_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<double[]> values_;
  std::size_t size_ = 0;
};

// Three blocks hold a layer while it walks: the last dyadic iterate, the current one and the next one change places.
struct LayerBuffers {
  std::array<AlignedBuffer, 3> blocks;
};

class WalkScratch final : public Transform::Scratch {
 public:
  std::vector<LayerBuffers> layers;
  AlignedBuffer sums;
  WalkScaling scaling;
  std::vector<double> weights;
};

class WalkScattering final : public Transform {
 public:
  WalkScattering(WalkOperator op, std::size_t scales, const ScatteringOptions& options)
      : op_(op), scales_(scales), options_(options), tree_size_(scattering_tree_size(scales, options.layers)) {}

  [[nodiscard]] std::string name() const override {
    return fmt::format("{} walk{} scattering", walk_operator_name(op_), options_.linear ? " linear" : "");
  }
  [[nodiscard]] std::size_t width(std::size_t channels) const noexcept override {
    return tree_size_ * channels * options_.moments;
  }

  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<WalkScratch>();
    scratch->layers.resize(options_.layers);
    return scratch;
  }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t channels, Scratch& scratch,
                             BlockRow& row) const override {
    if (op_ == WalkOperator::kSymmetric && graph.directed()) {
      return Error{ErrorCode::kUnsupported,
                   "the symmetric operator needs undirected graphs; symmetrise the data first"};
    }
    prepare_row(signals, channels, row);
    if (signals.width() == 0) return ok_status();
    auto& work = static_cast<WalkScratch&>(scratch);
    walk_scaling(graph, op_, work.scaling);
    if (options_.low_pass == LowPass::kDegree) low_pass_weights(graph, options_.low_pass, work.weights);
    const WalkGraph walk{graph.node_count(), graph.offsets().data(), graph.entries().data(),
                         work.scaling.pre.empty() ? nullptr : work.scaling.pre.data(),
                         work.scaling.post.empty() ? nullptr : work.scaling.post.data()};

    // Channels do not meet, so a graph too large for the cache is done in tiles of channels.
    const std::size_t tile = tile_width(graph.node_count(), signals.width());
    for (std::size_t first = 0; first < signals.width(); first += tile) {
      embed_tile(walk, signals, first, std::min(tile, signals.width() - first), work, row);
    }
    return ok_status();
  }

 private:
  // Bytes of the widest block that walks.  Three of them should stay in a second-level cache; a tile below 32 root
  // channels would leave lanes and registers empty instead.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 19;
  static constexpr std::size_t kNarrowestTile = 32;

  [[nodiscard]] std::size_t tile_width(std::size_t nodes, std::size_t width) const {
    std::size_t signals = 1;
    for (std::size_t l = 2; l < options_.layers; ++l) signals *= scales_;
    const std::size_t fitting = kBlockBytes / (sizeof(double) * nodes * signals + 1);
    return std::min(width, std::max(fitting / 8 * 8, kNarrowestTile));
  }

  // All coefficients that may differ from zero, and room for them.
  void prepare_row(const NodeSignals& signals, std::size_t channels, BlockRow& row) const {
    const std::size_t Q = options_.moments;
    row.clear();
    row.values.resize(tree_size_ * signals.width() * Q);
    std::size_t runs = 0;
    for (std::size_t k = 0; k < signals.width(); ++k) {
      if (k == 0 || signals.channels[k] != signals.channels[k - 1] + 1) ++runs;
    }
    row.segments.reserve(tree_size_ * runs);
    for (std::size_t node = 0; node < tree_size_; ++node) {
      for (const std::uint32_t channel : signals.channels) row.extend((node * channels + channel) * Q, Q);
    }
  }

  void embed_tile(const WalkGraph& walk, const NodeSignals& signals, std::size_t first, std::size_t tile,
                  WalkScratch& work, BlockRow& row) const {
    SignalBlock block = make_block(work.layers[0], walk.nodes, tile);
    for (std::size_t i = 0; i < walk.nodes; ++i) {
      double* to = block.values + i * block.stride;
      std::copy_n(signals.node(i).data() + first, tile, to);
      std::fill(to + tile, to + block.stride, 0.0);
    }
    const auto emit = [&](std::size_t layer, std::size_t band_of_layer, const SignalBlock& shape, const double* sums) {
      write_moments(walk.nodes, layer, band_of_layer, tile, shape, sums, signals.width(), first, row);
    };
    run_band(walk, block, nullptr, {}, 0, work, false);
    emit(0, 0, block, work.sums.at_least(0));

    for (std::size_t layer = 0; layer + 1 < options_.layers; ++layer) {
      const bool last = layer + 2 == options_.layers;
      SignalBlock children{nullptr, block.width * scales_, 0};
      if (!last) {
        children = make_block(work.layers[layer + 1], walk.nodes, children.width);
        for (std::size_t i = 0; i < walk.nodes; ++i) {
          std::fill(children.values + i * children.stride + children.width, children.values + (i + 1) * children.stride,
                    0.0);
        }
      }
      walk_layer(walk, block, children, layer, work, emit);
      block = children;
    }
  }

  // Expands one layer: all its signals walk together; band j of the layer is |T^(2^(j-1)) x - T^(2^j) x|.
  template <typename Emit>
  void walk_layer(const WalkGraph& walk, const SignalBlock& block, const SignalBlock& children, std::size_t layer,
                  WalkScratch& work, Emit&& emit) const {
    const std::size_t size = walk.nodes * block.stride;
    SignalBlock dyadic = block;
    SignalBlock current{work.layers[layer].blocks[1].at_least(size), block.width, block.stride};
    SignalBlock spare{work.layers[layer].blocks[2].at_least(size), block.width, block.stride};
    for (std::size_t j = 0; j < scales_; ++j) {
      const std::size_t steps = j == 0 ? 1 : std::size_t{1} << (j - 1);
      walk_step(walk, dyadic, current);
      for (std::size_t s = 1; s < steps; ++s) {
        walk_step(walk, current, spare);
        std::swap(current, spare);
      }
      run_band(walk, dyadic, current.values, children, j, work, !options_.linear);
      emit(layer + 1, j, block, work.sums.at_least(0));
      std::swap(dyadic, current);
    }
  }

  void run_band(const WalkGraph& walk, const SignalBlock& x, const double* y, const SignalBlock& children,
                std::size_t j, WalkScratch& work, bool modulus) const {
    const BandTask task{.x = x.values,
                        .y = y,
                        .nodes = walk.nodes,
                        .width = x.width,
                        .stride = x.stride,
                        .modulus = modulus,
                        .weights = options_.low_pass == LowPass::kDegree ? work.weights.data() : nullptr,
                        .moments = options_.moments,
                        .sums = work.sums.at_least(options_.moments * x.stride),
                        .child = children.values == nullptr ? nullptr : children.values + j * x.width,
                        .child_stride = children.stride};
    band(task);
  }

  // Band j of a layer of W columns holds the children (path of the column, j).  Inside a layer, a column therefore
  // spells its path with the first step running fastest, while the tree counts with the last step running fastest: the
  // digits are reversed here.
  void write_moments(std::size_t nodes, std::size_t layer, std::size_t j, std::size_t tile, const SignalBlock& shape,
                     const double* sums, std::size_t active, std::size_t first, BlockRow& row) const {
    const std::size_t Q = options_.moments;
    const std::size_t base = scattering_tree_size(scales_, layer);
    const double scale = static_cast<double>(nodes);
    const std::size_t parents = shape.width / tile;
    for (std::size_t parent = 0; parent < parents; ++parent) {
      std::size_t in_layer = 0;
      std::size_t digits = parent;
      for (std::size_t l = 1; l < layer; ++l, digits /= scales_) in_layer = in_layer * scales_ + digits % scales_;
      const std::size_t tree_node = layer == 0 ? 0 : base + in_layer * scales_ + j;
      double* z = row.values.data() + (tree_node * active + first) * Q;
      for (std::size_t k = 0; k < tile; ++k) {
        for (std::size_t q = 0; q < Q; ++q) {
          const double sum = sums[q * shape.stride + parent * tile + k];
          z[k * Q + q] = options_.low_pass == LowPass::kDegree ? sum : sum / scale;
        }
      }
    }
  }

  static SignalBlock make_block(LayerBuffers& buffers, std::size_t nodes, std::size_t width) {
    const std::size_t stride = round_up(width, walk_kernel_lanes());
    return {buffers.blocks[0].at_least(nodes * stride), width, stride};
  }

  WalkOperator op_;
  std::size_t scales_;
  ScatteringOptions options_;
  std::size_t tree_size_;
};

}  // namespace

Result<std::unique_ptr<Transform>> make_walk_scattering(WalkOperator op, std::size_t scales,
                                                        const ScatteringOptions& options) {
  UNSCATTER_CHECK_OK(make_walk_bank(op, scales));
  UNSCATTER_CHECK_OK(check_scattering(scales, options));
  return std::unique_ptr<Transform>(std::make_unique<WalkScattering>(op, scales, options));
}

WalkScatteringCost walk_scattering_cost(std::size_t nodes, std::size_t entries, std::size_t active_channels,
                                        std::size_t scales, const ScatteringOptions& options) {
  const auto g = static_cast<double>(nodes);
  const auto e = static_cast<double>(entries);
  const auto walking = static_cast<double>(active_channels * scattering_tree_size(scales, options.layers - 1));
  const auto signals = static_cast<double>(active_channels * scattering_tree_size(scales, options.layers));
  const auto steps = static_cast<double>(std::size_t{1} << (scales - 1));
  WalkScatteringCost cost;
  // A step: one addition per entry; scale, add, halve per node.  A band: difference and modulus, then Q additions and Q
  // - 1 products.
  const double moment_flops = 2.0 * static_cast<double>(options.moments) - 1;
  cost.flops = walking * steps * (e + 3 * g) + signals * g * moment_flops +
               (signals - static_cast<double>(active_channels)) * 2 * g;
  cost.bytes = sizeof(double) * walking * steps * (e + 2 * g);
  return cost;
}

const char* simd_target_name() { return walk_kernel_target(); }

}  // namespace unscatter
