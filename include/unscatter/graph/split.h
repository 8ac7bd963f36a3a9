// Random splits, the same on every machine for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unscatter/base/result.h"

namespace unscatter {

// Shares of the data.  Each is in [0, 1], and their sum is at most 1.  The default is the paper's setting with limited
// data.
struct SplitShares {
  double train = 0.1;
  double validation = 0.1;
  double test = 0.8;
};

struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

// A uniformly random permutation of {0, ..., count - 1}, cut into three parts.  The first has round(train * count)
// entries, the second round(validation * count), and the third round(test * count) or what is left if that is less.
// Errors: kInvalidArgument for shares outside their ranges.
[[nodiscard]] Result<Split> random_split(std::size_t count, const SplitShares& shares, std::uint64_t seed);

}  // namespace unscatter
