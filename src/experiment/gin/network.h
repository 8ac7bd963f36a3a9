// The graph isomorphism network [Xu19], as the benchmark programs of PyTorch Geometric build it. [Pan23, Sec. 5] took
// it from there.
//
//   h_0     = X
//   h_{l+1} = norm(relu(W2 relu(W1 ((1 + eps) h_l + A h_l) + b1) + b2)),   l = 0 .. layers - 1
//   g       = mean of h_layers over the nodes of a graph
//   scores  = log softmax(V2 dropout(relu(V1 g + c1)) + c2)
//
// norm is batch normalisation over nodes. eps starts at 0 and is learnt, one per layer; this is the class that the
// program of [Pan23] uses. dropout keeps half.  The loss is the mean negative log-likelihood, and the optimiser is
// Adam.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiment/gin/graph_batch.h"

namespace unscatter::gin {

struct NetworkShape {
  std::size_t channels = 0;
  std::size_t classes = 0;
  std::size_t layers = 2;
  std::size_t hidden = 64;
};

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// By name: "layer0.eps", "layer0.W1", "layer0.b1", "layer0.W2", "layer0.b2", "layer0.scale", "layer0.shift", ...,
// "head.V1", "head.c1", "head.V2", "head.c2".  Vectors and numbers have one row.
using NamedMatrices = std::map<std::string, FloatMatrix>;

// Weights and optimiser.  All randomness (weights, dropout) comes from `seed`.  Not thread-safe.  It sets libtorch to
// one thread for the whole process.  Results still depend on the BLAS library behind it, and on its threads if it has
// any.
class Network {
 public:
  Network(const NetworkShape& shape, double learning_rate, std::uint64_t seed);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  // One step of Adam.  The batch has at least two nodes, because one node alone has no variance to normalise by.
  void step(const GraphBatch& batch);

  // The following functions evaluate: no dropout, and the normalisation takes the averages that training collected.
  [[nodiscard]] FloatMatrix log_probabilities(const GraphBatch& batch) const;
  [[nodiscard]] std::vector<std::uint32_t> predict(const GraphBatch& batch) const;
  [[nodiscard]] double loss(const GraphBatch& batch) const;
  // Derivatives of loss() by the parameters.
  [[nodiscard]] NamedMatrices gradient(const GraphBatch& batch) const;

  // parameters() also holds the collected averages "layer0.mean" and "layer0.variance".
  [[nodiscard]] NamedMatrices parameters() const;
  void set_parameter(const std::string& name, const FloatMatrix& value);

 private:
  class State;  // the only code that sees libtorch
  std::unique_ptr<State> state_;
};

}  // namespace unscatter::gin
