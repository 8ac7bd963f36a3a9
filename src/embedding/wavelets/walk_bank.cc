#include "unscatter/embedding/walk_bank.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace unscatter {

std::string_view walk_operator_name(WalkOperator op) noexcept {
  switch (op) {
    case WalkOperator::kRow: return "row";
    case WalkOperator::kColumn: return "column";
    case WalkOperator::kSymmetric: return "symmetric";
  }
  return "unknown";
}

namespace {

// A node without neighbours has no walk part, see walk_bank.h.
double inverse_or_zero(double degree) { return degree > 0 ? 1.0 / degree : 0.0; }

}  // namespace

void walk_scaling(const Graph& graph, WalkOperator op, WalkScaling& scaling) {
  const std::size_t n = graph.node_count();
  scaling.pre.clear();
  scaling.post.clear();
  switch (op) {
    case WalkOperator::kRow:
      for (std::size_t i = 0; i < n; ++i) scaling.post.push_back(inverse_or_zero(static_cast<double>(graph.degree(i))));
      break;
    case WalkOperator::kColumn:
      // The out-degree of a node is the number of rows in which it stands.
      scaling.pre.assign(n, 0.0);
      for (const NodeIndex column : graph.entries()) scaling.pre[column] += 1;
      for (double& value : scaling.pre) value = inverse_or_zero(value);
      break;
    case WalkOperator::kSymmetric:
      for (std::size_t i = 0; i < n; ++i)
        scaling.post.push_back(std::sqrt(inverse_or_zero(static_cast<double>(graph.degree(i)))));
      // D^-1/2 on both sides.  One vector serves both, because the graph is undirected.
      scaling.pre = scaling.post;
      break;
  }
}

WalkScaling walk_scaling(const Graph& graph, WalkOperator op) {
  WalkScaling scaling;
  walk_scaling(graph, op, scaling);
  return scaling;
}

namespace {

// The plain form of the wavelets, for frame bounds and for tests.  Embeddings take walk_scattering.h, which gives the
// same up to rounding.
class WalkFilters final : public GraphFilters {
 public:
  WalkFilters(const Graph& graph, WalkOperator op, std::size_t scales)
      // Copies, so that filters may outlive the graph.
      : offsets_(graph.offsets().begin(), graph.offsets().end()),
        entries_(graph.entries().begin(), graph.entries().end()),
        scaling_(walk_scaling(graph, op)),
        scales_(scales) {}

  void apply(const RowMatrix& signals, std::vector<RowMatrix>& bands) const override {
    bands.resize(scales_);
    // Powers are never formed: walking on from one dyadic power gives the next.
    RowMatrix last = signals;
    RowMatrix current = signals;
    for (std::size_t j = 0; j < scales_; ++j) {
      // H_j = T^(2^(j-1)) - T^(2^j): 2^(j-1) more steps from one dyadic power to the next.
      const std::size_t steps = j == 0 ? 1 : std::size_t{1} << (j - 1);
      for (std::size_t s = 0; s < steps; ++s) current = step(current);
      bands[j] = last - current;
      last = current;
    }
  }

  [[nodiscard]] FrameBounds frame_bounds() const override { return frame_bounds_of(*this, offsets_.size() - 1); }

 private:
  [[nodiscard]] RowMatrix step(const RowMatrix& x) const {
    RowMatrix y(x.rows(), x.cols());
    for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(x.cols());
      for (std::uint32_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
        const NodeIndex j = entries_[k];
        sum += (scaling_.pre.empty() ? 1.0 : scaling_.pre[j]) * x.row(j);
      }
      y.row(row) = 0.5 * (x.row(row) + (scaling_.post.empty() ? 1.0 : scaling_.post[i]) * sum);
    }
    return y;
  }

  std::vector<std::uint32_t> offsets_;
  std::vector<NodeIndex> entries_;
  WalkScaling scaling_;
  std::size_t scales_;
};

class WalkBank final : public WaveletBank {
 public:
  WalkBank(WalkOperator op, std::size_t scales) : op_(op), scales_(scales) {}
  [[nodiscard]] std::string name() const override { return fmt::format("{} walk", walk_operator_name(op_)); }
  [[nodiscard]] std::size_t scales() const noexcept override { return scales_; }
  [[nodiscard]] Result<std::unique_ptr<GraphFilters>> on(const Graph& graph) const override {
    if (op_ == WalkOperator::kSymmetric && graph.directed()) {
      return Error{ErrorCode::kUnsupported,
                   "the symmetric operator needs undirected graphs; symmetrise the data first"};
    }
    return std::unique_ptr<GraphFilters>(std::make_unique<WalkFilters>(graph, op_, scales_));
  }

 private:
  WalkOperator op_;
  std::size_t scales_;
};

}  // namespace

Result<std::shared_ptr<const WaveletBank>> make_walk_bank(WalkOperator op, std::size_t scales) {
  // 16 scales take 2^15 walk steps per signal.
  if (scales < 1 || scales > 16)
    return Error{ErrorCode::kInvalidArgument, fmt::format("{} scales; 1 to 16 are possible", scales)};
  return std::shared_ptr<const WaveletBank>(std::make_shared<WalkBank>(op, scales));
}

}  // namespace unscatter
