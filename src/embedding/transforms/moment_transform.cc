#include "embedding/transforms/moment_transform.h"

#include "unscatter/base/invariant.h"

namespace unscatter {

Status MomentTransform::embed(const Graph& graph, const NodeSignals& signals, std::size_t, Scratch&,
                              BlockRow& row) const {
  invariant(signals.nodes == graph.node_count(), "signals have a row per node");
  row.clear();
  // No active channel: the row is empty, and the cost of weigh() is saved.
  if (signals.width() == 0) return ok_status();
  const Signals x(signals.values.data(), static_cast<Eigen::Index>(signals.nodes),
                  static_cast<Eigen::Index>(signals.width()));
  UNSCATTER_TRY(weighted, weigh(graph, x));
  const Signals values =
      weighted.values ? Signals(weighted.values->data(), weighted.values->rows(), weighted.values->cols()) : x;
  for (std::size_t k = 0; k < signals.width(); ++k) {
    double* z = row.append(signals.channels[k] * moments_, moments_);
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      const double value = values(i, static_cast<Eigen::Index>(k));
      double power = weighted.weights(i);
      // power is w_i v^1, then w_i v^2 and so on.  Nodes are added in their order, so the result is one fixed function.
      for (std::size_t q = 0; q < moments_; ++q) z[q] += power *= value;
    }
  }
  return ok_status();
}

}  // namespace unscatter
