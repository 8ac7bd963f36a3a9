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

// An estimate from below of the largest eigenvalue.  Used as a proposal only, never as a bound.
double power_iteration(const Matrix& G) {
  constexpr int kSteps = 30;
  // The absolute row sums: positive on every coordinate that matters, which is close for rows that point the same way.
  // The irregular factors (fractional parts of the golden ratio) keep regular matrices from having it orthogonal to the
  // leading vector.
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

constexpr double kSmallestFactored = 1e-280;

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
  // Forming G: |fl(G) - G|_F <= gamma_{m+2} |A|_F^2 with m the summed length.  Eigensolver: a backward-stable reduction
  // moves an eigenvalue by p(n) u |G|_2 with p a low-order polynomial [Golub13, Sec. 8.3]; p(n) = 10 n is above
  // anything the random tests show by two orders.  |A|_F <= 1 after scaling, so both envelopes are absolute.
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
  // Products inside a factorisation of smaller matrices would underflow, which its envelope does not count.
  if (row_sum < kSmallestFactored) return row_sum;
  const double proposal = power_iteration(G);
  for (const double slack : {1e-3, 1e-2, 1e-1}) {
    const double t = proposal * (1 + slack);
    if (!(t < row_sum)) break;
    Matrix gap = -G;
    gap.diagonal().array() += t;
    // The factorisation of a matrix with trace tr succeeds only if its smallest eigenvalue is above -gamma_{n+1}/(1 -
    // gamma_{n+1}) tr [Rump06]; forming the diagonal costs one rounding of at most t each.
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
  // |fl(G) - G|_2 <= gamma_summed magnitude: entry ij errs by gamma |z_i| |z_j|, a rank-one matrix of norm sum |z_i|^2.
  const double n = static_cast<double>(G.rows());
  const double trace = G.diagonal().cwiseAbs().sum() * (1 + rounding_factor(n));
  const double formed = 2 * rounding_factor(static_cast<double>(summed) + 4) * magnitude;
  // Each of the products in an entry may have underflowed, by less than the smallest normal number; n^2 such entries.
  const double underflown = n * (static_cast<double>(summed) + 1) * std::numeric_limits<double>::min();
  const double by_eigenvalue = largest_eigenvalue_upper_bound(G) + formed;
  return std::sqrt(std::min(by_eigenvalue, trace + formed) + underflown) * (1 + 4 * kUnitRoundoff);
}

}  // namespace unscatter
