// Dense algebra: the project's names for Eigen types.  Only sources include the heavy headers of Eigen
// (decompositions).
#pragma once

#include <Eigen/Core>

namespace unscatter {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;  // column major
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace unscatter
