// Functions of every entry of an array, computed for several entries at a time.
#pragma once

#include <span>

namespace unscatter {

// result_i = exp(-|x_i|), right to two units in the last place.  NaN stays NaN.  The spans have equal length and may be
// the same.
void exp_minus_abs(std::span<const double> x, std::span<double> result);

// l'(t_i) and l''(t_i) of l(t) = log(1 + e^-t).  The spans have equal length.  With e = exp(-|t|) nothing overflows and
// nothing cancels:
//
//  l'' = e / (1 + e)^2,    l' = -e / (1 + e) for t >= 0,    l' = -1 / (1 + e) for t < 0
void logistic_derivatives(std::span<const double> t, std::span<double> slopes, std::span<double> curvatures);

}  // namespace unscatter
