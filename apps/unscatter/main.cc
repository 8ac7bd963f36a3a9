#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>

#include "cluster/crew.h"
#include "cluster/ranks.h"
#include "cluster/worker.h"
#include "exit_code.h"
#include "laboratory.h"
#include "program.h"

namespace cli = unscatter::cli;

namespace {

// Passes over rows take and free the same few hundred kilobytes again and again.  By its defaults the C library gives
// them back to the system each time, and clearing them anew took a fifth of a small removal.  What is freed and may
// show something was overwritten before.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  static_cast<void>(mallopt(M_TRIM_THRESHOLD, 32 * kMegabyte));
  // Setting the one ends the automatic choice of the other.  Matrices above this size come from the system as before.
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, 4 * kMegabyte));
#endif
}

// A short command fills a few megabytes of small blocks, and the first touch of every page interrupts it.  So the heap
// grows by more at a time, in large pages where the system has them.  Pages that are not touched take no memory.
void grow_heap_in_large_pages() {
#ifdef __GLIBC__
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
  static_cast<void>(mallopt(M_TOP_PAD, 4 * kLargePage));
  // More than the heap has at the start, so it grows now.  The allocator keeps notes at the end of a block, and a page
  // that was touched never becomes part of a large one.
  constexpr std::size_t kFirstBlock = std::size_t{136} << 10;
  const std::unique_ptr<std::byte[]> block(new (std::nothrow) std::byte[kFirstBlock]);
  const std::uintptr_t touched = reinterpret_cast<std::uintptr_t>(block.get()) + kFirstBlock;
  const std::uintptr_t first = (touched / kLargePage + 1) * kLargePage;
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kLargePage * kLargePage;
  // Advice: a system without large pages goes on with small ones.
  if (block != nullptr && first < last && last - first <= 4 * kLargePage &&
      madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE) == 0) {
    // What lies before the first large page stays unused, but for the first block.
    static const std::unique_ptr<std::byte[]> unused(new (std::nothrow) std::byte[first - touched]);
  }
#endif
}

// The first rank runs the command as it is.  The others help, print nothing and end when it has ended.
int run_as_rank(unscatter::Communicator& job, int argc, char** argv, const cli::MoreCommands& more) {
  if (job.is_first()) {
    unscatter::cluster::Crew crew(job);
    return cli::run_program(argc, argv, more, &crew);
  }
  // A launcher tells all ranks of a signal.  The first one may have something to finish, and says when all is done.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  try {
    unscatter::cluster::serve_first_rank(job);
  } catch (const std::exception& problem) {
    job.abort(problem.what());
  }
  return cli::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto exit_code = cli::hand_over_to_laboratory(argc, argv)) return *exit_code;
  keep_freed_memory();
  grow_heap_in_large_pages();
  // A limit on the size of files (ulimit -f) is then met as an error with a sentence, and does not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  const cli::MoreCommands more = [](CLI::App& program, cli::Context&) { cli::add_laboratory_stand_ins(program); };
  auto job = unscatter::cluster::join_ranks();
  if (!job.ok()) {
    const unscatter::Error& error = job.error();
    if (unscatter::cluster::speaks_for_the_job()) {
      cli::report_error(unscatter::error_code_name(error.code), error.message, cli::asks_for_json(argc, argv));
    }
    return cli::kRefused;
  }
  if (*job == nullptr) return cli::run_program(argc, argv, more);
  return run_as_rank(**job, argc, argv, more);
}
