#include "bench_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace unscatter::cli {
namespace {

// A pipe whose ends are closed on every way out.  Close-on-exec, so that the child sees only the ends that it was
// given.
class PipeEnds {
 public:
  PipeEnds() { made_ = pipe2(ends_.data(), O_CLOEXEC) == 0; }
  PipeEnds(const PipeEnds&) = delete;
  PipeEnds& operator=(const PipeEnds&) = delete;
  ~PipeEnds() {
    close_end(0);
    close_end(1);
  }
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t end) {
    if (ends_.at(end) >= 0) close(ends_.at(end));
    ends_.at(end) = -1;
  }
  std::array<int, 2> ends_{-1, -1};
  bool made_ = false;
};

// Calls `take` with each piece until the other side closes.
void drain(int descriptor, const std::function<void(std::string_view)>& take) {
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t size = read(descriptor, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    take({buffer.data(), static_cast<std::size_t>(size)});
  }
}

Error start_error(int code) {
  return {ErrorCode::kIo, fmt::format("cannot start the benchmark program: {}", std::generic_category().message(code))};
}

Result<pid_t> start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                    const PipeEnds& out, const PipeEnds& err) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writing(), STDERR_FILENO);
  pid_t child = -1;
  const int code = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return start_error(code);
  return child;
}

int wait_status(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string without_line_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Result<std::filesystem::path> bench_program() {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path program = self.parent_path() / "unscatter-bench";
  if (failed || !std::filesystem::exists(program, failed)) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the benchmark program is not at '{}'; in the sources, `make bench` builds it (target "
                             "unscatter_bench, CMake option UNSCATTER_BUILD_BENCH)",
                             program.string())};
  }
  return program;
}

Status run_bench_process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         const std::function<void(Json)>& take) {
  PipeEnds out;
  PipeEnds err;
  if (!out.made() || !err.made()) return start_error(errno);
  UNSCATTER_TRY(child, start(program, arguments, out, err));
  // The child has copies of these ends.  Reading would never end while our own ones are open.
  out.close_writing();
  err.close_writing();

  std::string line;
  bool malformed = false;
  drain(out.reading(), [&](std::string_view piece) {
    for (const char letter : piece) {
      if (letter != '\n') {
        line += letter;
        continue;
      }
      Json document = Json::parse(line, nullptr, false);
      if (document.is_discarded()) {
        malformed = true;
      } else {
        take(std::move(document));
      }
      line.clear();
    }
  });
  // The program says one sentence at most on stderr.  The pipe holds it until now, so reading one after the other is
  // safe.
  std::string said;
  drain(err.reading(), [&said](std::string_view piece) { said += piece; });
  const int status = wait_status(child);
  if (WIFSIGNALED(status)) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("the benchmark program was ended by signal {}", WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) != 0) return Error{ErrorCode::kUnsupported, without_line_end(std::move(said))};
  if (malformed || !line.empty()) return Error{ErrorCode::kMalformedInput, "the benchmark program printed no JSON"};
  return ok_status();
}

}  // namespace unscatter::cli
