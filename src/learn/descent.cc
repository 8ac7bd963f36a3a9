#include "learn/descent.h"

#include <algorithm>
#include <numeric>

namespace unscatter {

std::vector<std::size_t> DescentGoal::open_classes(const Vector& norms) const {
  const auto norm = [&norms](std::size_t k) { return norms(static_cast<Eigen::Index>(k)); };
  std::vector<std::size_t> order(static_cast<std::size_t>(norms.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Smallest first; equal ones by number, so that the choice is always the same.  NaN counts as the largest.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool less = norm(a) < norm(b) || (std::isnan(norm(b)) && !std::isnan(norm(a)));
    const bool greater = norm(b) < norm(a) || (std::isnan(norm(a)) && !std::isnan(norm(b)));
    return less || (!greater && a < b);
  });
  double square = 0;
  auto first = order.begin();
  for (; first != order.end(); ++first) {
    square += norm(*first) * norm(*first);
    if (!(norm(*first) <= each) && !(square <= kLeftAlone * kLeftAlone * joint * joint)) break;
  }
  std::vector<std::size_t> open(first, order.end());
  std::sort(open.begin(), open.end());
  return open;
}

}  // namespace unscatter
