#include "service/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>

namespace unscatter::service {
namespace {

using Out = std::back_insert_iterator<std::string>;

void head(Out out, std::string_view name, std::string_view kind, std::string_view help) {
  fmt::format_to(out, "# HELP unscatter_{0} {2}\n# TYPE unscatter_{0} {1}\n", name, kind, help);
}

template <typename Number>
void single(Out out, std::string_view name, std::string_view kind, std::string_view help, Number value) {
  head(out, name, kind, help);
  fmt::format_to(out, "unscatter_{} {}\n", name, value);
}

}  // namespace

void Metrics::count_request(const std::string& method, const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{method, route, status}];
  Durations& durations = durations_[route];
  const auto place = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++durations.counts[static_cast<std::size_t>(place)];
  durations.sum += seconds;
}

std::string Metrics::text() const {
  std::string text;
  const Out out(text);
  single(out, "connections", "gauge", "Open connections.", connections.load());
  single(out, "connections_total", "counter", "Connections that were accepted.", connections_total.load());
  single(out, "connections_refused_total", "counter", "Connections beyond a limit.", connections_refused.load());
  single(out, "event_streams", "gauge", "Open streams of events.", event_streams.load());
  single(out, "failed_authentications_total", "counter", "Tokens and cookies that were wrong.",
         failed_authentications.load());
  single(out, "rate_limited_total", "counter", "Requests beyond a rate.", rate_limited.load());
  single(out, "predicted_graphs_total", "counter", "Graphs that were classified.", predicted_graphs.load());
  single(out, "updates_total", "counter", "Certified updates.", updates.load());
  single(out, "updated_requests_total", "counter", "Erasure requests that updates have done.", updated_requests.load());
  single(out, "update_seconds_total", "counter", "Time in certified updates.",
         static_cast<double>(update_microseconds.load()) / 1e6);
  single(out, "write_failures_total", "counter", "Updates and writes that failed.", write_failures.load());
  single(out, "webhook_deliveries_total", "counter", "Deliveries that were accepted.", deliveries.load());
  single(out, "webhook_failures_total", "counter", "Attempts to deliver that failed.", failed_deliveries.load());

  const std::lock_guard lock(mutex_);
  head(out, "http_requests_total", "counter", "Answers, by route and status.");
  for (const auto& [labels, count] : requests_) {
    fmt::format_to(out, "unscatter_http_requests_total{{method=\"{}\",route=\"{}\",status=\"{}\"}} {}\n",
                   std::get<0>(labels), std::get<1>(labels), std::get<2>(labels), count);
  }
  head(out, "http_request_seconds", "histogram", "From the last byte of a request to its answer.");
  for (const auto& [route, durations] : durations_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      below += durations.counts[i];
      fmt::format_to(out, "unscatter_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route, kBounds[i], below);
    }
    const auto all = std::accumulate(durations.counts.begin(), durations.counts.end(), std::uint64_t{0});
    fmt::format_to(out,
                   "unscatter_http_request_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
                   "unscatter_http_request_seconds_sum{{route=\"{0}\"}} {2}\n"
                   "unscatter_http_request_seconds_count{{route=\"{0}\"}} {1}\n",
                   route, all, durations.sum);
  }
  return text;
}

}  // namespace unscatter::service
