#include "service/events.h"

#include <utility>

namespace unscatter::service {

std::string event_text(std::string_view name, std::string_view json) {
  std::string text = "event: ";
  text.append(name).append("\ndata: ").append(json).append("\n\n");
  return text;
}

std::uint64_t EventHub::listen(Listener listener) {
  const std::lock_guard lock(mutex_);
  listeners_.emplace(next_, std::move(listener));
  return next_++;
}

void EventHub::leave(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(number);
}

void EventHub::publish(std::string_view name, std::string_view json) {
  const std::lock_guard lock(mutex_);
  if (listeners_.empty()) return;
  const auto text = std::make_shared<const std::string>(event_text(name, json));
  for (const auto& [number, listener] : listeners_) listener(text);
}

std::size_t EventHub::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

}  // namespace unscatter::service
