// Ctrl-C as a request to stop, not as the end of the program.
#pragma once

#include <csignal>

namespace unscatter::cli {

// While such an object lives, the first SIGINT or SIGTERM only sets a flag.  A second one of the same kind ends the
// program.  There may be one object at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] static bool requested();

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace unscatter::cli
