#include "interrupt.h"

namespace unscatter::cli {
namespace {

// The only type that a signal handler may write.
volatile std::sig_atomic_t interrupt_requested = 0;

extern "C" void remember_interrupt(int /*signal*/) { interrupt_requested = 1; }

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupt_requested = 0;
  struct sigaction action {};
  action.sa_handler = remember_interrupt;
  // SA_RESETHAND gives the second signal its usual effect, so a program that hangs can still be ended.  SA_RESTART
  // keeps reads and writes from failing halfway.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptWatch::~InterruptWatch() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool InterruptWatch::requested() { return interrupt_requested != 0; }

}  // namespace unscatter::cli
