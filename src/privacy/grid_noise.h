// Noise on a published model: values go to a grid, integers of noise are added there, and what comes out is on the grid
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "unscatter/base/random.h"
#include "unscatter/base/result.h"

namespace unscatter {

// For W with `count` entries and noise of standard deviation sigma:
//
//   published = g (round(W / g) + Y),   Y ~ N_Z(0, (sigma/g)^2) per entry,   g = 2^floor(log2 sigma) / 2^32
//
// so 2^32 <= sigma/g < 2^33 is rational and sigma is taken exactly as given.  The grid costs two things, both small:
//
//  * Each of the two models that are compared (the kept one, the retrained one) moves by at most sqrt(count) g/2.  Add
//    shift_surcharge_upper_bound(count) = sqrt(count) g to their distance S before dividing by sigma.
//  * A discrete Gaussian is not a Gaussian.  It is within total variation g^2 / (16 sigma^2) <= 2^-68 of a rounded one,
//  per entry
//    (proof in docs/privacy.md), so the guarantee holds with delta + delta_surcharge_upper_bound(count, epsilon).
//
// Reading the integers as doubles happens after the noise and depends on nothing else, so it costs no privacy.
class GridNoise {
 public:
  // Errors: kInvalidArgument unless noise_stddev is in [2^-900, 2^900].
  [[nodiscard]] static Result<GridNoise> create(double noise_stddev);

  [[nodiscard]] double noise_stddev() const noexcept { return noise_stddev_; }
  // g, a power of two.
  [[nodiscard]] double grid() const noexcept { return grid_; }

  // sqrt(count) g/2, errs high: how far rounding moves one model.
  [[nodiscard]] double rounding_error_upper_bound(std::size_t count) const;
  // sqrt(count) g, errs high: what to add to the distance of two models.
  [[nodiscard]] double shift_surcharge_upper_bound(std::size_t count) const;
  // (distance + sqrt(count) g) / sigma, errs high: the shift mu of two models that are `distance` apart before
  // rounding. Errors: kInvalidArgument unless distance is in [0, infinity].
  [[nodiscard]] Result<double> shift_upper_bound(double distance, std::size_t count) const;
  // (1 + exp(epsilon)) count / (16 (sigma/g)^2), errs high and is at most 1: what to add to delta.
  // Errors: kInvalidArgument unless epsilon is in [0, infinity).
  [[nodiscard]] Result<double> delta_surcharge_upper_bound(std::size_t count, double epsilon) const;

  // Replaces each value by its noisy one.  Errors: kInvalidArgument if some |value| is above 2^60 sigma or not a
  // number; nothing has been changed or drawn then.
  [[nodiscard]] Status add_to(std::span<double> values, RandomSource& source) const;

 private:
  GridNoise(double noise_stddev, double grid, std::uint64_t scale_numerator)
      : noise_stddev_(noise_stddev), grid_(grid), scale_numerator_(scale_numerator) {}

  double noise_stddev_;
  double grid_;
  std::uint64_t scale_numerator_;  // of sigma/g, over 2^20
};

}  // namespace unscatter
