// Random Fourier features of a row: the last step of a recipe.
//
//   x = [cos(W z), sin(W z)] / sqrt(D/2),   W has D/2 rows
//
// So |x| = 1, and x.x' is near exp(-gamma |z - z'|^2) [Rahimi07].  Rows of W are orthogonal in groups, which is more
// exact than independent ones [Yu16].  With d the least power of two that is not below the number of inputs, a group
// has d rows:
//
//   W = sqrt(2 gamma) / d  H S_0 H S_1 H S_2,   H_jk = (-1)^(number of ones in the bits of j and k), j, k = 0 .. d - 1
//   S_t = diag(s_t0, s_t1, ...),   s_tk = 1 if hash(seed, group, t, k) is even, else -1             (hashing.h)
//
// Inputs that are missing count as 0.  Groups 0, 1, ... follow one another, and the last one is cut.  W is a public
// constant and looks at no data.  It is never formed: a product with H takes d log2(d) additions.  Columns: all
// cosines, then all sines.
#pragma once

#include <cstddef>
#include <cstdint>
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

// It does not change after construction.  Any number of threads may use it at the same time.
class RandomFourier {
 public:
  RandomFourier(const FourierStep& step, std::size_t inputs);

  [[nodiscard]] std::size_t width() const noexcept { return step_.features; }
  [[nodiscard]] bool drawn() const noexcept { return step_.drawn; }
  // Adds the features of `z` times `factor` to `x`.  `z` has as many numbers as there are inputs, `x` has width().
  // `memory` is reused.
  void add(std::span<const double> z, double factor, std::vector<double>& memory, std::span<double> x) const;

 private:
  static constexpr std::size_t kRounds = 3;

  FourierStep step_;
  std::size_t size_ = 1;       // d
  std::vector<double> signs_;  // (group * kRounds + t) * d + k
};

}  // namespace unscatter
