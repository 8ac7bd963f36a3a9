#include "unscatter/privacy/budget.h"

#include <fmt/format.h>

namespace unscatter {

Result<Budget> Budget::with_limit(double limit) {
  UNSCATTER_TRY(amount, ExactAmount::from_double(limit));
  return Budget(amount);
}

Status Budget::spend(const ExactAmount& amount) {
  if (!fits(amount)) {
    // Rounded for people, each towards the refusal; the decision was exact.
    return Error{ErrorCode::kLimitExceeded, fmt::format("the budget has {} left of {}, less than the {} asked for",
                                                        remaining().double_lower_bound(), limit_.double_lower_bound(),
                                                        amount.double_upper_bound())};
  }
  spent_ = spent_ + amount;
  return ok_status();
}

Status Budget::spend(double amount) {
  UNSCATTER_TRY(exact, ExactAmount::from_double(amount));
  return spend(exact);
}

}  // namespace unscatter
