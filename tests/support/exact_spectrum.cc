#include "support/exact_spectrum.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace unscatter::testing {
namespace {

using Solver = Eigen::SelfAdjointEigenSolver<WideMatrix>;

}  // namespace

ExactSpectrum exact_spectrum(const Matrix& symmetric) {
  const Solver solver(symmetric.cast<long double>());
  return {solver.eigenvalues(), solver.eigenvectors()};
}

WideVector exact_eigenvalues(const Matrix& symmetric) {
  return Solver(symmetric.cast<long double>(), Eigen::EigenvaluesOnly).eigenvalues();
}

long double largest_singular_value(const Matrix& A) {
  const WideMatrix wide = A.cast<long double>();
  const WideMatrix gram =
      A.rows() < A.cols() ? WideMatrix(wide * wide.transpose()) : WideMatrix(wide.transpose() * wide);
  return std::sqrt(Solver(gram, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff());
}

}  // namespace unscatter::testing
