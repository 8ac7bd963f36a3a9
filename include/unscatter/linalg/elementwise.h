// Functions of every entry of an array, several at a time.
#pragma once

#include <span>

namespace unscatter {

// result_i = exp(-|x_i|), to two units in the last place; NaN stays NaN.  The spans are of equal length and may be the same.
void exp_minus_abs(std::span<const double> x, std::span<double> result);

}  // namespace unscatter
