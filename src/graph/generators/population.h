// Who is in which graph.  Active people are in many graphs, most people in a handful.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unscatter/base/random.h"

namespace unscatter {

// The people who can be in a graph.  Ranks are drawn by weight; rank 0 is the most active user.  It is random which
// user has which rank.
class Population {
 public:
  Population(std::size_t users, Sequence& random) : user_of_rank_(users), drawn_for_(users, 0) {
    // Integer weights: a sum of doubles could round differently on another machine.
    constexpr std::uint64_t kUnit = std::uint64_t{1} << 32;
    std::uint64_t sum = 0;
    cumulative_.reserve(users);
    for (std::size_t rank = 0; rank < users; ++rank) {
      // users / 100 flattens the head of the Zipf law.  Without it the first users would be in nearly every graph.
      sum += kUnit / (rank + users / 100 + 1);
      cumulative_.push_back(sum);
      user_of_rank_[rank] = rank;
    }
    random.shuffle(std::span(user_of_rank_));
  }

  // `count` distinct users, in the order in which they were drawn.  Active users tend to come first.
  std::vector<std::size_t> draw(std::size_t count, Sequence& random) {
    ++draws_;
    std::vector<std::size_t> members;
    members.reserve(count);
    while (members.size() < count) {
      const std::size_t rank = free_rank(random);
      drawn_for_[rank] = draws_;
      members.push_back(user_of_rank_[rank]);
    }
    return members;
  }

 private:
  // A rank that was not drawn for this graph yet.  Ranks are drawn until one is free.  After many misses, in a graph
  // that takes nearly everyone, the next free rank is taken.
  std::size_t free_rank(Sequence& random) const {
    constexpr int kTries = 32;
    std::size_t rank = 0;
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t ticket = random.below(cumulative_.back());
      rank = static_cast<std::size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), ticket) -
                                      cumulative_.begin());
      if (drawn_for_[rank] != draws_) return rank;
    }
    while (drawn_for_[rank] == draws_) rank = (rank + 1) % drawn_for_.size();
    return rank;
  }

  std::vector<std::uint64_t> cumulative_;
  std::vector<std::size_t> user_of_rank_;
  std::vector<std::size_t> drawn_for_;  // by rank: the last draw that took it
  std::size_t draws_ = 0;
};

}  // namespace unscatter
