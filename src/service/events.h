// Who listens to changes: server-sent events for the page.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace unscatter::service {

// The text of one event: "event: NAME\ndata: JSON\n\n".  JSON has no line ends.
[[nodiscard]] std::string event_text(std::string_view name, std::string_view json);

// Any thread.
class EventHub {
 public:
  using Listener = std::function<void(std::shared_ptr<const std::string> text)>;
  // The number ends it again.  A listener is called by whoever publishes, so it has to return at once.
  [[nodiscard]] std::uint64_t listen(Listener listener);
  void leave(std::uint64_t number);
  void publish(std::string_view name, std::string_view json);
  [[nodiscard]] std::size_t listeners() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Listener> listeners_;
};

}  // namespace unscatter::service
