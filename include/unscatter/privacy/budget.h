// A limit and what has been spent of it, in exact arithmetic: neither does 1.0000000000000002 > 1 refuse what fits, nor
// does rounding let the sum slip past the limit.
#pragma once

#include "unscatter/base/result.h"
#include "unscatter/privacy/exact_amount.h"

namespace unscatter {

// Invariant: 0 <= spent <= limit, as real numbers.  A value type; not thread-safe.
//
//   Budget budget(ExactAmount::parse("1").value());
//   const ExactAmount tenth = ExactAmount::parse("0.1").value();
//   ... ten times budget.spend(tenth) succeed, the eleventh is refused.
//
// Ten times from_double(0.1) do not fit into 1, rightly: that double is larger than one tenth.  Write amounts that
// people think of as decimals with parse(), and computed ones (which are upper bounds of something) with from_double().
class Budget {
 public:
  explicit Budget(const ExactAmount& limit) : limit_(limit) {}

  // Errors: kInvalidArgument for numbers that are not finite and >= 0.
  [[nodiscard]] static Result<Budget> with_limit(double limit);

  [[nodiscard]] bool fits(const ExactAmount& amount) const { return amount <= remaining(); }

  // Adds `amount` to what is spent.  Errors: kLimitExceeded if it does not fit; kInvalidArgument for a double that is
  // negative or not finite.  A refused amount changes nothing.
  [[nodiscard]] Status spend(const ExactAmount& amount);
  [[nodiscard]] Status spend(double amount);

  [[nodiscard]] const ExactAmount& limit() const noexcept { return limit_; }
  [[nodiscard]] const ExactAmount& spent() const noexcept { return spent_; }
  [[nodiscard]] ExactAmount remaining() const { return limit_ - spent_; }

 private:
  ExactAmount limit_;
  ExactAmount spent_;
};

}  // namespace unscatter
