// What connections ask of the service.
//
// They may be in a library of their own (service/network.h), which knows no function of the program.  So they call
// through this class.
#pragma once

#include <cstdint>
#include <string>

#include "service/events.h"
#include "service/http_message.h"
#include "service/metrics.h"
#include "service/outcome.h"

namespace unscatter::service {

// Any thread may call all of it.
class Answering {
 public:
  Answering() = default;
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  virtual ~Answering() = default;

  // `answer` is called once, perhaps later and from another thread.
  virtual void handle(HttpRequest request, Answer answer) = 0;
  // The answer to text that is no request; counted and logged as others are.
  [[nodiscard]] virtual HttpResponse refuse(const HttpRequest& request, const Refusal& refusal) = 0;
  // The number ends it again.  A listener is called by whoever publishes, so it has to return at once.
  [[nodiscard]] virtual std::uint64_t listen(EventHub::Listener listener) = 0;
  virtual void leave(std::uint64_t number) = 0;
  // Is the token with this id still valid?
  [[nodiscard]] virtual bool knows_token(const std::string& id) const = 0;
  [[nodiscard]] virtual Metrics& metrics() = 0;
};

}  // namespace unscatter::service
