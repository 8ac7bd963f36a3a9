// Synthetic data to try things on, without a download.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// Social "interest groups": users meet in groups, and how they are connected inside tells what kind of group it is.  Class
// "club": friends of friends become friends (dense, clustered).  Class "channel": a few hosts, followers who hardly know one
// another (hubs).  Users come from one population with uneven activity, so many appear in several groups under the same
// external node id.
struct InterestGroupOptions {
  std::size_t groups = 1000;  // >= 1
  std::size_t users = 5000;   // >= max_size
  std::size_t min_size = 8;   // >= 3
  std::size_t max_size = 40;  // >= min_size
  double noise = 0.15;        // in [0, 1]: share of edges rewired at random, which makes the classes overlap
  std::uint64_t seed = 1;
};

// The same options give the same data set on every machine.  Errors: kInvalidArgument outside the ranges above.
[[nodiscard]] Result<Dataset> generate_interest_groups(const InterestGroupOptions& options);

}  // namespace unscatter
