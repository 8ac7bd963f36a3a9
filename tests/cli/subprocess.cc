#include "subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace unscatter::testing {
namespace {

// Between fork and exec: only what is needed to become the program.
[[noreturn]] void become_program(const std::string& program, const std::vector<std::string>& arguments,
                                 const Environment& environment) {
  for (const char* name : {"UNSCATTER_DATA", "UNSCATTER_CACHE", "UNSCATTER_MIRROR", "UNSCATTER_CATALOGUE",
                           "UNSCATTER_KEY", "UNSCATTER_CONFIG"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  _exit(127);
}

// False at the end of the stream.  A pseudo-terminal whose other side is closed answers EIO.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t size = read(descriptor, buffer.data(), buffer.size());
  if (size < 0 && errno == EINTR) return true;
  if (size <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& arguments, const Environment& environment,
                               const std::string& program) {
  const Pipe out;
  const Pipe err;
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("no process");
  if (child_ == 0) {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out.write_end, STDOUT_FILENO);
    dup2(err.write_end, STDERR_FILENO);
    become_program(program, arguments, environment);
  }
  close(out.write_end);
  close(err.write_end);
  out_ = out.read_end;
  err_ = err.read_end;
}

RunningProgram::~RunningProgram() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  static_cast<void>(wait());
}

void RunningProgram::signal(int number) const { kill(child_, number); }

Outcome RunningProgram::wait() {
  Outcome outcome;
  std::array<pollfd, 2> streams = {pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    poll(streams.data(), streams.size(), -1);
    for (std::size_t s = 0; s < streams.size(); ++s) {
      if (streams[s].fd < 0 || streams[s].revents == 0) continue;
      if (read_some(streams[s].fd, s == 0 ? outcome.out : outcome.err)) continue;
      close(streams[s].fd);
      streams[s].fd = -1;  // poll() leaves it out
    }
  }
  outcome.exit_code = wait_for(child_);
  child_ = -1;
  return outcome;
}

Outcome run_program(const std::vector<std::string>& arguments, const Environment& environment) {
  return RunningProgram(arguments, environment).wait();
}

Outcome run_program_at(const std::string& program, const std::vector<std::string>& arguments,
                       const Environment& environment) {
  return RunningProgram(arguments, environment, program).wait();
}

Outcome run_program_on_terminal(const std::vector<std::string>& arguments, const Environment& environment) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 80;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("no pseudo-terminal");
  if (child == 0) become_program(UNSCATTER_PROGRAM, arguments, environment);
  Outcome outcome;
  while (read_some(terminal, outcome.out)) {
  }
  close(terminal);
  outcome.exit_code = wait_for(child);
  return outcome;
}

}  // namespace unscatter::testing
