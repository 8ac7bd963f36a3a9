#include "unlearn/residual_bounds.h"

#include <algorithm>

#include "linalg/rounding.h"

namespace unscatter {
namespace {

// A dozen roundings at most in any formula below.
double round_up(double value) { return value * (1 + rounding_factor(16)); }

}  // namespace

double data_dependent_bound(double curvature_lipschitz, double row_norm, double spectral_norm, double step_norm,
                            double product_norm) {
  return round_up(curvature_lipschitz * row_norm * spectral_norm * step_norm * product_norm);
}

double tightened_bound(double curvature_lipschitz, double spectral_norm, double squared_product_norm) {
  // gamma / 2 by Lemma 2 of docs/theory.md.  Halving is exact in floating point.
  return round_up(curvature_lipschitz / 2 * spectral_norm * squared_product_norm);
}

double worst_case_bound(double curvature_lipschitz, double row_norm, double regularisation, std::size_t graphs,
                        double gradient_change) {
  // A quadratic has no remainder.  Its slopes have no bound, so the product below would be 0 times infinity.
  if (curvature_lipschitz == 0) return 0;
  // |v| <= |Delta| / (lambda n'), because H >= lambda n' I.
  const double step_norm = gradient_change / (regularisation * static_cast<double>(graphs));
  return round_up(curvature_lipschitz * static_cast<double>(graphs) * row_norm * row_norm * row_norm * step_norm *
                  step_norm);
}

double worst_case_node_change(double slope_bound, double row_norm) { return round_up(2 * slope_bound * row_norm); }

double worst_case_feature_change(double slope_bound, double curvature_bound, double row_norm, double weight_norm,
                                 double displacement) {
  // The proof of (6) in docs/theory.md splits the change into l'(t) - l'(t') times z, and l'(t') times z - z'.
  const double by_displacement = (curvature_bound * row_norm * weight_norm + slope_bound) * displacement;
  return std::min(worst_case_node_change(slope_bound, row_norm), round_up(by_displacement));
}

double worst_case_graph_change(double slope_bound, double row_norm, double regularisation, double weight_norm) {
  return round_up(slope_bound * row_norm + regularisation * weight_norm);
}

}  // namespace unscatter
