// Whether a kept model meets the guarantee of its constants.  What the file claims about it is compared and never
// believed.
#pragma once

#include <optional>
#include <vector>

#include "store/contents.h"
#include "unlearn/limit.h"
#include "unscatter/base/result.h"
#include "unscatter/store/ledger_record.h"

namespace unscatter {

// What follows from the constants and from the number of weights, and from nothing else.
struct Guaranteed {
  Limit limit;
  Promise promise;
};
// Errors as Limit::create().
[[nodiscard]] Result<Guaranteed> guarantee_of(const Contents& contents);

// Does the certificate of the kept model say what follows from constants, residuals and weights?  Does it meet the
// limit?  Errors: kMalformedInput, saying which number is wrong.
[[nodiscard]] Status check_certificate(const Contents& contents, const Guaranteed& guaranteed);

// Do entries show the promise of the constants, bit for bit?  They are given one after the other, from the first on.
class PromiseCheck {
 public:
  // `contents` must outlive it.
  PromiseCheck(const Contents& contents, const Guaranteed& guaranteed);
  // Errors: kMalformedInput.
  [[nodiscard]] Status next(const LedgerRecord& record);

 private:
  // The promise of a model with as many weights as the one that the entry is about; null if there is none.
  [[nodiscard]] const Promise* find(const LedgerRecord& record);

  const Contents& contents_;
  std::vector<Promise> candidates_;     // without earlier counts; of the present model, then of larger ones
  std::optional<LedgerRecord> before_;  // the last one that was given
  Promise promised_;                    // by it
};

// Does the last entry say of the kept model what its certificate says, rounded up and no further?  Errors:
// kMalformedInput.
[[nodiscard]] Status check_last_entry(const Contents& contents);

}  // namespace unscatter
