#include "embedding/blocks/random_fourier.h"

#include <cmath>
#include <numbers>

#include "embedding/blocks/hashing.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

double unit_of(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1.0p-53; }

}  // namespace

RandomFourier::RandomFourier(const FourierStep& step, std::size_t inputs) : step_(step), columns_(inputs) {
  invariant(step.features > 0 && step.features % 2 == 0, "Fourier features come in pairs");
}

RandomFourier::~RandomFourier() {
  for (const std::atomic<double*>& drawn : columns_) std::default_delete<double[]>()(drawn.load());
}

const double* RandomFourier::column(std::size_t k) const {
  if (const double* drawn = columns_[k].load(std::memory_order_acquire)) return drawn;
  const std::size_t half = step_.features / 2;
  auto fresh = std::make_unique<double[]>(half);
  const std::uint64_t start = mixed(mixed(0, step_.seed), k);
  for (std::size_t i = 0; 2 * i < half; ++i) {
    // 1 - u is in (0, 1].
    const double radius = std::sqrt(-4 * step_.gamma * std::log(1 - unit_of(mixed(start, 2 * i))));
    const double angle = 2 * std::numbers::pi * unit_of(mixed(start, 2 * i + 1));
    fresh[2 * i] = radius * std::cos(angle);
    if (2 * i + 1 < half) fresh[2 * i + 1] = radius * std::sin(angle);
  }
  // Two threads may draw the same column.  Both drew the same numbers, and the first one stays.
  double* present = nullptr;
  if (columns_[k].compare_exchange_strong(present, fresh.get(), std::memory_order_acq_rel)) return fresh.release();
  return present;
}

void RandomFourier::add(std::span<const double> z, double factor, std::vector<double>& phases,
                        std::span<double> x) const {
  const std::size_t half = step_.features / 2;
  phases.assign(half, 0.0);
  double* const sums = phases.data();
  for (std::size_t k = 0; k < z.size(); ++k) {
    if (z[k] == 0) continue;
    const double* const frequencies = column(k);
    const double value = z[k];
    for (std::size_t j = 0; j < half; ++j) sums[j] += value * frequencies[j];
  }
  const double scale = factor / std::sqrt(static_cast<double>(half));
  for (std::size_t j = 0; j < half; ++j) {
    x[j] += scale * std::cos(sums[j]);
    x[half + j] += scale * std::sin(sums[j]);
  }
}

}  // namespace unscatter
