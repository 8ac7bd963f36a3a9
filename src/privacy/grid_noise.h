// Noise on a published model.  Values go to a grid, integers of noise are added there, and the results are on the grid
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
// So 2^32 <= sigma/g < 2^33 is rational, and sigma is taken exactly as given.  The grid costs two things, both small:
//
// * Two models are compared: the kept one and the retrained one.  Each of them moves by at most sqrt(count) g/2.  Add
//   shift_surcharge_upper_bound(count) = sqrt(count) g to their distance S before dividing by sigma.
// * A discrete Gaussian is not a Gaussian.  Per entry it is within total variation g^2 / (16 sigma^2) <= 2^-68 of a
//   rounded one (proof in docs/privacy.md).  So the guarantee holds with delta + delta_surcharge_upper_bound(count,
//   epsilon).
//
// The integers are turned into doubles after the noise was added.  This depends on nothing else, so it costs no
// privacy.
class GridNoise {
 public:
  // Errors: kInvalidArgument unless noise_stddev is in [2^-900, 2^900].
  [[nodiscard]] static Result<GridNoise> create(double noise_stddev);

  [[nodiscard]] double noise_stddev() const noexcept { return noise_stddev_; }
  // g, a power of two.
  [[nodiscard]] double grid() const noexcept { return grid_; }

  // sqrt(count) g/2, errs high.  This is how far rounding moves one model.
  [[nodiscard]] double rounding_error_upper_bound(std::size_t count) const;
  // sqrt(count) g, errs high.  Add this to the distance of two models.
  [[nodiscard]] double shift_surcharge_upper_bound(std::size_t count) const;
  // (distance + sqrt(count) g) / sigma, errs high.  This is the shift mu of two models that are `distance` apart before
  // rounding.  Errors: kInvalidArgument unless distance is in [0, infinity].
  [[nodiscard]] Result<double> shift_upper_bound(double distance, std::size_t count) const;
  // (1 + exp(epsilon)) count / (16 (sigma/g)^2), errs high and is at most 1.  Add this to delta.  Errors:
  // kInvalidArgument unless epsilon is in [0, infinity).
  [[nodiscard]] Result<double> delta_surcharge_upper_bound(std::size_t count, double epsilon) const;

  // Replaces each value by its noisy one.  Errors: kInvalidArgument if some |value| is above 2^60 sigma or not a
  // number.  In that case nothing was changed or drawn.
  [[nodiscard]] Status add_to(std::span<double> values, RandomSource& source) const;

 private:
  GridNoise(double noise_stddev, double grid, std::uint64_t scale_numerator)
      : noise_stddev_(noise_stddev), grid_(grid), scale_numerator_(scale_numerator) {}

  double noise_stddev_;
  double grid_;
  std::uint64_t scale_numerator_;  // of sigma/g, over 2^20
};

}  // namespace unscatter
