// Synthetic data for trials, without a download.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unscatter/base/result.h"
#include "unscatter/graph/dataset.h"

namespace unscatter {

// Social "interest groups".  Users meet in groups, and the links inside a group tell what kind of group it is.
//
//   class "club"     friends of friends become friends: triangles, even degrees
//   class "channel"  a few hosts, followers who hardly know one another: hubs, few triangles
//
// Both kinds have the same distribution of sizes and of edges per member.  Every group has some links of the other
// kind, so the classes overlap: at the default noise, structure tells about nine groups in ten apart.  Half of the
// groups are clubs (one more channel if the number is odd), in random order.
//
// Users come from one population.  The k-th most active one is drawn with weight 1 / (k + users/100 + 1), a Zipf law
// with a flattened head.  A few users are in many groups, and most are in a handful.  A user has the same external node
// id ("user-00042") in all groups.  Graph ids are "group-0001", "group-0002" and so on.
struct InterestGroupOptions {
  std::size_t groups = 1000;  // in 1 .. 10^7
  std::size_t users = 5000;   // in max_size .. 10^7
  std::size_t min_size = 8;   // members of a group, uniform on min_size .. max_size; >= 3
  std::size_t max_size = 40;  // in min_size .. 10^4
  double noise = 0.15;  // in [0, 1]: share of edges replaced by uniformly random ones; at 1 nothing is left to learn
  std::uint64_t seed = 1;
};

// The same options give the same data set on every machine.  Errors: kInvalidArgument outside the ranges above.
[[nodiscard]] Result<Dataset> generate_interest_groups(const InterestGroupOptions& options);

}  // namespace unscatter
