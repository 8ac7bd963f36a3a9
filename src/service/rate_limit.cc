#include "service/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace unscatter::service {

void RateLimit::refill(Bucket& bucket, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  // A clock that stands still or goes back gives nothing and takes nothing.
  if (seconds <= 0) return;
  bucket.left = std::min(rate_.burst, bucket.left + seconds * rate_.per_second);
  bucket.filled = now;
}

void RateLimit::drop_full(Clock::time_point now) {
  for (auto at = buckets_.begin(); at != buckets_.end();) {
    refill(at->second, now);
    at = at->second.left >= rate_.burst ? buckets_.erase(at) : std::next(at);
  }
}

RateLimit::Bucket& RateLimit::bucket(const std::string& name, Clock::time_point now) {
  const auto found = buckets_.find(name);
  if (found != buckets_.end()) return found->second;
  if (buckets_.size() >= most_) drop_full(now);
  // The empty name is nobody's own.
  const std::string& key = buckets_.size() >= most_ ? std::string() : name;
  return buckets_.try_emplace(key, Bucket{rate_.burst, now}).first->second;
}

std::optional<int> RateLimit::wait_of(const Bucket& bucket) const {
  if (bucket.left >= 1) return std::nullopt;
  const double seconds = std::ceil((1 - bucket.left) / rate_.per_second);
  return static_cast<int>(std::clamp(seconds, 1.0, 3600.0));
}

std::optional<int> RateLimit::take(const std::string& name, Clock::time_point now) {
  if (rate_.per_second <= 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  Bucket& one = bucket(name, now);
  refill(one, now);
  if (const auto wait = wait_of(one)) return wait;
  one.left -= 1;
  return std::nullopt;
}

std::optional<int> RateLimit::look(const std::string& name, Clock::time_point now) {
  if (rate_.per_second <= 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) return std::nullopt;
  refill(found->second, now);
  return wait_of(found->second);
}

std::size_t RateLimit::names() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace unscatter::service
