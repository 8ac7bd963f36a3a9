#include "learn/curvature_cost.h"

#include <algorithm>
#include <utility>

namespace unscatter {
namespace {

// The longest pause.  Without it the doubling would have no end, and a problem that has become easier would never get
// an anchor again.
constexpr double kLongestAnchorPause = 1024;

// Updates that new inverses serve before they are renewed, where many are to come.
constexpr double kManyUpdates = 100;

}  // namespace

std::size_t CurvatureCost::steps_worth_a_build() const {
  return static_cast<std::size_t>(std::clamp(build / step, 5.0, 100.0));
}

void PassAccount::count(std::size_t passes) noexcept {
  // Half the old expectation: one odd descent does not decide about the next.
  expected_ = (expected_ + static_cast<double>(passes)) / 2;
}

double updates_served(std::size_t left, std::size_t edits, std::size_t rows) {
  // Inverses do not follow an update of so many rows, and the next one will be as large.
  if (!few_enough_to_fold(edits, rows)) return 1;
  return left == 0 ? kManyUpdates : std::min(static_cast<double>(left), kManyUpdates);
}

bool RenewalAccount::count(std::size_t steps, const CurvatureCost& cost) {
  // 0: there was no descent since the last build.  The first one sets the measure for those that follow.
  if (fewest_steps_ == 0) fewest_steps_ = steps;
  fewest_steps_ = std::min(fewest_steps_, steps);
  wasted_ += static_cast<double>(steps - fewest_steps_) * cost.step;
  return wasted_ >= cost.build;
}

void AnchorSchedule::anchored() noexcept {
  waited_ = 0;
  looks_ = 0;
  fresh_ = true;
}

void AnchorSchedule::stepped(bool served, double usage) {
  // Only the first step after an anchor tells whether the anchor was worth its cost.  A later failure means that it has
  // served and has grown old; the next anchor may then come at once.
  const bool was_fresh = std::exchange(fresh_, false);
  if (served) {
    pause_ = 0;
  } else if (was_fresh) {
    const double longer = std::max(2 * static_cast<double>(pause_) + 1, usage);
    pause_ = static_cast<std::size_t>(std::min(longer, kLongestAnchorPause));
  }
}

}  // namespace unscatter
