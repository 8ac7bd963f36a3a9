#include "unscatter/embedding/walk_scattering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "embedding/transforms/low_pass.h"
#include "embedding/transforms/walk_kernel.h"

namespace unscatter {
namespace {

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Memory that is reused from graph to graph.  It grows and never shrinks.  Its content is lost when it grows.
class AlignedBuffer {
 public:
  double* at_least(std::size_t count) {
    if (count > size_) {
      // Half as much again, so that a few slightly larger graphs do not allocate again and again.
      size_ = count + count / 2;
      values_.reset(static_cast<double*>(::operator new(size_ * sizeof(double), kAlignment)));
    }
    return values_.get();
  }

 private:
  // A cache line, and the longest vector.
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(double* values) const noexcept { ::operator delete(values, kAlignment); }
  };

  std::unique_ptr<double, Free> values_;
  std::size_t size_ = 0;
};

// Three blocks hold a layer while it walks: the last dyadic iterate, the current iterate and the next one.  They change
// places instead of being copied.
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

    // Channels do not influence each other.  So a graph that is too large for the cache is done in tiles of channels,
    // with the same result.
    const std::size_t tile = tile_width(graph.node_count(), signals.width());
    for (std::size_t first = 0; first < signals.width(); first += tile) {
      embed_tile(walk, signals, first, std::min(tile, signals.width() - first), work, row);
    }
    return ok_status();
  }

 private:
  // The most bytes of a block that walks.  Three such blocks should stay in a second-level cache.  A tile of fewer than
  // 32 root channels is not made: it would leave lanes and registers empty.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 19;
  static constexpr std::size_t kNarrowestTile = 32;

  [[nodiscard]] std::size_t tile_width(std::size_t nodes, std::size_t width) const {
    // The widest layer that walks is the last but one, with J^(L-2) signals per channel.  The last layer is never
    // stored.
    std::size_t signals = 1;
    for (std::size_t l = 2; l < options_.layers; ++l) signals *= scales_;
    // Multiples of 8 fill whole vectors on every processor.  The 1 prevents a division by zero.
    const std::size_t fitting = kBlockBytes / (sizeof(double) * nodes * signals + 1);
    return std::min(width, std::max(fitting / 8 * 8, kNarrowestTile));
  }

  // Writes the segments of all coefficients that may differ from zero, and makes room for their values.  Tiles then
  // write their values in any order.
  void prepare_row(const NodeSignals& signals, std::size_t channels, BlockRow& row) const {
    const std::size_t Q = options_.moments;
    row.clear();
    row.values.resize(tree_size_ * signals.width() * Q);
    // Neighbouring active channels share a segment.  Counting them first makes one allocation do.
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
    // The root: moments of the signals themselves, without a modulus.
    run_band(walk, block, nullptr, {}, 0, work, false);
    // at_least(0) never grows: it is where run_band() has just left the sums.
    emit(0, 0, block, work.sums.at_least(0));

    for (std::size_t layer = 0; layer + 1 < options_.layers; ++layer) {
      const bool last = layer + 2 == options_.layers;
      // The children of the last layer are reduced to moments and not stored.  Only the padding of stored ones is
      // cleared; bands fill the rest.
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

  // Expands one layer.  All its signals walk together.  Band 0 is |x - T x|, and band j > 0 is |T^(2^(j-1)) x - T^(2^j)
  // x|.
  template <typename Emit>
  void walk_layer(const WalkGraph& walk, const SignalBlock& block, const SignalBlock& children, std::size_t layer,
                  WalkScratch& work, Emit&& emit) const {
    const std::size_t size = walk.nodes * block.stride;
    SignalBlock dyadic = block;
    SignalBlock current{work.layers[layer].blocks[1].at_least(size), block.width, block.stride};
    SignalBlock spare{work.layers[layer].blocks[2].at_least(size), block.width, block.stride};
    for (std::size_t j = 0; j < scales_; ++j) {
      // From T^(2^(j-1)) to T^(2^j) it is 2^(j-1) steps, and from x to T x it is one.  The bands share all iterates.
      const std::size_t steps = j == 0 ? 1 : std::size_t{1} << (j - 1);
      walk_kernels().walk_step(walk, dyadic, current);
      for (std::size_t s = 1; s < steps; ++s) {
        walk_kernels().walk_step(walk, current, spare);
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
    walk_kernels().band(task);
  }

  // Puts the sums of one band into the columns of the embedding.
  //
  // A layer stores band j of all its columns together.  So the number of a column spells its path through the tree with
  // the first step as the fastest digit.  The embedding counts tree nodes with the last step as the fastest digit.  The
  // digits are therefore reversed here.
  void write_moments(std::size_t nodes, std::size_t layer, std::size_t j, std::size_t tile, const SignalBlock& shape,
                     const double* sums, std::size_t active, std::size_t first, BlockRow& row) const {
    const std::size_t Q = options_.moments;
    const std::size_t base = scattering_tree_size(scales_, layer);
    // With the mean as low-pass the kernel adds without weights.  One division per coefficient replaces a product per
    // node.
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
    const std::size_t stride = round_up(width, walk_kernels().lanes);
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
  // A step takes one addition per entry, and three operations per node: scale, add, halve.  A band takes two operations
  // per node for difference and modulus, then Q additions and Q - 1 products for the moments.
  const double moment_flops = 2.0 * static_cast<double>(options.moments) - 1;
  cost.flops = walking * steps * (e + 3 * g) + signals * g * moment_flops +
               (signals - static_cast<double>(active_channels)) * 2 * g;
  cost.bytes = sizeof(double) * walking * steps * (e + 2 * g);
  return cost;
}

const char* simd_target_name() { return walk_kernels().name; }

}  // namespace unscatter
