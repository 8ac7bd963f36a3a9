#include "experiment/gin/network.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "unscatter/base/invariant.h"

namespace unscatter::gin {
namespace {

using torch::Tensor;

std::int64_t extent(std::size_t n) { return static_cast<std::int64_t>(n); }

std::span<float> elements(const Tensor& contiguous) {
  return {contiguous.data_ptr<float>(), static_cast<std::size_t>(contiguous.numel())};
}

// S times a dense block, for a constant S that outlives the backward pass.
class SparseProduct final : public torch::autograd::Function<SparseProduct> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& dense, const SparseRows* S) {
    context->saved_data["S"] = reinterpret_cast<std::int64_t>(S);  // NOLINT: the only way to hand a pointer through
    const Tensor input = dense.contiguous();
    const Tensor result = torch::empty({extent(S->rows()), input.size(1)});
    multiply(*S, elements(input), static_cast<std::size_t>(input.size(1)), elements(result));
    return result;
  }

  // The derivative of S X by X is S^T.  S is a constant and gets none.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto* S = reinterpret_cast<const SparseRows*>(context->saved_data["S"].toInt());  // NOLINT
    const Tensor input = gradients[0].contiguous();
    const Tensor result = torch::empty({extent(S->columns), input.size(1)});
    multiply_transposed(*S, elements(input), static_cast<std::size_t>(input.size(1)), elements(result));
    return {result, Tensor()};
  }
};

Tensor product(const SparseRows& S, const Tensor& dense) { return SparseProduct::apply(dense, &S); }

FloatMatrix to_eigen(const Tensor& tensor) {
  const Tensor block = tensor.detach().contiguous();
  const std::int64_t rows = block.dim() == 2 ? block.size(0) : 1;
  return Eigen::Map<const FloatMatrix>(block.data_ptr<float>(), rows, block.numel() / rows);
}

}  // namespace

class Network::State {
 public:
  State(const NetworkShape& shape, double learning_rate, std::uint64_t seed)
      : shape_(shape), random_(at::detail::createCPUGenerator(seed)) {
    // Batches are small, and more threads waited for one another longer than they worked.  Measured for 500 epochs on
    // IMDB-BINARY on two busy processors: 75 s instead of 5.  One thread also makes the sums the same everywhere.
    at::set_num_threads(1);
    std::size_t inputs = shape.channels;
    for (std::size_t l = 0; l < shape.layers; ++l) {
      const std::string layer = fmt::format("layer{}.", l);
      // W1 of the first layer is stored transposed, one row per channel: sparse features then choose rows.
      add(layer + "eps", torch::zeros({1}));
      add(layer + "W1", l == 0 ? uniform({inputs, shape.hidden}, inputs) : uniform({shape.hidden, inputs}, inputs));
      add(layer + "b1", uniform({shape.hidden}, inputs));
      add(layer + "W2", uniform({shape.hidden, shape.hidden}, shape.hidden));
      add(layer + "b2", uniform({shape.hidden}, shape.hidden));
      add(layer + "scale", torch::ones({extent(shape.hidden)}));
      add(layer + "shift", torch::zeros({extent(shape.hidden)}));
      averages_[layer + "mean"] = torch::zeros({extent(shape.hidden)});
      averages_[layer + "variance"] = torch::ones({extent(shape.hidden)});
      inputs = shape.hidden;
    }
    // Weights are drawn in this order.  Another order would give other weights for the same seed.
    add("head.V1", uniform({shape.hidden, shape.hidden}, shape.hidden));
    add("head.c1", uniform({shape.hidden}, shape.hidden));
    add("head.V2", uniform({shape.classes, shape.hidden}, shape.hidden));
    add("head.c2", uniform({shape.classes}, shape.hidden));

    std::vector<Tensor> weights;
    for (const auto& [name, tensor] : weights_) weights.push_back(tensor);
    adam_ = std::make_unique<torch::optim::Adam>(std::move(weights), torch::optim::AdamOptions(learning_rate));
  }

  void step(const GraphBatch& batch) {
    adam_->zero_grad();
    negative_log_likelihood(batch, true).backward();
    adam_->step();
  }

  [[nodiscard]] Tensor scores(const GraphBatch& batch, bool training) const {
    Tensor h;
    for (std::size_t l = 0; l < shape_.layers; ++l) h = layer(batch, l, h, training);
    const Tensor g = product(batch.averages, h);
    Tensor z = torch::relu(torch::addmm(weight("head.c1"), g, weight("head.V1").t()));
    // Dropout divides by the share that it keeps, so that evaluation needs no factor.  It draws from our generator, not
    // from the global one.
    if (training) z = z * torch::empty_like(z).bernoulli_(kKept, random_).div_(kKept);
    return torch::log_softmax(torch::addmm(weight("head.c2"), z, weight("head.V2").t()), -1);
  }

  [[nodiscard]] Tensor negative_log_likelihood(const GraphBatch& batch, bool training) const {
    return torch::nll_loss(scores(batch, training), torch::tensor(batch.labels));
  }

