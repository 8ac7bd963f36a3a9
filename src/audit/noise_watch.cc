#include "audit/noise_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace unscatter {
namespace {

// From here on a double cannot tell odd from even, or nearly so.
constexpr double kExactIntegers = 0x1p52;

NoiseCheck judge(std::string name, double probability, std::string detail) {
  return {std::move(name), probability >= kNoiseCheckError, std::move(detail)};
}

}  // namespace

double squares_probability_upper_bound(double sum_of_squares, double count) {
  // E exp(s x^2) = (1 - 2s)^(-1/2) gives P[sum >= r count] <= exp(-count (r - 1 - ln r) / 2) for r > 1, and the same
  // for P[sum <= r count] with r < 1.  Twice, because either side counts as extreme.
  const double ratio = sum_of_squares / count;
  if (!(ratio > 0)) return 0;
  return std::min(1.0, 2 * std::exp(-count / 2 * (ratio - 1 - std::log(ratio))));
}

double products_probability_upper_bound(double sum_of_products, double count) {
  // E exp(s x y) = (1 - s^2)^(-1/2) gives P[sum >= a] <= exp(-s a) (1 - s^2)^(-count/2); best at the s below.
  const double a = std::abs(sum_of_products);
  if (a == 0) return 1;
  const double s = 2 * a / (count + std::hypot(count, 2 * a));
  return std::min(1.0, 2 * std::exp(-s * a - count / 2 * std::log1p(-s * s)));
}

double coin_probability_upper_bound(double odd, double count) {
  if (count == 0) return 1;
  // P[heads >= p count] <= exp(-count KL(p, 1/2)).
  const double p = odd / count;
  const auto term = [](double x) { return x > 0 ? x * std::log(2 * x) : 0.0; };
  return std::min(1.0, 2 * std::exp(-count * (term(p) + term(1 - p))));
}

NoiseWatch::NoiseWatch(const Matrix& reference, const Matrix& test, double noise_stddev, std::optional<double> grid)
    : reference_(reference),
      test_(test),
      noise_stddev_(noise_stddev),
      grid_(grid),
      squares_(Matrix::Zero(reference.rows(), reference.cols())) {}

void NoiseWatch::see(const Matrix& reference, const Matrix& test) {
  Matrix noises[2] = {(reference - reference_) / noise_stddev_, (test - test_) / noise_stddev_};
  for (int world = 0; world < 2; ++world) {
    squares_ += noises[world].cwiseAbs2();
    // Pairs that do not overlap, so that all products are independent.
    if (pairs_ % 2 == 1) {
      repeats_ += (noises[world].array() * last_[world].array()).sum();
      ++repeated_pairs_;
    }
  }
  across_ += (noises[0].array() * noises[1].array()).sum();
  for (int world = 0; world < 2; ++world) last_[world] = std::move(noises[world]);
  if (grid_) {
    look_at_grid(reference);
    look_at_grid(test);
  }
  ++pairs_;
}

void NoiseWatch::look_at_grid(const Matrix& observed) {
  for (const double value : observed.reshaped()) {
    const double place = value / *grid_;  // exact: the grid is a power of two
    if (place != std::nearbyint(place)) {
      ++off_grid_;
    } else if (std::abs(place) < kExactIntegers) {
      ++positions_;
      odd_positions_ += static_cast<std::size_t>(static_cast<std::int64_t>(place) & 1);
    }
  }
}

std::vector<NoiseCheck> NoiseWatch::report() const {
  std::vector<NoiseCheck> checks = {size_check(), classes_check(), coordinates_check(), repeat_check(), worlds_check()};
  if (grid_) {
    checks.push_back(grid_check());
    checks.push_back(positions_check());
  }
  return checks;
}

NoiseCheck NoiseWatch::size_check() const {
  const double count = 2 * static_cast<double>(pairs_) * static_cast<double>(squares_.size());
  return judge("size", squares_probability_upper_bound(squares_.sum(), count),
               fmt::format("the noise is {:.6f} times as large as stated", std::sqrt(squares_.sum() / count)));
}

NoiseCheck NoiseWatch::classes_check() const {
  const double count = 2 * static_cast<double>(pairs_) * static_cast<double>(squares_.rows());
  double smallest = 1;
  Eigen::Index worst = 0;
  for (Eigen::Index k = 0; k < squares_.cols(); ++k) {
    // Times the number of classes: one of so many may be far out by chance.
    const double probability =
        squares_probability_upper_bound(squares_.col(k).sum(), count) * static_cast<double>(squares_.cols());
    if (probability >= smallest) continue;
    smallest = probability;
    worst = k;
  }
  return judge("classes", smallest,
               fmt::format("in class {} the noise is {:.6f} times as large as stated", worst,
                           std::sqrt(squares_.col(worst).sum() / count)));
}

NoiseCheck NoiseWatch::coordinates_check() const {
  const double count = 2 * static_cast<double>(pairs_);
  const auto probability = [&](double squares) {
    return squares_probability_upper_bound(squares, count) * static_cast<double>(squares_.size());
  };
  // The probability falls on both sides of the mean, so the extremes are all that has to be looked at.
  Eigen::Index low_row = 0, low_column = 0, high_row = 0, high_column = 0;
  const double low = squares_.minCoeff(&low_row, &low_column);
  const double high = squares_.maxCoeff(&high_row, &high_column);
  const bool low_is_worse = probability(low) < probability(high);
  return judge("coordinates", std::min(probability(low), probability(high)),
               fmt::format("at coordinate {} of class {} the noise is {:.4f} times as large as stated",
                           low_is_worse ? low_row : high_row, low_is_worse ? low_column : high_column,
                           std::sqrt((low_is_worse ? low : high) / count)));
}

NoiseCheck NoiseWatch::repeat_check() const {
  const double count = static_cast<double>(repeated_pairs_) * static_cast<double>(squares_.size());
  if (count == 0) return {"repeats", true, "there was one model only"};
  return judge("repeats", products_probability_upper_bound(repeats_, count),
               fmt::format("noises of successive models have the correlation {:+.6f}", repeats_ / count));
}

NoiseCheck NoiseWatch::worlds_check() const {
  const double count = static_cast<double>(pairs_) * static_cast<double>(squares_.size());
  return judge("worlds", products_probability_upper_bound(across_, count),
               fmt::format("noises of the two worlds have the correlation {:+.6f}", across_ / count));
}

NoiseCheck NoiseWatch::grid_check() const {
  return {"grid", off_grid_ == 0,
          off_grid_ == 0 ? fmt::format("all values are multiples of {:.3e}", *grid_)
                         : fmt::format("{} values are not multiples of {:.3e}", off_grid_, *grid_)};
}

NoiseCheck NoiseWatch::positions_check() const {
  const auto count = static_cast<double>(positions_), odd = static_cast<double>(odd_positions_);
  return judge("positions", coin_probability_upper_bound(odd, count),
               fmt::format("{:.4f} of the places on the grid are odd", count > 0 ? odd / count : 0));
}

}  // namespace unscatter
