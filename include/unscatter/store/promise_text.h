// A promise as JSON, the same in every document that shows one.
#pragma once

#include <string>

#include "unscatter/unlearn/promise.h"

namespace unscatter {

// Every document shows mechanism, epsilon, delta, noise_stddev and shift_limit.  What else it shows is part of its
// format.
struct PromiseParts {
  bool rule = false;
  bool delta_for_shift = false;
  bool releases = false;
  bool assumptions = false;
  bool constants = false;
  // protection, per_subject and sensitivity; where there are earlier counts, these and `together`; where the function
  // that made rows has a guarantee of its own, `embedding` and `with_embedding`
  bool level = false;
};
// Documents of version 1, which unscatter 0.1 wrote.  These lists never change.
inline constexpr PromiseParts kCertificatePromise1{.rule = true, .delta_for_shift = true, .assumptions = true};
inline constexpr PromiseParts kEntryPromise1{.rule = true, .delta_for_shift = true};
inline constexpr PromiseParts kReceiptPromise1{.rule = true, .assumptions = true};
inline constexpr PromiseParts kPublishedPromise1{.releases = true, .assumptions = true};
// Documents of version 2.  Fields that a promise got since 0.1 are shown in these only.
inline constexpr PromiseParts kCertificatePromise{
    .rule = true, .delta_for_shift = true, .assumptions = true, .constants = true, .level = true};
inline constexpr PromiseParts kEntryPromise{.rule = true, .delta_for_shift = true, .constants = true, .level = true};
inline constexpr PromiseParts kReceiptPromise{.rule = true, .assumptions = true, .constants = true, .level = true};
inline constexpr PromiseParts kPublishedPromise{
    .releases = true, .assumptions = true, .constants = true, .level = true};

// The promise as a reader of the document gets it.  Parts that are not shown have their default values.
[[nodiscard]] Promise shown(const Promise& promise, const PromiseParts& parts);
// {"delta":0.0001,"epsilon":1.0,"mechanism":"release",...}: keys sorted, no spaces.
[[nodiscard]] std::string promise_text(const Promise& promise, const PromiseParts& parts);

}  // namespace unscatter
