// From counts to lower bounds.
#pragma once

#include <cstddef>

namespace unscatter {

// How many of `draws` were above a threshold that was fixed before.
struct Tally {
  std::size_t above = 0;
  std::size_t draws = 0;
};

// The bounds of [Clopper34] on the probability p behind a tally.  Each is on the wrong side of p with probability at
// most `error`, whatever p is.  draws >= 1, error in (0, 1).
[[nodiscard]] double proportion_lower_bound(const Tally& tally, double error);
[[nodiscard]] double proportion_upper_bound(const Tally& tally, double error);

// What two tallies show about two worlds.
struct MeasuredBounds {
  double shift = 0;    // mu is at least this, if the worlds are at most a Gaussian shift apart
  double epsilon = 0;  // epsilon is at least this at the given delta, whatever the worlds are
};

// Both bounds hold together with probability at least 1 - error.  Neither world is taken to be the one that is above.
[[nodiscard]] MeasuredBounds lower_bounds(const Tally& reference, const Tally& test, double delta, double error);

// The smallest mu for which tallies as they are expected give a bound above `promised`; infinite if none does.
[[nodiscard]] double visible_shift(std::size_t draws, double error, double promised);

}  // namespace unscatter
