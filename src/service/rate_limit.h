// Token buckets: how often somebody may do something.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace unscatter::service {

struct Rate {
  double per_second = 0;  // 0: no limit
  double burst = 1;       // at least 1
};

// One bucket per name.  Any thread.
//
// Memory is bounded: beyond `most` names, those whose buckets are full again are dropped, since they are like new ones.
// If that is not enough, all unknown names share one bucket, and the known ones keep theirs.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RateLimit(Rate rate, std::size_t most = 10000) : rate_(rate), most_(most) {}

  // Takes one.  If there is none: the seconds after which there will be one, at least 1.
  [[nodiscard]] std::optional<int> take(const std::string& name, Clock::time_point now);
  // Looks, and takes nothing.
  [[nodiscard]] std::optional<int> look(const std::string& name, Clock::time_point now);
  [[nodiscard]] std::size_t names() const;

 private:
  struct Bucket {
    double left;
    Clock::time_point filled;
  };
  Bucket& bucket(const std::string& name, Clock::time_point now);
  void refill(Bucket& bucket, Clock::time_point now) const;
  void drop_full(Clock::time_point now);
  [[nodiscard]] std::optional<int> wait_of(const Bucket& bucket) const;

  const Rate rate_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace unscatter::service
