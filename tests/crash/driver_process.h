// The program forget_driver, started, listened to and killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace unscatter::testing {

class DriverProcess {
 public:
  // Throws std::runtime_error where no process can be started.
  explicit DriverProcess(const std::vector<std::string>& arguments);
  // Kills it if it still runs.
  ~DriverProcess();
  DriverProcess(const DriverProcess&) = delete;
  DriverProcess& operator=(const DriverProcess&) = delete;

  // The next line it printed; nothing at the end of its output.
  std::optional<std::string> line();
  void close_input();
  void kill();  // SIGKILL, and waits until it is gone
  // Waits for its end.  The exit code; -1: ended by a signal.
  int wait();

 private:
  pid_t child_ = -1;
  int in_ = -1;   // its standard input
  int out_ = -1;  // its standard output
  std::string unread_;
};

}  // namespace unscatter::testing
