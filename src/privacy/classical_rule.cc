#include "privacy/classical_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privacy/interval.h"

namespace unscatter {

Result<double> classical_budget_lower_bound(const RemovalGuarantee& guarantee, double noise_stddev) {
  UNSCATTER_CHECK_OK(check_guarantee(guarantee));
  if (!(noise_stddev > 0) || !std::isfinite(noise_stddev)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the noise must be finite and larger than 0, not {}", noise_stddev)};
  }
  // log(1.5) - log(delta) instead of log(1.5 / delta): the quotient overflows for subnormal delta.  Both summands are
  // positive.
  const Interval minus_log_delta = point(0) - log_of(point(guarantee.delta));
  const Interval logarithm = log_of(point(1.5)) + minus_log_delta;
  const Interval denominator = square_root(times(point(2), logarithm));
  const Interval budget = over(times(point(noise_stddev), point(guarantee.epsilon)), denominator);
  // The lower end: a smaller budget retrains earlier, which is the safe side.
  return std::max(0.0, budget.lo);
}

}  // namespace unscatter
