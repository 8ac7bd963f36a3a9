// Functions of every entry of an array, several at a time.
#pragma once

#include <span>

namespace unscatter {

// result_i = exp(-|x_i|), to two units in the last place; NaN stays NaN.  The spans are of equal length and may be the
// same.
void exp_minus_abs(std::span<const double> x, std::span<double> result);

// l'(t_i) and l''(t_i) of l(t) = log(1 + e^-t).  With e = exp(-|t|) nothing overflows and nothing cancels:
// l'' = e / (1 + e)^2, and l' = -e / (1 + e) for t >= 0, -1 / (1 + e) else.  Spans of equal length.
void logistic_derivatives(std::span<const double> t, std::span<double> slopes, std::span<double> curvatures);

}  // namespace unscatter
