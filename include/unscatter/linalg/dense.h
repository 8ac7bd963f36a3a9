// Dense algebra: the project's names for Eigen types.  Heavy Eigen headers (decompositions) are included by sources
// only.
#pragma once

#include <Eigen/Core>

namespace unscatter {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;  // column major
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace unscatter
