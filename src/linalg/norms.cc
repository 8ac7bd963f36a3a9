#include "linalg/norms.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/cholesky.h"
#include "linalg/rounding.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// An estimate of the largest eigenvalue, from below: x.Gx / x.x never exceeds it.  It is a proposal only, never a
// bound.
double power_iteration(const Matrix& G) {
  // Enough for most matrices to come within the smallest slack that largest_eigenvalue_upper_bound() tries.  If not,
  // the next slack is larger: more steps would make the bound better, not safer.
  constexpr int kSteps = 30;
  // The start is the absolute row sums.  They are positive on every coordinate that matters, and near the leading
  // vector if rows point the same way.  The irregular factors are fractional parts of multiples of the golden ratio.
  // Without them the start could be orthogonal to the leading vector of a matrix with equal row sums.
  Vector x = G.cwiseAbs().rowwise().sum();
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) *= 0.5 + std::fmod(0.6180339887498949 * static_cast<double>(i), 1.0);
  double estimate = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double length = x.stableNorm();
    if (length == 0 || !std::isfinite(length)) return estimate;
    x /= length;
    const Vector next = G.selfadjointView<Eigen::Lower>() * x;
    estimate = std::max(estimate, x.dot(next));
    x = next;
  }
  return estimate;
}

// A matrix of this size is not factorised.  Products inside the factorisation are as large as its entries.  Down to
// here their underflow, at most 2e-308 each, is far below one rounding.
constexpr double kSmallestFactored = 1e-280;

}  // namespace

double frobenius_norm_upper_bound(const Matrix& A) {
  if (A.size() == 0) return 0;
  const double scale = A.cwiseAbs().maxCoeff();
  if (scale == 0) return 0;
  invariant(std::isfinite(scale), "norms need finite entries");
  // Scaled by the largest entry, so that no square overflows.  Entries below 1e-154 of the largest one vanish when they
  // are squared; the last term covers them.  A sum of size() squares carries at most size() + 2 roundings.  The root
  // and the product add two more.
  const double entries = static_cast<double>(A.size());
  const double sum = (A / scale).squaredNorm();
  return scale * std::sqrt(sum) * (1 + rounding_factor(entries + 8)) + entries * std::numeric_limits<double>::min();
}

double spectral_norm_upper_bound(const Matrix& A) {
  const double frobenius = frobenius_norm_upper_bound(A);
  if (A.size() == 0 || frobenius == 0) return frobenius;
  // Both Gram matrices have the same largest eigenvalue.  The smaller one is cheaper.
  const bool tall = A.rows() >= A.cols();
  const Matrix scaled = A / frobenius;
  const Matrix gram = tall ? Matrix(scaled.transpose() * scaled) : Matrix(scaled * scaled.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return frobenius;
  // Forming G: |fl(G) - G|_F <= gamma_{m+2} |A|_F^2 with m the summed length.  The eigensolver: a backward-stable
  // reduction moves an eigenvalue by p(n) u |G|_2 with p a low-order polynomial [Golub13, Sec. 8.3].  Here p(n) = 10 n.
  // That is an assumption; it is two orders above anything that the random tests show.  |A|_F <= 1 after scaling, so
  // both envelopes are absolute.
  const double summed = static_cast<double>(std::max(A.rows(), A.cols()));
  const double order = static_cast<double>(gram.rows());
  const double envelope = rounding_factor(summed + 4) + rounding_factor(10 * order + 10);
  const double largest = std::max(0.0, solver.eigenvalues().maxCoeff()) + envelope;
  const double bound = frobenius * std::sqrt(largest) * (1 + 8 * kUnitRoundoff);
  return std::min(frobenius, bound);
}

double largest_eigenvalue_upper_bound(const Matrix& G) {
  if (G.size() == 0) return 0;
  const double n = static_cast<double>(G.rows());
  const double row_sum = G.cwiseAbs().rowwise().sum().maxCoeff() * (1 + rounding_factor(n + 4));
  invariant(std::isfinite(row_sum), "eigenvalue bounds need finite entries");
  // The envelope below does not count underflow, which the factorisation of a smaller matrix would meet.
  if (row_sum < kSmallestFactored) return row_sum;
  const double proposal = power_iteration(G);
  // A small slack gives a sharp bound, and fails if the proposal is too far below.  Every try costs a factorisation.
  for (const double slack : {1e-3, 1e-2, 1e-1}) {
    const double t = proposal * (1 + slack);
    // The row sum, which needs no proof, is as good.  A proposal that is NaN ends here too.
    if (!(t < row_sum)) break;
    Matrix gap = -G;
    gap.diagonal().array() += t;
    // If the factorisation of a matrix with trace tr succeeds, its smallest eigenvalue is at least -gamma/(1 - gamma)
    // tr with gamma = gamma_{n+2} [Rump06].  Forming the diagonal costs one rounding of at most t per entry.  The
    // factors 2 cover the denominator and the rounding of the trace (docs/theory.md, Prop. 3).
    const double trace = gap.diagonal().cwiseAbs().sum();
    if (cholesky_in_place(gap)) {
      return std::min(row_sum,
                      (t + 2 * rounding_factor(n + 2) * trace + 2 * kUnitRoundoff * t) * (1 + 8 * kUnitRoundoff));
    }
  }
  return row_sum;
}

double spectral_norm_upper_bound_from_gram(const Matrix& G, std::size_t summed) {
  return spectral_norm_upper_bound_from_gram(
      G, summed, G.diagonal().cwiseAbs().sum() * (1 + rounding_factor(static_cast<double>(G.rows()))));
}

double spectral_norm_upper_bound_from_gram(const Matrix& G, std::size_t summed, double magnitude) {
  // |fl(G) - G|_2 <= gamma_summed magnitude.  Entry ij errs by at most gamma |z_i| |z_j|.  The matrix of these numbers
  // has rank one and the norm sum |z_i|^2.
  const double n = static_cast<double>(G.rows());
  // The trace bounds the largest eigenvalue too.  For a matrix of rank one it is the sharper bound.
  const double trace = G.diagonal().cwiseAbs().sum() * (1 + rounding_factor(n));
  const double formed = 2 * rounding_factor(static_cast<double>(summed) + 4) * magnitude;
  // Each product in an entry may have underflowed, by less than the smallest normal number.  A matrix of n x n such
  // errors has a norm of at most n times the largest of them.
  const double underflown = n * (static_cast<double>(summed) + 1) * std::numeric_limits<double>::min();
  const double by_eigenvalue = largest_eigenvalue_upper_bound(G) + formed;
  return std::sqrt(std::min(by_eigenvalue, trace + formed) + underflown) * (1 + 4 * kUnitRoundoff);
}

}  // namespace unscatter
