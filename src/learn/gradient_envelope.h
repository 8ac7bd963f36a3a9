// How far a computed gradient may be from the true one, added up row by row (docs/theory.md, "A gradient").
//
// This is E(w), (13) there.  eta is the unit roundoff, and theta_m is the relative error of m roundings.
//
//   * A margin errs by e = theta_m |z_i| |w|, where m is the depth of the row.
//   * l' follows with the largest l'' within e of the margin, which is at most min(gamma_1, l''(t_i) + gamma e).
//   * The evaluation of l' errs by 8 eta (1 + |l'|).
//   * The sum over rows rounds too.
//
// Every error of row i counts |z_i| times.  Sorted by what depends on the class, this takes two sums per class and
// three for all classes.  The sums are computed in floating point themselves.  Their error is far below the one per
// cent that is added at the end.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "unscatter/learn/loss.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

class GradientEnvelope {
 public:
  explicit GradientEnvelope(std::size_t classes) : curved_(classes, 0.0), sloped_(classes, 0.0) {}

  // Adds a row of length |z_i| and depth m, with l' and l'' of every class.
  void add_row(double length, std::size_t depth, const double* slopes, const double* curvatures);
  void operator+=(const GradientEnvelope& other);

  // All sums as plain numbers, so that another rank can go on with them.
  [[nodiscard]] static std::size_t numbers(std::size_t classes) { return 2 * classes + 3; }
  void write(std::span<double> numbers) const;
  void read(std::span<const double> numbers);

  // `weight_norm` |w| of class k, `summing` roundings of a sum over all rows, `rest` = ridge |w| + |b|.
  [[nodiscard]] double upper_bound(std::size_t k, const Loss& loss, double weight_norm, std::size_t summing,
                                   double rest) const;

 private:
  std::vector<double> curved_;  // sum |z_i|^2 theta_m l''
  std::vector<double> sloped_;  // sum |z_i| |l'|
  double lengths_ = 0;          // sum |z_i|
  double per_margin_ = 0;       // sum |z_i|^2 theta_m
  double squares_ = 0;          // sum |z_i|^3 theta_m^2
};

}  // namespace unscatter
