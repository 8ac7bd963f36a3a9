// How far a computed gradient may be from the true one, added up row by row (docs/theory.md, "A gradient").
//
// |z_i| times what the factor of row i may be off by, plus the roundings of the sum.  A margin errs by e = gamma_m
// |z_i| |w|, m its depth, and l' follows with the largest l'' within e of it, at most min(gamma_1, l''(t_i) + gamma e);
// its own evaluation errs by 8 u (1 + |l'|).  Sorted by what depends on the class, that takes two sums per class and
// three for all.  They are computed in floating point themselves, with an error far below the one per cent that is
// added at the end.
#pragma once

#include <cstddef>
#include <vector>

#include "unscatter/learn/loss.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

class GradientEnvelope {
 public:
  explicit GradientEnvelope(std::size_t classes) : curved_(classes, 0.0), sloped_(classes, 0.0) {}

  // A row of length |z_i| and depth m, with l' and l'' of every class.
  void add_row(double length, std::size_t depth, const double* slopes, const double* curvatures);
  void operator+=(const GradientEnvelope& other);

  // `weight_norm` |w| of class k, `summing` roundings of a sum over all rows, `rest` = ridge |w| + |b|.
  [[nodiscard]] double upper_bound(std::size_t k, const Loss& loss, double weight_norm, std::size_t summing,
                                   double rest) const;

 private:
  std::vector<double> curved_;  // sum |z_i|^2 gamma_m l''
  std::vector<double> sloped_;  // sum |z_i| |l'|
  double lengths_ = 0;          // sum |z_i|
  double per_margin_ = 0;       // sum |z_i|^2 gamma_m
  double squares_ = 0;          // sum |z_i|^3 gamma_m^2
};

}  // namespace unscatter
