#include "reembedding/rank_one_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reembedding/secular_equation.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Eight units in the last place of |A'| per deflated component.  The classical divide-and-conquer codes give away as
// much, and forming V^T x has cost about as much already.
constexpr double kDeflation = 8 * std::numeric_limits<double>::epsilon();

// diag(d) + rho z z^T with |z| = 1, rho > 0 and d ascending, and the basis it refers to.
struct Problem {
  Vector d;
  Vector z;
  double rho = 0;
  Matrix vectors;
};

// Indices of the eigenpairs that stay as they are, and of those that the secular equation has to couple, both
// ascending.
struct Deflation {
  std::vector<Index> settled;
  std::vector<Index> coupled;
};

// Splits off what moves A' by at most kDeflation * scale [GuEisenstat94, Sec. 4], [Golub13, Sec. 8.4.2].  There are two
// kinds.  Firstly, components with rho |z_j| below that.  Secondly, the first of two values that nearly agree: a
// rotation in the plane of the two puts all of z into the second.  The rotation leaves the off-diagonal entry (d_j -
// d_i) c s, which is dropped.
Deflation deflate(Problem& problem, double scale) {
  auto& [d, z, rho, V] = problem;
  const double tolerance = kDeflation * scale;
  Deflation result;
  Index open = -1;  // last component not yet known to be coupled
  for (Index j = 0; j < d.size(); ++j) {
    if (rho * std::abs(z(j)) <= tolerance) {
      result.settled.push_back(j);
      continue;
    }
    if (open >= 0) {
      const double both = std::hypot(z(open), z(j));
      const double c = z(j) / both;
      const double s = z(open) / both;
      const double difference = d(j) - d(open);
      if (std::abs(difference * c * s) <= tolerance) {
        const Vector before = V.col(open);
        V.col(open) = c * before - s * V.col(j);
        V.col(j) = s * before + c * V.col(j);
        d(open) += difference * s * s;
        d(j) -= difference * s * s;
        z(open) = 0;
        z(j) = both;
        result.settled.push_back(open);
      } else {
        result.coupled.push_back(open);
      }
    }
    open = j;
  }
  if (open >= 0) result.coupled.push_back(open);
  return result;
}

// The z for which the computed roots are the EXACT eigenvalues of diag(d) + rho z z^T [GuEisenstat94, Eq. 3.3]:
//
//   rho z_j^2 = (lambda_k - d_j) prod_{i<j} (lambda_i - d_j)/(d_i - d_j) prod_{j<=i<k} (lambda_i - d_j)/(d_{i+1} - d_j)
//
// Every factor is positive by interlacing, and accurate to a few roundings.  Hence so is z, and vectors made of it are
// orthogonal.  The overall factor rho is left out, since the vectors are normalised.
Vector loewner_vector(const Vector& d, const Vector& z, const Matrix& gaps) {
  const Index k = d.size();
  Eigen::ArrayXd square = -gaps.col(k - 1).array();
  for (Index i = 0; i + 1 < k; ++i) {
    const auto gap = gaps.col(i).array();
    square.head(i + 1) *= gap.head(i + 1) / (d.head(i + 1).array() - d(i + 1));
    square.tail(k - i - 1) *= gap.tail(k - i - 1) / (d.tail(k - i - 1).array() - d(i));
  }
  invariant((square > 0).all(), "roots of a secular equation interlace with its poles");
  return (square.sqrt() * z.array().sign()).matrix();
}

// The eigendecomposition of V (diag(d) + rho z z^T) V^T, values in no particular order.
SymmetricEigen modify(Problem problem, double scale) {
  const Deflation parts = deflate(problem, scale);
  auto& [d, z, rho, V] = problem;
  if (parts.coupled.empty()) return {std::move(d), std::move(V)};

  const Vector poles = d(parts.coupled);
  const Vector coupling = z(parts.coupled);
  const SecularRoots roots = solve_secular_equation(poles, rho * coupling.cwiseAbs2());
  const Vector exact_z = loewner_vector(poles, coupling, roots.gaps);
  Matrix Q = (exact_z.array().replicate(1, roots.gaps.cols()) / roots.gaps.array()).matrix();
  Q.colwise().normalize();

  // V' = V Q, with the settled columns as they are.
  SymmetricEigen result{Vector(d.size()), Matrix(V.rows(), V.cols())};
  const auto k = static_cast<Index>(parts.coupled.size());
  const auto rest = static_cast<Index>(parts.settled.size());
  result.values << roots.values, d(parts.settled);
  result.vectors.rightCols(rest) = V(Eigen::all, parts.settled);
  const Matrix coupled_vectors = V(Eigen::all, parts.coupled);
  result.vectors.leftCols(k).noalias() = coupled_vectors * Q;
  return result;
}

void sort_ascending(SymmetricEigen& eigen) {
  std::vector<Index> order(static_cast<std::size_t>(eigen.values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return eigen.values(a) < eigen.values(b); });
  eigen = {Vector(eigen.values(order)), Matrix(eigen.vectors(Eigen::all, order))};
}

}  // namespace

Result<SymmetricEigen> rank_one_eigen(const SymmetricEigen& eigen, double rho, const Vector& x) {
  const Index n = eigen.values.size();
  if (eigen.vectors.rows() != n || eigen.vectors.cols() != n || x.size() != n) {
    return Error{ErrorCode::kInvalidArgument,
                 "a rank-one modification needs a square eigendecomposition and a vector of its size"};
  }
  const double length = x.stableNorm();
  const double strength = rho * length * length;
  if (!std::isfinite(strength) || !eigen.values.allFinite() || !eigen.vectors.allFinite()) {
    return Error{ErrorCode::kInvalidArgument, "a rank-one modification needs finite numbers"};
  }
  if (strength == 0) return eigen;

  // Everything is in units of a power of two near |A'|.  So neither the products nor the squares below leave the range
  // of a double, and scaling rounds nothing.
  const double largest = std::max(eigen.values.cwiseAbs().maxCoeff(), std::abs(strength));
  const double unit = std::ldexp(1.0, std::ilogb(largest));
  // rho < 0 is the problem for -A with -rho.  It has the same vectors.  The values are negated, and therefore in
  // reverse order.
  const double sign = strength > 0 ? 1 : -1;
  Problem problem{sign * (eigen.values / unit), eigen.vectors.transpose() * (x / length), std::abs(strength) / unit,
                  eigen.vectors};
  if (sign < 0) {
    problem.d.reverseInPlace();
    problem.z.reverseInPlace();
    problem.vectors.rowwise().reverseInPlace();
  }
  SymmetricEigen result = modify(std::move(problem), largest / unit);
  result.values *= sign * unit;
  sort_ascending(result);
  fix_signs(result.vectors);
  return result;
}

}  // namespace unscatter
