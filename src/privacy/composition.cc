#include "unscatter/privacy/composition.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "privacy/interval.h"

namespace unscatter {

Status ReleaseComposition::add(double shift) {
  if (!(shift >= 0))
    return Error{ErrorCode::kInvalidArgument, fmt::format("a shift must be at least 0, not {}", shift)};
  ++release_count_;
  if (shift == 0) return ok_status();
  ++positive_count_;
  const double square = shift * shift;
  const double sum = high_ + square;
  if (!std::isfinite(sum)) {
    high_ = std::numeric_limits<double>::infinity();
    low_ = 0;
    return ok_status();
  }
  // What the product and the sum lost, exactly [Higham02, Sec. 4.3]: TwoProduct by fma, TwoSum without a branch.
  const double product_error = std::fma(shift, shift, -square);
  const double part = sum - high_;
  const double sum_error = (high_ - (sum - part)) + (square - part);
  const double low = low_ + (product_error + sum_error);
  high_ = sum + low;
  low_ = low - (high_ - sum);
  return ok_status();
}

// Each add() rounds twice, in numbers below 4 u of the sum (u the unit roundoff): at most 8 u^2 of it per release, so
// that 2^47 releases stay below u, which the factor of 1 + 4 u covers together with the addition here.  A square that
// underflows loses at most one smallest subnormal, as does its product error: four of them per release cover both.
double ReleaseComposition::shift_upper_bound() const {
  invariant(release_count_ < (std::uint64_t{1} << 47), "more releases than the rounding analysis covers");
  if (positive_count_ == 0) return 0;
  constexpr double kWiden = 1 + 2 * std::numeric_limits<double>::epsilon();
  const double underflow = 4 * std::numeric_limits<double>::denorm_min() * static_cast<double>(positive_count_);
  return square_root(times(point(high_ + low_), point(kWiden)) + point(underflow)).hi;
}

Result<double> composed_shift_upper_bound(std::span<const double> shifts) {
  ReleaseComposition composition;
  for (const double shift : shifts) UNSCATTER_CHECK_OK(composition.add(shift));
  return composition.shift_upper_bound();
}

}  // namespace unscatter
