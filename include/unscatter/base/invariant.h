// Broken invariants: our own bugs, never mistakes of the user.  Caught only in main(), request handlers and bindings.
#pragma once

#include <stdexcept>
#include <string>

namespace unscatter {

class InvariantViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws InvariantViolation with `what` unless `condition` holds.  For conditions that only a bug can break.
inline void invariant(bool condition, const char* what) {
  if (!condition) throw InvariantViolation(what);
}

}  // namespace unscatter
