#include "unscatter/embedding/fourier.h"

#include "embedding/transforms/moment_transform.h"
#include "embedding/wavelets/laplacian.h"
#include "unscatter/linalg/symmetric_eigen.h"

namespace unscatter {
namespace {

class Fourier final : public MomentTransform {
 public:
  explicit Fourier(const FourierOptions& options) : MomentTransform(options.moments) {}

  [[nodiscard]] std::string name() const override { return "Fourier"; }

 private:
  [[nodiscard]] Result<Weighted> weigh(const Graph& graph, const Signals& x) const override {
    UNSCATTER_TRY(laplacian, dense_laplacian(graph, "graph Fourier embeddings"));
    UNSCATTER_TRY(eigen, symmetric_eigen(laplacian));
    return Weighted{Vector::Constant(x.rows(), 1.0 / static_cast<double>(x.rows())), RowMatrix(eigen.vectors.transpose() * x)};
  }
};

}  // namespace

Result<std::unique_ptr<Transform>> make_fourier(const FourierOptions& options) {
  if (options.moments == 0) return Error{ErrorCode::kInvalidArgument, "a Fourier embedding needs at least one moment"};
  return std::unique_ptr<Transform>(std::make_unique<Fourier>(options));
}

}  // namespace unscatter
