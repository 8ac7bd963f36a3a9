// The accuracy that published models have on average, over all draws of their noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unscatter/linalg/dense.h"

namespace unscatter {

// Noise of standard deviation sigma on every weight moves a score w.z by sigma |z| times a standard normal number.  The
// numbers of different classes are independent.  So a row of label y and scores c is right with the probability
//
//   E prod_{j != y} Phi((c_y - c_j) / (sigma |z|) + x),      x ~ N(0, 1)
//
// and the result is the mean over rows.  No draw is needed, so two settings are compared without the chance of a draw.
// `vectors`: weight vectors that have noise of their own (published_vectors()).  If this is 1 for two classes, the
// second vector is the first one with its sign turned, and the probability is Phi(c_y / (sigma |z|)).  Without noise it
// is the plain accuracy.  scores: one row per row, one column per class.  0 for no rows.
[[nodiscard]] double expected_accuracy(const Matrix& scores, std::span<const std::uint32_t> labels,
                                       std::span<const double> row_norms, double noise_stddev, std::size_t vectors);

}  // namespace unscatter
