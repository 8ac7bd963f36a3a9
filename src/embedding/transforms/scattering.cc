#include "unscatter/embedding/scattering.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "embedding/transforms/low_pass.h"

namespace unscatter {

std::size_t scattering_tree_size(std::size_t scales, std::size_t layers) noexcept {
  std::size_t size = 0;
  std::size_t layer = 1;
  // check_scattering() has refused trees in which this could overflow.
  for (std::size_t l = 0; l < layers; ++l, layer *= scales) size += layer;
  return size;
}

namespace {

// A mistyped number of layers must not ask for gigabytes.
constexpr std::size_t kMaxTreeNodes = std::size_t{1} << 20;

// The plain form: it works with the filters of any bank and keeps a whole layer in memory.  Walk banks take the fast
// form in walk_scattering.cc, and tests compare the two.
class Scattering final : public Transform {
 public:
  Scattering(std::shared_ptr<const WaveletBank> bank, const ScatteringOptions& options)
      : bank_(std::move(bank)), options_(options) {}

  [[nodiscard]] std::string name() const override {
    return bank_->name() + (options_.linear ? " linear" : "") + " scattering";
  }
  [[nodiscard]] std::size_t width(std::size_t channels) const noexcept override {
    return scattering_tree_size(bank_->scales(), options_.layers) * channels * options_.moments;
  }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t channels, Scratch&,
                             BlockRow& row) const override {
    row.clear();
    // A graph without features has the embedding 0, which is an empty row.
    if (signals.width() == 0) return ok_status();
    UNSCATTER_TRY(filters, bank_->on(graph));
    std::vector<double> weights;
    low_pass_weights(graph, options_.low_pass, weights);

    const auto nodes = static_cast<Eigen::Index>(signals.nodes);
    const auto active = static_cast<Eigen::Index>(signals.width());
    // One matrix per signal of a layer, in the order in which the tree counts its nodes.
    std::vector<RowMatrix> layer{Eigen::Map<const RowMatrix>(signals.values.data(), nodes, active)};
    std::vector<RowMatrix> bands;
    std::size_t tree_node = 0;
    for (std::size_t l = 0; l < options_.layers; ++l) {
      for (const RowMatrix& signal : layer) append_moments(signal, signals, channels, weights, tree_node++, row);
      // The last layer has no children.
      if (l + 1 == options_.layers) break;
      std::vector<RowMatrix> children;
      children.reserve(layer.size() * bank_->scales());
      for (const RowMatrix& signal : layer) {
        filters->apply(signal, bands);
        for (RowMatrix& band : bands) {
          if (!options_.linear) band = band.cwiseAbs();
          children.push_back(std::move(band));
        }
      }
      layer = std::move(children);
    }
    return ok_status();
  }

 private:
  void append_moments(const RowMatrix& signal, const NodeSignals& signals, std::size_t channels,
                      const std::vector<double>& weights, std::size_t tree_node, BlockRow& row) const {
    const std::size_t Q = options_.moments;
    for (std::size_t k = 0; k < signals.width(); ++k) {
      // Only active channels get columns: the others are zero for every tree node.
      double* z = row.append((tree_node * channels + signals.channels[k]) * Q, Q);
      for (std::size_t i = 0; i < signals.nodes; ++i) {
        const double s = signal(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
        double power = weights[i];
        // Powers by repeated products, and not pow(): every machine then gets the same bits.
        for (std::size_t q = 0; q < Q; ++q) z[q] += power *= s;
      }
    }
  }

  std::shared_ptr<const WaveletBank> bank_;
  ScatteringOptions options_;
};

}  // namespace

Result<std::unique_ptr<Transform>> make_scattering(std::shared_ptr<const WaveletBank> bank,
                                                   const ScatteringOptions& options) {
  UNSCATTER_CHECK_OK(check_scattering(bank->scales(), options));
  return std::unique_ptr<Transform>(std::make_unique<Scattering>(std::move(bank), options));
}

Status check_scattering(std::size_t scales, const ScatteringOptions& options) {
  if (scales == 0) return Error{ErrorCode::kInvalidArgument, "scattering needs at least one scale"};
  if (options.layers == 0) return Error{ErrorCode::kInvalidArgument, "scattering needs at least one layer"};
  if (options.moments == 0) return Error{ErrorCode::kInvalidArgument, "scattering needs at least one moment"};
  std::size_t layer = 1;
  for (std::size_t l = 1; l < options.layers; ++l) {
    // The layer had at most 2^20 signals before the multiplication, so it cannot overflow.
    layer *= scales;
    if (layer > kMaxTreeNodes) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("a scattering tree of {} scales and {} layers is too large", scales, options.layers)};
    }
  }
  return ok_status();
}

}  // namespace unscatter
