// Looks at the noise itself: its size, whether it repeats, and whether it is where it should be.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "unscatter/audit/audit.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// A sound session fails a check with at most this probability.  Every check bounds the probability of what it saw from
// above, by Chernoff's method, so this holds for any number of observations.
inline constexpr double kNoiseCheckError = 1e-9;

// Bounds on the probability, for independent standard normal numbers, of a value at least as extreme as the one seen.
// Of sum_{i <= count} x_i^2 = sum_of_squares:
[[nodiscard]] double squares_probability_upper_bound(double sum_of_squares, double count);
// Of sum_{i <= count} x_i y_i = sum_of_products:
[[nodiscard]] double products_probability_upper_bound(double sum_of_products, double count);
// Of `odd` heads among `count` tosses of a fair coin:
[[nodiscard]] double coin_probability_upper_bound(double odd, double count);

// Takes pairs of observations, one of each world, and knows what they would be without noise.
class NoiseWatch {
 public:
  // `grid`: observations are multiples of it; nothing if they need not be.
  NoiseWatch(const Matrix& reference, const Matrix& test, double noise_stddev, std::optional<double> grid);

  void see(const Matrix& reference, const Matrix& test);
  [[nodiscard]] std::vector<NoiseCheck> report() const;

 private:
  [[nodiscard]] NoiseCheck size_check() const;
  [[nodiscard]] NoiseCheck classes_check() const;
  [[nodiscard]] NoiseCheck coordinates_check() const;
  [[nodiscard]] NoiseCheck repeat_check() const;
  [[nodiscard]] NoiseCheck worlds_check() const;
  [[nodiscard]] NoiseCheck grid_check() const;
  [[nodiscard]] NoiseCheck positions_check() const;
  void look_at_grid(const Matrix& observed);

  Matrix reference_;
  Matrix test_;
  double noise_stddev_;
  std::optional<double> grid_;

  std::size_t pairs_ = 0;
  Matrix squares_;      // per weight, over both worlds
  Matrix last_[2];      // the noise of the last pair, where its partner is still to come
  double repeats_ = 0;  // products of successive noises of one world
  std::size_t repeated_pairs_ = 0;
  double across_ = 0;  // products of noises of the two worlds
  std::size_t off_grid_ = 0;
  std::size_t positions_ = 0;  // values whose place on the grid is known to its last digit
  std::size_t odd_positions_ = 0;
};

}  // namespace unscatter
