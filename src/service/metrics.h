// Counts for Prometheus.  Labels are route templates, methods and statuses: nothing of the user's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace unscatter::service {

class Metrics {
 public:
  void count_request(const std::string& method, const std::string& route, int status, double seconds);

  // Of the server.
  std::atomic<std::int64_t> connections{0};
  std::atomic<std::uint64_t> connections_total{0};
  std::atomic<std::uint64_t> connections_refused{0};
  std::atomic<std::int64_t> event_streams{0};
  // Of those who ask.
  std::atomic<std::uint64_t> failed_authentications{0};
  std::atomic<std::uint64_t> rate_limited{0};
  std::atomic<std::uint64_t> predicted_graphs{0};
  // Of the writer.
  std::atomic<std::uint64_t> updates{0};
  std::atomic<std::uint64_t> updated_requests{0};
  std::atomic<std::uint64_t> update_microseconds{0};
  std::atomic<std::uint64_t> write_failures{0};
  // Of webhooks.
  std::atomic<std::uint64_t> deliveries{0};
  std::atomic<std::uint64_t> failed_deliveries{0};

  // Lines of the Prometheus text format.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::array kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Durations> durations_;  // by route
};

}  // namespace unscatter::service
