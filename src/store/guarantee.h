// Whether a kept model meets the guarantee of its constants.  What the file claims about it is compared and never
// believed.
#pragma once

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

// Does an entry show the promise of the constants, bit for bit?  Errors: kMalformedInput.
[[nodiscard]] Status check_promise(const LedgerRecord& record, const Guaranteed& guaranteed);

// Does the last entry say of the kept model what its certificate says, rounded up and no further?  Errors:
// kMalformedInput.
[[nodiscard]] Status check_last_entry(const Contents& contents);

}  // namespace unscatter
