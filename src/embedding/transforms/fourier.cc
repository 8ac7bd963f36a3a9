#include "unscatter/embedding/fourier.h"

#include "embedding/transforms/moment_transform.h"
#include "embedding/wavelets/laplacian.h"
#include "linalg/symmetric_eigen.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

class Fourier final : public MomentTransform {
 public:
  explicit Fourier(const FourierOptions& options) : MomentTransform(options.moments), signs_(options.signs) {}

  [[nodiscard]] std::string name() const override {
    return signs_ == EigenvectorSigns::kFixed ? "Fourier" : "Fourier with arbitrary signs";
  }

 private:
  [[nodiscard]] Result<Weighted> weigh(const Graph& graph, const Signals& x) const override {
    UNSCATTER_TRY(laplacian, dense_laplacian(graph, "graph Fourier embeddings"));
    UNSCATTER_TRY(eigen, symmetric_eigen(laplacian));
    if (signs_ == EigenvectorSigns::kArbitrary) {
      // The seed depends on the size of the graph only, so the same graph always gets the same signs.  The prime keeps
      // different pairs (nodes, edges) apart.
      Sequence coins(1000003 * static_cast<std::uint64_t>(graph.node_count()) + graph.edge_count());
      for (Eigen::Index k = 0; k < eigen.vectors.cols(); ++k) {
        if (coins.chance(0.5)) eigen.vectors.col(k) *= -1;
      }
    }
    return Weighted{Vector::Constant(x.rows(), 1.0 / static_cast<double>(x.rows())),
                    RowMatrix(eigen.vectors.transpose() * x)};
  }

  EigenvectorSigns signs_;
};

}  // namespace

Result<std::unique_ptr<Transform>> make_fourier(const FourierOptions& options) {
  if (options.moments == 0) return Error{ErrorCode::kInvalidArgument, "a Fourier embedding needs at least one moment"};
  return std::unique_ptr<Transform>(std::make_unique<Fourier>(options));
}

}  // namespace unscatter
