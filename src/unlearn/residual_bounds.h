// Upper bounds on the gradient residual of one class after a Newton update, each a formula.  Proofs: docs/theory.md.
//
//   D -> D' edits some rows.  Delta = grad L(w; D) - grad L(w; D').  v = H^-1 Delta, where H is the Hessian of L(.; D')
//   at w.  u' = grad L(w + v; D').
//
// If grad L(w; D) = 0, then u' is the Taylor remainder below.  If it is u, then u' is u plus the remainder.  Arguments
// are upper bounds themselves.  Results err high.
#pragma once

#include <cstddef>

namespace unscatter {

// (2)  gamma_2 F |Z'| |v| |Z' v|                                    [Pan23, Thm. 4.7]
[[nodiscard]] double data_dependent_bound(double curvature_lipschitz, double row_norm, double spectral_norm,
                                          double step_norm, double product_norm);

// (3)  (gamma / 2) |Z'| |zeta o zeta|,  zeta = Z' v.  Never above (2) where gamma <= gamma_2 and F >= max |z_i|,
// because |zeta o zeta| <= max_i |zeta_i| |zeta| <= F |v| |zeta|.
[[nodiscard]] double tightened_bound(double curvature_lipschitz, double spectral_norm, double squared_product_norm);

// (1)  gamma_2 n F^3 |v|^2 <= gamma_2 F^3 |Delta|^2 / (lambda^2 n)  [Pan23, Thm. 4.3, 4.4; Cor. 4.5, 4.6 with |Delta|
// summed]
[[nodiscard]] double worst_case_bound(double curvature_lipschitz, double row_norm, double regularisation,
                                      std::size_t graphs, double gradient_change);

// What one edited graph adds to |Delta| at worst, by kind ((6) of docs/theory.md).  C_1 = C_2 F bounds |grad l|.  The
// paper writes C_1 = 1, which holds only where |z| <= 1.
//
// A node or an edge goes:  2 C_2 F                                   [Pan23, Thm. 4.4]
[[nodiscard]] double worst_case_node_change(double slope_bound, double row_norm);
// Features go:  min{2 C_2 F, (gamma_1 F |w| + C_2) |z - z'|}.  [Pan23, Thm. 4.3] bounds |z - z'| by F / sqrt(g), and
// |w| by C_1 / lambda.  The first holds only for signals within [-1, 1] and one moment.  The second holds only without
// a perturbation.  So both are arguments here.
[[nodiscard]] double worst_case_feature_change(double slope_bound, double curvature_bound, double row_norm,
                                               double weight_norm, double displacement);
// The whole graph goes:  C_2 F + lambda |w|                          [Guo20, Thm. 1]
[[nodiscard]] double worst_case_graph_change(double slope_bound, double row_norm, double regularisation,
                                             double weight_norm);

}  // namespace unscatter
