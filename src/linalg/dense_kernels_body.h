// The kernels themselves, included by one source per variant after UNSCATTER_VARIANT is defined.
//
// A variant renames the namespace Eigen before it includes Eigen's headers.  Without that, the templates of both variants would
// have the same names, the linker would keep one of each, and an old processor would meet instructions it does not know.
#include <Eigen/Cholesky>

namespace unscatter::dense {
namespace UNSCATTER_VARIANT {

using ColumnMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

bool cholesky(double* A, std::ptrdiff_t n) {
  Eigen::Map<ColumnMatrix> view(A, n, n);
  Eigen::Ref<ColumnMatrix> in_place(view);
  const Eigen::LLT<Eigen::Ref<ColumnMatrix>, Eigen::Lower> factor(in_place);
  return factor.info() == Eigen::Success;
}

void add_square(double* C, std::ptrdiff_t d, const double* P, std::ptrdiff_t rows) {
  Eigen::Map<ColumnMatrix> sum(C, d, d);
  const Eigen::Map<const RowMajorMatrix> panel(P, rows, d);
  sum.selfadjointView<Eigen::Lower>().rankUpdate(panel.transpose());
}

}  // namespace UNSCATTER_VARIANT
}  // namespace unscatter::dense
