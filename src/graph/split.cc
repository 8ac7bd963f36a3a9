#include "unscatter/graph/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "unscatter/base/random.h"

namespace unscatter {

Result<Split> random_split(std::size_t count, const SplitShares& shares, std::uint64_t seed) {
  for (const double share : {shares.train, shares.validation, shares.test}) {
    if (!(share >= 0 && share <= 1))
      return Error{ErrorCode::kInvalidArgument, fmt::format("a split share of {} is outside [0, 1]", share)};
  }
  const double sum = shares.train + shares.validation + shares.test;
  // A sum of decimals that should be 1 may lie a rounding above it.
  if (sum > 1 + 1e-9)
    return Error{ErrorCode::kInvalidArgument, fmt::format("the split shares add up to {}, more than 1", sum)};

  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Our own sequence: std::shuffle differs between standard libraries, and splits must be the same everywhere.
  Sequence(seed).shuffle(std::span(order));

  auto from = order.cbegin();
  const auto take = [&](double share) {
    // Rounding may ask for one graph more than there is, so the last part takes what is left.
    const auto wanted = std::llround(share * static_cast<double>(count));
    const auto to = from + std::min<std::ptrdiff_t>(wanted, order.cend() - from);
    std::vector<std::size_t> part(from, to);
    from = to;
    return part;
  };
  Split split;
  split.train = take(shares.train);
  split.validation = take(shares.validation);
  split.test = take(shares.test);
  return split;
}

}  // namespace unscatter
