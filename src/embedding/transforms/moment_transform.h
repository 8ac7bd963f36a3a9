// What the graph Fourier and PageRank transforms share.  Both embeddings are made of weighted moments.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "unscatter/base/result.h"
#include "unscatter/embedding/node_signals.h"
#include "unscatter/embedding/transform.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// z_(k, q) = sum_i w_i v_ik^q for every signal k and q = 1, ..., Q.  The moments of a signal stand next to each other.
class MomentTransform : public Transform {
 public:
  using Signals = Eigen::Map<const RowMatrix>;  // a row per node, a column per signal

  explicit MomentTransform(std::size_t moments) : moments_(moments) {}

  [[nodiscard]] std::size_t width(std::size_t channels) const noexcept final { return channels * moments_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const final { return std::make_unique<Scratch>(); }
  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t, Scratch&,
                             BlockRow& row) const final;

 protected:
  struct Weighted {
    Vector weights;                   // w
    std::optional<RowMatrix> values;  // v, a row per weight and a column per signal; empty: the signals themselves
  };

 private:
  // `x` has at least one column.
  [[nodiscard]] virtual Result<Weighted> weigh(const Graph& graph, const Signals& x) const = 0;

  std::size_t moments_;
};

}  // namespace unscatter
