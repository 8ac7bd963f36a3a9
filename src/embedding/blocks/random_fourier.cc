#include "embedding/blocks/random_fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "embedding/blocks/hashing.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// v = H v, in place, by sums and differences of halves.
void multiply_by_hadamard(std::span<double> v) {
  for (std::size_t half = 1; half < v.size(); half *= 2) {
    for (std::size_t first = 0; first < v.size(); first += 2 * half) {
      double* const a = v.data() + first;
      double* const b = a + half;
      for (std::size_t k = 0; k < half; ++k) {
        const double sum = a[k] + b[k];
        b[k] = a[k] - b[k];
        a[k] = sum;
      }
    }
  }
}

}  // namespace

RandomFourier::RandomFourier(const FourierStep& step, std::size_t inputs)
    : step_(step), size_(std::bit_ceil(std::max<std::size_t>(inputs, 1))) {
  invariant(step.features > 0 && step.features % 2 == 0, "Fourier features come in pairs");
  const std::size_t groups = (step.features / 2 + size_ - 1) / size_;
  signs_.reserve(groups * kRounds * size_);
  for (std::uint64_t group = 0; group < groups; ++group) {
    for (std::uint64_t t = 0; t < kRounds; ++t) {
      const std::uint64_t start = mixed(mixed(mixed(0, step.seed), group), t);
      for (std::uint64_t k = 0; k < size_; ++k) signs_.push_back(mixed(start, k) % 2 == 0 ? 1.0 : -1.0);
    }
  }
}

void RandomFourier::add(std::span<const double> z, double factor, std::vector<double>& memory,
                        std::span<double> x) const {
  const std::size_t half = step_.features / 2;
  const double scale = factor / std::sqrt(static_cast<double>(half));
  const double frequency = std::sqrt(2 * step_.gamma) / static_cast<double>(size_);
  for (std::size_t first = 0; first < half; first += size_) {
    memory.assign(size_, 0.0);
    std::copy(z.begin(), z.end(), memory.begin());
    for (std::size_t t = kRounds; t-- > 0;) {
      const double* const signs = signs_.data() + (first / size_ * kRounds + t) * size_;
      for (std::size_t k = 0; k < size_; ++k) memory[k] *= signs[k];
      multiply_by_hadamard(memory);
    }
    const std::size_t rows = std::min(size_, half - first);
    for (std::size_t j = 0; j < rows; ++j) {
      const double phase = frequency * memory[j];
      x[first + j] += scale * std::cos(phase);
      x[half + first + j] += scale * std::sin(phase);
    }
  }
}

}  // namespace unscatter
