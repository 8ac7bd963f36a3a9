// Random Fourier features of a row: the last step of a recipe.
//
//   x = [cos(W z), sin(W z)] / sqrt(D/2),   W has D/2 rows,   W_jk ~ N(0, 2 gamma) independent
//
// So |x| = 1, and x.x' is near exp(-gamma |z - z'|^2) [Rahimi07].  W is a public constant.  It looks at no data:
//
//   u(seed, k, i) = (hash(seed, k, i) >> 11) / 2^53                                         (hashing.h)
//   r = sqrt(-4 gamma ln(1 - u(seed, k, 2i))),   a = 2 pi u(seed, k, 2i + 1)
//   W_{2i,k} = r cos a,   W_{2i+1,k} = r sin a              for i = 0, 1, ...; the last sine is left out if D/2 is odd
//
// Columns: all cosines, then all sines.  A column k of W is drawn when a row first has z_k != 0, and then kept.  Rows
// of histograms are mostly 0, so a graph needs a few of them.  Cost: D/2 per number of z that is not 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace unscatter {

struct FourierStep {
  std::size_t features = 4096;  // D, even
  double gamma = 1;
  std::uint64_t seed = 1;
  bool drawn = false;  // the mean over eight views of a drawing (drawing.h), in place of positions
  friend bool operator==(const FourierStep&, const FourierStep&) = default;
};

// Any number of threads may use it at the same time.  What it computes does not depend on who came first.
class RandomFourier {
 public:
  RandomFourier(const FourierStep& step, std::size_t inputs);
  RandomFourier(const RandomFourier&) = delete;
  RandomFourier& operator=(const RandomFourier&) = delete;
  ~RandomFourier();

  [[nodiscard]] std::size_t width() const noexcept { return step_.features; }
  [[nodiscard]] bool drawn() const noexcept { return step_.drawn; }
  // Adds the features of `z` times `factor` to `x`.  `z` has as many numbers as there are inputs, `x` has width().
  // `phases` is memory that is reused.
  void add(std::span<const double> z, double factor, std::vector<double>& phases, std::span<double> x) const;

 private:
  // D/2 numbers.
  [[nodiscard]] const double* column(std::size_t k) const;

  FourierStep step_;
  mutable std::vector<std::atomic<double*>> columns_;
};

}  // namespace unscatter
