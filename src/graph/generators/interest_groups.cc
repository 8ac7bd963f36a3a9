// Only integers, + - * / on doubles, and Sequence decide anything here.  The same options must give the same data set
// on every machine, and the results of libm or of the standard distributions differ between machines.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/generators/population.h"
#include "unscatter/base/random.h"
#include "unscatter/graph/generate.h"

namespace unscatter {
namespace {

// Far more than anybody needs for a trial, and few enough that a typing error does not fill the memory.
constexpr std::size_t kMostGroups = 10'000'000;
constexpr std::size_t kMostUsers = 10'000'000;
constexpr std::size_t kMostMembers = 10'000;

// The share of links that are made in the way of clubs.  It is uniform on [kLeastClubby, 1] in a club and on [0, 1 -
// kLeastClubby] in a channel.  With 0.58 and the default noise, a logistic regression on degree moments and clustering
// coefficient is right for 9 groups in 10.
constexpr double kLeastClubby = 0.58;

Error out_of_range(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Status check(const InterestGroupOptions& options) {
  if (options.groups < 1 || options.groups > kMostGroups) {
    return out_of_range(fmt::format("{} groups: the number of groups is 1 to {}", options.groups, kMostGroups));
  }
  if (options.min_size < 3) {
    return out_of_range(fmt::format("a smallest group of {}: a group has at least 3 members", options.min_size));
  }
  if (options.max_size < options.min_size || options.max_size > kMostMembers) {
    return out_of_range(fmt::format("a largest group of {}: it has to be between the smallest group, {}, and {}",
                                    options.max_size, options.min_size, kMostMembers));
  }
  if (options.users < options.max_size || options.users > kMostUsers) {
    return out_of_range(fmt::format("{} users: the number of users is between the largest group, {}, and {}",
                                    options.users, options.max_size, kMostUsers));
  }
  if (!(options.noise >= 0 && options.noise <= 1)) {
    return out_of_range(fmt::format("a noise of {} is outside [0, 1]", options.noise));
  }
  return ok_status();
}

// One group.  It grows member by member from a few founders, who do not know one another at first.  Every newcomer
// makes the same number of links, whatever the kind of the group is.  So the number of edges tells nothing about the
// kind.
class Group {
 public:
  Group(std::size_t members, double clubby, Sequence& random) : neighbours_(members), clubby_(clubby), random_(random) {
    const std::uint64_t most_links = 2 + random_.below(3);
    founders_ = std::min<std::uint64_t>(most_links + 1 + random_.below(2), members / 2);
    const std::uint64_t links = std::min(most_links, founders_);
    for (auto newcomer = static_cast<NodeIndex>(founders_); newcomer < members; ++newcomer) {
      for (std::uint64_t k = 0; k < links; ++k) link(newcomer);
    }
  }

  // Replaces each edge, with probability `noise`, by one between two uniformly random members.  An edge whose
  // replacement exists already stays.
  void rewire(double noise) {
    for (Edge& edge : edges_) {
      if (!random_.chance(noise)) continue;
      const NodeIndex from = anyone(members());
      const NodeIndex to = anyone(members());
      if (from == to || linked(from, to)) continue;
      std::erase(neighbours_[edge.from], edge.to);
      std::erase(neighbours_[edge.to], edge.from);
      join(from, to);
      edge = {from, to};
    }
  }

  [[nodiscard]] std::vector<Edge> take_edges() && { return std::move(edges_); }

 private:
  [[nodiscard]] NodeIndex members() const { return static_cast<NodeIndex>(neighbours_.size()); }
  [[nodiscard]] NodeIndex anyone(std::uint64_t count) const { return static_cast<NodeIndex>(random_.below(count)); }

  // Links a newcomer to somebody whom they do not know yet, drawn by kind.  After many misses it may be anyone.  There
  // is always someone left, since links <= founders.
  void link(NodeIndex newcomer) {
    constexpr int kTries = 8;
    NodeIndex other = newcomer;
    for (int i = 0; other == newcomer || linked(newcomer, other); ++i) {
      other = i >= kTries ? anyone(newcomer) : random_.chance(clubby_) ? as_in_a_club(newcomer) : as_in_a_channel();
    }
    join(newcomer, other);
    edges_.push_back({newcomer, other});
  }

  // A friend of a friend, or anyone who is there if the newcomer has no friends yet.  Of two candidates the one with
  // fewer links is taken, so that no hubs arise.
  [[nodiscard]] NodeIndex as_in_a_club(NodeIndex newcomer) const {
    const NodeIndex one = close_to(newcomer);
    const NodeIndex other = close_to(newcomer);
    return neighbours_[one].size() < neighbours_[other].size() ? one : other;
  }

  [[nodiscard]] NodeIndex close_to(NodeIndex newcomer) const {
    const std::vector<NodeIndex>& friends = neighbours_[newcomer];
    if (friends.empty()) return anyone(newcomer);
    const std::vector<NodeIndex>& theirs = neighbours_[friends[random_.below(friends.size())]];
    return theirs[random_.below(theirs.size())];
  }

  // One of the hosts.  The founders are the hosts.
  [[nodiscard]] NodeIndex as_in_a_channel() const { return anyone(founders_); }

  [[nodiscard]] bool linked(NodeIndex a, NodeIndex b) const {
    // The shorter list is searched: a host may have thousands of links.
    const auto& shorter = neighbours_[a].size() < neighbours_[b].size() ? neighbours_[a] : neighbours_[b];
    const NodeIndex wanted = &shorter == &neighbours_[a] ? b : a;
    return std::find(shorter.begin(), shorter.end(), wanted) != shorter.end();
  }

  void join(NodeIndex a, NodeIndex b) {
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  std::vector<std::vector<NodeIndex>> neighbours_;
  std::vector<Edge> edges_;
  double clubby_;
  std::uint64_t founders_ = 0;
  Sequence& random_;
};

Result<Graph> make_group(const InterestGroupOptions& options, bool club, Population& population, Sequence& random) {
  GraphParts parts;
  parts.node_count = options.min_size + random.below(options.max_size - options.min_size + 1);
  for (const std::size_t user : population.draw(parts.node_count, random)) {
    parts.node_ids.push_back(fmt::format("user-{:05}", user));
  }
  // Drawn for both kinds, so that the sequence of random numbers does not depend on the kind.
  const double share = (1 - kLeastClubby) * random.unit();
  Group group(parts.node_count, club ? kLeastClubby + share : share, random);
  group.rewire(options.noise);
  parts.edges = std::move(group).take_edges();
  return Graph::create(std::move(parts));
}

}  // namespace

Result<Dataset> generate_interest_groups(const InterestGroupOptions& options) {
  UNSCATTER_CHECK_OK(check(options));
  Sequence random(options.seed);
  std::vector<std::string> kinds(options.groups, "channel");
  // Exactly half of each kind, then shuffled.  Drawn kinds would make the shares of the classes vary.
  std::fill_n(kinds.begin(), options.groups / 2, "club");
  random.shuffle(std::span(kinds));
  Population population(options.users, random);

  Dataset dataset;
  dataset.name = "interest-groups";
  dataset.graphs.reserve(options.groups);
  for (std::size_t g = 0; g < options.groups; ++g) {
    UNSCATTER_TRY(graph, make_group(options, kinds[g] == "club", population, random));
    dataset.graphs.push_back(std::move(graph));
    dataset.graph_ids.push_back(fmt::format("group-{:04}", g + 1));
  }
  ClassIndex classes = index_classes(kinds);
  dataset.class_names = std::move(classes.class_names);
  dataset.labels = std::move(classes.labels);
  return dataset;
}

}  // namespace unscatter
