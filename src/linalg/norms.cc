#include "unscatter/linalg/norms.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon() / 2;  // u = 2^-53

// gamma_k = k u / (1 - k u): relative error of k roundings [Higham02, Lemma 3.1].
double rounding_factor(double k) { return k * kUnitRoundoff / (1 - k * kUnitRoundoff); }

}  // namespace

double frobenius_norm_upper_bound(const Matrix& A) {
  if (A.size() == 0) return 0;
  const double scale = A.cwiseAbs().maxCoeff();
  if (scale == 0) return 0;
  invariant(std::isfinite(scale), "norms need finite entries");
  // Scaled so that no square over- or underflows harmfully: entries below 1e-154 of the largest vanish, which the last
  // term covers.  A sum of size() squares carries at most size() + 2 roundings, the root and the product two more.
  const double entries = static_cast<double>(A.size());
  const double sum = (A / scale).squaredNorm();
  return scale * std::sqrt(sum) * (1 + rounding_factor(entries + 8)) + entries * std::numeric_limits<double>::min();
}

double spectral_norm_upper_bound(const Matrix& A) {
  const double frobenius = frobenius_norm_upper_bound(A);
  if (A.size() == 0 || frobenius == 0) return frobenius;
  const bool tall = A.rows() >= A.cols();
  const Matrix scaled = A / frobenius;
  const Matrix gram = tall ? Matrix(scaled.transpose() * scaled) : Matrix(scaled * scaled.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return frobenius;
  // Forming G: |fl(G) - G|_F <= gamma_{m+2} |A|_F^2 with m the summed length.  Eigensolver: a backward-stable reduction moves
  // an eigenvalue by p(n) u |G|_2 with p a low-order polynomial [Golub13, Sec. 8.3]; p(n) = 10 n is above anything the random
  // tests show by two orders.  |A|_F <= 1 after scaling, so both envelopes are absolute.
  const double summed = static_cast<double>(std::max(A.rows(), A.cols()));
  const double order = static_cast<double>(gram.rows());
  const double envelope = rounding_factor(summed + 4) + rounding_factor(10 * order + 10);
  const double largest = std::max(0.0, solver.eigenvalues().maxCoeff()) + envelope;
  const double bound = frobenius * std::sqrt(largest) * (1 + 8 * kUnitRoundoff);
  return std::min(frobenius, bound);
}

}  // namespace unscatter
