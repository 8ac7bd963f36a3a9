#include "unscatter/embedding/fourier.h"

#include "embedding/wavelets/laplacian.h"
#include "unscatter/base/invariant.h"
#include "unscatter/linalg/symmetric_eigen.h"

namespace unscatter {
namespace {

class Fourier final : public Transform {
 public:
  explicit Fourier(const FourierOptions& options) : moments_(options.moments) {}

  [[nodiscard]] std::string name() const override { return "Fourier"; }
  [[nodiscard]] std::size_t width(std::size_t channels) const noexcept override { return channels * moments_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t, Scratch&,
                             BlockRow& row) const override {
    invariant(signals.nodes == graph.node_count(), "signals have a row per node");
    row.clear();
    if (signals.width() == 0) return ok_status();
    UNSCATTER_TRY(laplacian, dense_laplacian(graph, "graph Fourier embeddings"));
    UNSCATTER_TRY(eigen, symmetric_eigen(laplacian));
    const auto nodes = static_cast<Eigen::Index>(signals.nodes);
    const Eigen::Map<const RowMatrix> x(signals.values.data(), nodes, static_cast<Eigen::Index>(signals.width()));
    const Matrix spectrum = eigen.vectors.transpose() * x;
    for (std::size_t k = 0; k < signals.width(); ++k) {
      double* z = row.append(signals.channels[k] * moments_, moments_);
      for (const double coefficient : spectrum.col(static_cast<Eigen::Index>(k))) {
        double power = 1.0 / static_cast<double>(nodes);
        for (std::size_t q = 0; q < moments_; ++q) z[q] += power *= coefficient;
      }
    }
    return ok_status();
  }

 private:
  std::size_t moments_;
};

}  // namespace

Result<std::unique_ptr<Transform>> make_fourier(const FourierOptions& options) {
  if (options.moments == 0) return Error{ErrorCode::kInvalidArgument, "a Fourier embedding needs at least one moment"};
  return std::unique_ptr<Transform>(std::make_unique<Fourier>(options));
}

}  // namespace unscatter
