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

enum class FraudEdges { kDirected, kUndirected, kMixed };  // mixed: every second graph or so is undirected

// Cases of a bank: some accounts, and who paid whom.  Nodes are accounts, edges are payments.
//
//   class "normal"  everyday payments: shops, friends, savings clubs, charities
//   class "ring"    also large sums that go around in a circle
//   class "mule"    also sums from many, often older people that one account collects and passes on
//
// Honest cases have small circles and collections too, and some frauds leave no trace.  So the classes overlap.
// Accounts come from one population and have the same external id ("account-00042") in all graphs.  Graph ids are
// "case-00001" and so on.  Each account has four attributes: what it paid and received in this case (up to some 10^6),
// the age of its holder, a flag (foreign or not), and when it was opened, in seconds since 1970.
struct FraudOptions {
  std::size_t graphs = 2000;    // in 1 .. 10^7
  std::size_t accounts = 6000;  // in max_size .. 10^7
  std::size_t min_size = 10;    // accounts of a graph, uniform on min_size .. max_size; >= 8
  std::size_t max_size = 50;    // in min_size .. 10^4
  double fraud_share = 0.5;     // in [0, 1]: half of them rings, half of them mules
  double hidden = 0.05;         // in [0, 1]: share of frauds that leave no trace
  FraudEdges edges = FraudEdges::kDirected;
  bool weights = false;           // true: every edge has the sum that was paid
  bool attributes = true;         // false: payments only
  double without_attributes = 0;  // in [0, 1]: share of graphs whose attributes are missing
  double scale = 1;               // every attribute and weight is multiplied by it; may be negative or tiny
  std::size_t branches = 1;  // in 1 .. 10^4: above 1, accounts have node labels, and there are 3 x branches classes
  std::uint64_t seed = 1;
};

// The same options give the same data set on every machine.  Errors: kInvalidArgument outside the ranges above.
[[nodiscard]] Result<Dataset> generate_fraud(const FraudOptions& options);

}  // namespace unscatter
