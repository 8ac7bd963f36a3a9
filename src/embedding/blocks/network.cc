// network:D:L:seed  A message-passing network with public weights, which nobody trains [Xu19].
//
//   w(c, ...) = 2 hash(seed, c, ...) / 2^64 - 1,    sigma(x) = x / sqrt(1 + x^2),    s(x) = sign(x) ln(1 + |x|)
//   h_i,k = sigma(w(0, k, 0) + w(0, k, 1) l(d_i) + w(0, k, 2) cc_i + w(label of i, k)),   k = 0, ..., D - 1
//   layers r = 1, ..., L:  a_i = (h_i, mean of h_j, greatest h_j entry by entry, s(sum of h_j)), j the neighbours of i
//                          h_i,k <- sigma(sqrt(3 / D) sum_c w(r, k, c) a_i,c),   c = 0, ..., 4 D - 1
//   columns = mean over nodes of h_i, greatest h_i entry by entry; before the layers and after each;
//   all / sqrt(2 D (L + 1))
//
// cc = triangles / max(d (d - 1) / 2, 1).  A node without a label has 0 in the place of w(label, k), one without
// neighbours has 0 behind h_i.  All |h| are below 1, so the norm is at most 1.  2 D (L + 1) columns.  D = 32, L = 3,
// seed = 1.  Cost: O(L D (m + n D)).
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "embedding/blocks/hashing.h"
#include "embedding/blocks/part.h"
#include "embedding/blocks/shapes.h"

namespace unscatter {
namespace {

// A seed is a whole number that a double holds.
constexpr std::array kNetworkConstants = {PartConstant{"width", 32, 1, 256}, PartConstant{"layers", 3, 0, 8},
                                          PartConstant{"seed", 1, 0, 1e15}};
constexpr std::size_t kNetworkInputs = 3;  // 1, l(d), cc
constexpr std::size_t kNetworkMessages = 4;
// The pads of a graph shape.
constexpr std::size_t kStatePad = 0;
constexpr std::size_t kNextStatePad = 1;
constexpr std::size_t kMessagePad = 2;

// From -1 to 1.
double network_weight(std::uint64_t hash) { return 2 * (static_cast<double>(hash) * 0x1p-64) - 1; }
double bounded(double x) { return x / std::sqrt(1 + x * x); }

class NetworkPart final : public Part {
 public:
  NetworkPart(std::size_t width, std::size_t layers, std::uint64_t seed)
      : width_(width), layers_(layers), start_(mixed(0, seed)) {
    for (std::size_t r = 0; r <= layers_; ++r) {
      const std::size_t inputs = r == 0 ? kNetworkInputs : kNetworkMessages * width_;
      for (std::uint64_t c = 0; c < inputs; ++c) {
        for (std::uint64_t k = 0; k < width_; ++k) {
          weights_.push_back(network_weight(mixed(mixed(mixed(start_, r), k), c)));
        }
      }
    }
  }
  [[nodiscard]] std::size_t width() const noexcept override { return 2 * width_ * (layers_ + 1); }

  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    std::span<double> state = shape.numbers(kStatePad, shape.nodes() * width_);
    std::span<double> next = shape.numbers(kNextStatePad, shape.nodes() * width_);
    const double scale = std::sqrt(share / static_cast<double>(width()));
    start(shape, state);
    pool(state, scale, columns.first(2 * width_));
    for (std::size_t r = 1; r <= layers_; ++r) {
      pass_messages(shape, r, state, next);
      std::swap(state, next);
      pool(state, scale, columns.subspan(2 * width_ * r, 2 * width_));
    }
  }

 private:
  // Of input c of layer r: one for every k.
  [[nodiscard]] const double* weights_of(std::size_t r, std::size_t c) const {
    const std::size_t before = r == 0 ? 0 : kNetworkInputs + (r - 1) * kNetworkMessages * width_;
    return weights_.data() + (before + c) * width_;
  }

  // sum_k += weight times value, for all k at once: a loop that becomes SIMD code and adds in a fixed order.
  void add_input(std::size_t r, std::size_t c, double value, std::span<double> sum) const {
    const double* const weights = weights_of(r, c);
    for (std::size_t k = 0; k < width_; ++k) sum[k] += weights[k] * value;
  }

  void start(GraphShape& shape, std::span<double> state) const {
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      const std::span<double> h = state.subspan(i * width_, width_);
      add_input(0, 0, 1, h);
      add_input(0, 1, shape.log_degrees()[i], h);
      add_input(0, 2, closed_share(shape, i), h);
      if (shape.graph().has_labels() && shape.has_features(i)) {
        const std::uint64_t label = mixed(start_, static_cast<std::uint64_t>(shape.label(i)));
        for (std::uint64_t k = 0; k < width_; ++k) h[k] += network_weight(mixed(label, k));
      }
      for (double& value : h) value = bounded(value);
    }
  }

  void pass_messages(GraphShape& shape, std::size_t r, std::span<const double> state, std::span<double> next) const {
    const std::span<double> a = shape.numbers(kMessagePad, kNetworkMessages * width_);
    const double scale = std::sqrt(3 / static_cast<double>(width_));
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      collect(shape, i, state, a);
      const std::span<double> h = next.subspan(i * width_, width_);
      for (std::size_t c = 0; c < a.size(); ++c) add_input(r, c, a[c], h);
      for (double& value : h) value = bounded(scale * value);
    }
  }

  // a = a_i
  void collect(const GraphShape& shape, std::size_t i, std::span<const double> state, std::span<double> a) const {
    std::fill(a.begin(), a.end(), 0.0);
    std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(i * width_), width_, a.begin());
    if (shape.degree(i) == 0) return;
    double* const mean = a.data() + width_;
    double* const greatest = mean + width_;
    double* const sum = greatest + width_;
    std::fill(greatest, sum, -1.0);
    for (const NodeIndex j : shape.neighbours(i)) {
      const double* const h = state.data() + j * width_;
      for (std::size_t k = 0; k < width_; ++k) {
        sum[k] += h[k];
        greatest[k] = std::max(greatest[k], h[k]);
      }
    }
    for (std::size_t k = 0; k < width_; ++k) {
      mean[k] = sum[k] / static_cast<double>(shape.degree(i));
      sum[k] = std::copysign(std::log1p(std::abs(sum[k])), sum[k]);
    }
  }

  void pool(std::span<const double> state, double scale, std::span<double> columns) const {
    const std::span<double> mean = columns.first(width_);
    const std::span<double> greatest = columns.subspan(width_);
    std::fill(greatest.begin(), greatest.end(), -1.0);
    const std::size_t nodes = state.size() / width_;
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t k = 0; k < width_; ++k) {
        mean[k] += state[i * width_ + k];
        greatest[k] = std::max(greatest[k], state[i * width_ + k]);
      }
    }
    const auto n = static_cast<double>(nodes);
    for (std::size_t k = 0; k < width_; ++k) {
      mean[k] = scale * (mean[k] / n);
      greatest[k] *= scale;
    }
  }

  std::size_t width_;
  std::size_t layers_;
  std::uint64_t start_;          // hash(seed)
  std::vector<double> weights_;  // layer, input, k
};

}  // namespace

const PartKind kNetworkPart = {
    "network", kNetworkConstants, {.labels = true}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const NetworkPart>(whole(constants[0]), whole(constants[1]),
                                                                             static_cast<std::uint64_t>(constants[2])));
    }};

}  // namespace unscatter
