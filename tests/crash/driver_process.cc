#include "crash/driver_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace unscatter::testing {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

}  // namespace

DriverProcess::DriverProcess(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {UNSCATTER_FORGET_DRIVER};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const auto in = make_pipe();
  const auto out = make_pipe();
  child_ = fork();
  if (child_ < 0) throw std::runtime_error("no process");
  if (child_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execv(UNSCATTER_FORGET_DRIVER, pointers.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

DriverProcess::~DriverProcess() {
  kill();
  close_input();
  close(out_);
}

std::optional<std::string> DriverProcess::line() {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 256> buffer{};
    const ssize_t size = read(out_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    unread_.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

void DriverProcess::close_input() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

void DriverProcess::kill() {
  if (child_ > 0) ::kill(child_, SIGKILL);
  wait();
}

int DriverProcess::wait() {
  if (child_ <= 0) return -1;
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace unscatter::testing
