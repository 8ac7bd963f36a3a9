// Several releases about the same removed data, seen together.
#pragma once

#include <cstdint>
#include <span>

#include "unscatter/base/result.h"

namespace unscatter {

// Releases with Gaussian shifts mu_1, mu_2, ..., each chosen in knowledge of the ones before, are together as far apart
// as one Gaussian with shift
//
//   mu_total = sqrt(sum_t mu_t^2)                                [Dong22, Sec. 3]
//
// Store the shifts, or this accumulator; derive (epsilon, delta) from the total, once.  A value type; not thread-safe.
class ReleaseComposition {
 public:
  // One more release.  Errors: kInvalidArgument unless shift is in [0, infinity]; the total is then as it was.
  [[nodiscard]] Status add(double shift);

  // Never below sqrt(sum mu_t^2), and above it by less than 1e-15 of the value plus 1e-160 sqrt(release_count());
  // exactly 0 if all are 0.  The order of the releases does not matter up to that.  Infinite from about 1e154 on, where
  // squares overflow.
  [[nodiscard]] double shift_upper_bound() const;
  [[nodiscard]] std::uint64_t release_count() const noexcept { return release_count_; }

 private:
  // The sum of squares is high_ + low_: two doubles, so that a million small releases do not each cost a rounding.
  double high_ = 0;
  double low_ = 0;
  std::uint64_t release_count_ = 0;
  std::uint64_t positive_count_ = 0;
};

// The same for a list.  Errors: as add().
[[nodiscard]] Result<double> composed_shift_upper_bound(std::span<const double> shifts);

}  // namespace unscatter
