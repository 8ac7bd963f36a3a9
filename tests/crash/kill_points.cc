#include "crash/kill_points.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

namespace unscatter::testing {
namespace {

// Shared with the child.
struct Board {
  std::atomic<std::size_t> calls{0};
  std::atomic<std::size_t> acknowledged{0};
};

// Of the child; null in every other process.
Board* armed_board = nullptr;
KillPoint armed_point;

// Memory that a fork shares.
class SharedBoard {
 public:
  SharedBoard() {
    void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    board_ = new (memory) Board;
  }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  ~SharedBoard() { ::munmap(board_, sizeof(Board)); }
  Board& operator*() const { return *board_; }

 private:
  Board* board_;
};

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

// True: this is the call.
bool is_the_call() { return armed_board != nullptr && armed_board->calls.fetch_add(1) == armed_point.at; }

void before_a_call() {
  if (is_the_call()) die();
}

// `write_bytes` writes so many of the bytes, from the first one on.
template <typename Write>
ssize_t counted_write(std::size_t size, const Write& write_bytes) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t done = 0; done == 0 || done < size; done += kPage) {
    if (!is_the_call()) continue;
    const std::size_t piece = std::min(kPage, size - done);
    const std::size_t some = done + (armed_point.half && piece > 1 ? piece / 2 : 0);
    if (some > 0) static_cast<void>(write_bytes(some));
    die();
  }
  return write_bytes(size);
}

[[noreturn]] void work_and_end(const KillPoint& point, Board& board,
                               const std::function<Status(const Acknowledge&)>& work) {
  armed_point = point;
  armed_board = &board;
  int code = 1;
  try {
    const Status status = work([&] { board.acknowledged.fetch_add(1); });
    armed_board = nullptr;
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    code = status.ok() ? 0 : 1;
  } catch (const std::exception& error) {
    armed_board = nullptr;
    std::fprintf(stderr, "%s\n", error.what());
  }
  // Nothing of the parent is closed, flushed or checked here.
  ::_exit(code);
}

}  // namespace

KilledRun run_and_kill(const KillPoint& point, const std::function<Status(const Acknowledge&)>& work) {
  const SharedBoard board;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) work_and_end(point, *board, work);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("the process cannot be waited for");
  KilledRun run;
  run.killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  run.failed = !run.killed && !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  run.acknowledged = (*board).acknowledged.load();
  return run;
}

}  // namespace unscatter::testing

// The calls, for the library, for SQLite and for the standard library: what an executable defines comes before what
// shared libraries have.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,google-global-names-in-headers)
using unscatter::testing::before_a_call;
using unscatter::testing::counted_write;

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  return counted_write(size, [&](std::size_t some) { return ::syscall(SYS_write, file, bytes, some); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return counted_write(size, [&](std::size_t some) { return ::syscall(SYS_pwrite64, file, bytes, some, at); });
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return counted_write(size, [&](std::size_t some) { return ::syscall(SYS_pwrite64, file, bytes, some, at); });
}

ssize_t writev(int file, const iovec* parts, int count) {
  before_a_call();
  return ::syscall(SYS_writev, file, parts, count);
}

int fsync(int file) {
  before_a_call();
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int fdatasync(int file) {
  before_a_call();
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

int ftruncate(int file, off_t size) noexcept {
  before_a_call();
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}

int ftruncate64(int file, off64_t size) noexcept {
  before_a_call();
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}

int rename(const char* from, const char* to) noexcept {
  before_a_call();
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0U));
}

int unlink(const char* path) noexcept {
  before_a_call();
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,google-global-names-in-headers)
