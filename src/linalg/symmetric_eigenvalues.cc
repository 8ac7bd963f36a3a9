#include "linalg/symmetric_eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Two or three steps per eigenvalue are usual.  A step is stopped here only so that no input can keep it for ever.
constexpr int kMostEigenvalueSteps = 100;

// Turns the symmetric matrix with the rows A into a tridiagonal one, by reflections [Golub13, Alg. 8.3.1].  Both
// triangles are kept, so that all inner loops run along rows and have no sum in them.  diagonal[k] and beside[k], the
// entry (k, k + 1), are the result.  v and w have n numbers.
void make_tridiagonal(double* A, std::size_t n, double* diagonal, double* beside, double* v, double* w) {
  for (std::size_t k = 0; k < n; ++k) {
    diagonal[k] = A[k * n + k];
    beside[k] = 0;
    if (k + 1 == n) return;
    const double* const row = A + k * n;
    double tail = 0;
    for (std::size_t j = k + 2; j < n; ++j) tail += row[j] * row[j];
    beside[k] = row[k + 1];
    if (tail == 0) continue;
    // I - beta v v^T sends the row to a multiple of the first unit vector.
    beside[k] = -std::copysign(std::sqrt(row[k + 1] * row[k + 1] + tail), row[k + 1]);
    std::copy(row + k + 1, row + n, v + k + 1);
    v[k + 1] -= beside[k];
    const double beta = 2 / (v[k + 1] * v[k + 1] + tail);
    std::fill(w + k + 1, w + n, 0.0);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = beta * v[i];
      for (std::size_t j = k + 1; j < n; ++j) w[j] += factor * A[i * n + j];
    }
    double both = 0;
    for (std::size_t j = k + 1; j < n; ++j) both += w[j] * v[j];
    for (std::size_t j = k + 1; j < n; ++j) w[j] -= beta / 2 * both * v[j];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) A[i * n + j] -= v[i] * w[j] + w[i] * v[j];
    }
  }
}

// One step with an implicit shift on the rows first to last of a tridiagonal matrix [Golub13, Alg. 8.3.2], from below.
void take_shifted_step(double* diagonal, double* beside, std::size_t first, std::size_t last) {
  const double half = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first]);
  const double far = half + std::copysign(std::sqrt(half * half + 1), half);
  double g = diagonal[last] - diagonal[first] + beside[first] / far;
  double sine = 1;
  double cosine = 1;
  double moved = 0;
  for (std::size_t i = last; i-- > first;) {
    const double f = sine * beside[i];
    const double b = cosine * beside[i];
    const double length = std::sqrt(f * f + g * g);
    beside[i + 1] = length;
    if (length == 0) {  // it has fallen apart here
      diagonal[i + 1] -= moved;
      beside[last] = 0;
      return;
    }
    sine = f / length;
    cosine = g / length;
    const double below = diagonal[i + 1] - moved;
    const double turned = (diagonal[i] - below) * sine + 2 * cosine * b;
    moved = sine * turned;
    diagonal[i + 1] = below + moved;
    g = cosine * turned - b;
  }
  diagonal[first] -= moved;
  beside[first] = g;
  beside[last] = 0;
}

}  // namespace

void symmetric_eigenvalues(std::span<double> A, std::span<double> values, std::span<double> memory) {
  const std::size_t n = values.size();
  invariant(A.size() == n * n && memory.size() == symmetric_eigenvalues_memory(n), "memory of the stated size");
  double* const diagonal = values.data();
  double* const beside = memory.data();
  make_tridiagonal(A.data(), n, diagonal, beside, beside + n, beside + 2 * n);
  double size = 0;
  for (std::size_t k = 0; k < n; ++k) size = std::max(size, std::abs(diagonal[k]) + std::abs(beside[k]));
  // What is that small moves no eigenvalue by more than that.
  const double negligible = std::numeric_limits<double>::epsilon() / 2 * size;
  for (std::size_t first = 0; first < n; ++first) {
    for (int step = 0; step < kMostEigenvalueSteps; ++step) {
      std::size_t last = first;
      while (last + 1 < n && std::abs(beside[last]) > negligible) ++last;
      if (last == first) break;
      take_shifted_step(diagonal, beside, first, last);
    }
  }
  std::sort(values.begin(), values.end());
}

}  // namespace unscatter
