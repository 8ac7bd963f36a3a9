#include "learn/descent.h"

#include <algorithm>
#include <numeric>

#include "linalg/kernels.h"

namespace unscatter {
namespace {

// Smallest first; equal ones by number, so that the choice is always the same.  NaN counts as the largest.
std::vector<std::size_t> by_norm(const Vector& norms) {
  const auto norm = [&norms](std::size_t k) { return norms(static_cast<Eigen::Index>(k)); };
  std::vector<std::size_t> order(static_cast<std::size_t>(norms.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool less = norm(a) < norm(b) || (std::isnan(norm(b)) && !std::isnan(norm(a)));
    const bool greater = norm(b) < norm(a) || (std::isnan(norm(a)) && !std::isnan(norm(b)));
    return less || (!greater && a < b);
  });
  return order;
}

}  // namespace

std::vector<std::size_t> DescentGoal::open_classes(const Vector& norms) const {
  const std::vector<std::size_t> order = by_norm(norms);
  double square = 0;
  auto first = order.begin();
  for (; first != order.end(); ++first) {
    const double norm = norms(static_cast<Eigen::Index>(*first));
    square += norm * norm;
    if (!(norm <= each) && !(square <= kLeftAlone * kLeftAlone * joint * joint)) break;
  }
  std::vector<std::size_t> open(first, order.end());
  std::sort(open.begin(), open.end());
  return open;
}

std::vector<std::size_t> largest_classes(const Vector& norms, double joint) {
  const std::vector<std::size_t> order = by_norm(norms);
  double square = 0;
  std::size_t left = 0;
  for (; left < order.size(); ++left) {
    const double norm = norms(static_cast<Eigen::Index>(order[left]));
    square += norm * norm;
    if (!(square <= joint * joint)) break;
  }
  if (left == order.size()) return {};
  const std::size_t count = std::min(kernel::padded_columns(order.size() - left), order.size());
  std::vector<std::size_t> largest(order.end() - static_cast<std::ptrdiff_t>(count), order.end());
  std::sort(largest.begin(), largest.end());
  return largest;
}

}  // namespace unscatter
