// Ctrl-C as a wish rather than an end.
#pragma once

#include <csignal>

namespace unscatter::cli {

// While one lives, the first SIGINT or SIGTERM only sets a flag; a second one of the same kind ends the program.  One
// at a time.
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