  [[nodiscard]] NamedMatrices gradient(const GraphBatch& batch) const {
    std::vector<Tensor> weights;
    for (const auto& [name, tensor] : weights_) weights.push_back(tensor);
    const auto derivatives = torch::autograd::grad({negative_log_likelihood(batch, false)}, weights);
    NamedMatrices matrices;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::string& name = std::next(weights_.begin(), static_cast<std::ptrdiff_t>(k))->first;
      matrices[name] = outside_form(name, derivatives[k]);
    }
    return matrices;
  }

  [[nodiscard]] NamedMatrices parameters() const {
    NamedMatrices matrices;
    for (const auto& [name, tensor] : weights_) matrices[name] = outside_form(name, tensor);
    for (const auto& [name, tensor] : averages_) matrices[name] = to_eigen(tensor);
    return matrices;
  }

  void set_parameter(const std::string& name, const FloatMatrix& value) {
    const torch::NoGradGuard constant;
    const auto found = weights_.find(name);
    if (found == weights_.end()) throw InvariantViolation("GIN: no parameter " + name);
    // A copy, because from_blob() does not own what it shows.
    FloatMatrix copy = name == kTransposed ? FloatMatrix(value.transpose()) : value;
    const Tensor block = torch::from_blob(copy.data(), {copy.rows(), copy.cols()});
    found->second.copy_(block.reshape(found->second.sizes()));
  }

 private:
  static constexpr double kKept = 0.5;  // share of channels that dropout leaves
  static constexpr const char* kTransposed = "layer0.W1";

  NetworkShape shape_;
  mutable at::Generator random_;
  std::map<std::string, Tensor> weights_;
  std::map<std::string, Tensor> averages_;  // of the normalisation
  std::unique_ptr<torch::optim::Adam> adam_;

  static FloatMatrix outside_form(const std::string& name, const Tensor& tensor) {
    return to_eigen(name == kTransposed ? tensor.t() : tensor);
  }

  // The start of torch.nn.Linear: uniform on [-1/sqrt(inputs), 1/sqrt(inputs)], for weights and biases.
  Tensor uniform(std::initializer_list<std::size_t> shape, std::size_t inputs) {
    std::vector<std::int64_t> sizes;
    for (const std::size_t n : shape) sizes.push_back(extent(n));
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    return torch::empty(sizes).uniform_(-bound, bound, random_);
  }

  void add(const std::string& name, const Tensor& tensor) { weights_[name] = tensor.set_requires_grad(true); }
  [[nodiscard]] const Tensor& weight(const std::string& name) const { return weights_.at(name); }

  // W1 is applied before the sum over neighbours.  Both are linear, so the result is the same.  It saves sums over all
  // channels, of which one-hot degrees have hundreds.
  [[nodiscard]] Tensor layer(const GraphBatch& batch, std::size_t l, const Tensor& h, bool training) const {
    const std::string layer = fmt::format("layer{}.", l);
    const auto w = [&](const char* name) { return weight(layer + name); };
    const Tensor u = l == 0 ? product(batch.features, w("W1")) : torch::mm(h, w("W1").t());
    const Tensor a = torch::relu((1 + w("eps")) * u + product(batch.adjacency, u) + w("b1"));
    const Tensor b = torch::relu(torch::addmm(w("b2"), a, w("W2").t()));
    constexpr double kMomentum = 0.1;  // of the averages; this and the next one are the defaults of PyTorch
    constexpr double kFloor = 1e-5;
    return torch::batch_norm(b, w("scale"), w("shift"), averages_.at(layer + "mean"), averages_.at(layer + "variance"),
                             training, kMomentum, kFloor, false);
  }
};

Network::Network(const NetworkShape& shape, double learning_rate, std::uint64_t seed)
    : state_(std::make_unique<State>(shape, learning_rate, seed)) {}

Network::~Network() = default;

void Network::step(const GraphBatch& batch) {
  if (batch.nodes() < 2) throw InvariantViolation("GIN: a batch of one node");
  state_->step(batch);
}

FloatMatrix Network::log_probabilities(const GraphBatch& batch) const {
  const torch::NoGradGuard constant;
  return to_eigen(state_->scores(batch, false));
}

std::vector<std::uint32_t> Network::predict(const GraphBatch& batch) const {
  const FloatMatrix scores = log_probabilities(batch);
  std::vector<std::uint32_t> classes(batch.graphs());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Eigen::Index best = 0;
    scores.row(static_cast<Eigen::Index>(i)).maxCoeff(&best);
    classes[i] = static_cast<std::uint32_t>(best);
  }
  return classes;
}

double Network::loss(const GraphBatch& batch) const {
  const torch::NoGradGuard constant;
  return state_->negative_log_likelihood(batch, false).item<double>();
}

NamedMatrices Network::gradient(const GraphBatch& batch) const { return state_->gradient(batch); }
NamedMatrices Network::parameters() const { return state_->parameters(); }
void Network::set_parameter(const std::string& name, const FloatMatrix& value) { state_->set_parameter(name, value); }

}  // namespace unscatter::gin
