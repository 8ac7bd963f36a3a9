#include "base/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <map>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace unscatter {
namespace {

constexpr std::size_t kMostThreads = 128;

// Multiplications.  A second thread takes some fifty microseconds to wake up.
constexpr std::size_t kLeastForThreads = std::size_t{1} << 17;
// To start threads TBB looks for libraries and processors by some hundred system calls, which takes milliseconds
// (docs/performance.md, "The start of a process").  One thread does this much work in about the same time.
constexpr std::size_t kBeforeThreads = std::size_t{1} << 25;

// The system's TBB is built without ThreadSanitizer, so ThreadSanitizer does not see how it hands work over.  These two
// functions tell it what TBB promises and nothing more: every chunk sees what came before the loop, and what comes
// after the loop sees every chunk.  So a race between two bodies is still found.  See cmake/tsan.supp.
void tsan_publish([[maybe_unused]] void* loop) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(loop);
#endif
}
void tsan_observe([[maybe_unused]] void* loop) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(loop);
#endif
}

// Workers need some fifty microseconds to find their way to a new arena.  Most loops are shorter than that.  So every
// calling thread keeps its arenas.
tbb::task_arena& kept_arena(std::size_t threads) {
  thread_local std::map<std::size_t, tbb::task_arena> arenas;  // a map never moves an arena, which cannot be moved
  return arenas.try_emplace(threads, static_cast<int>(threads)).first->second;
}

// A process that was forked has the thread that forked and no other.  The arenas of its parent would wait for workers
// that are not there.  So loops of such a process have one thread.  Results do not depend on it.
std::atomic<bool> forked{false};
[[maybe_unused]] const int kForkIsWatched = pthread_atfork(nullptr, nullptr, [] { forked = true; });

}  // namespace

// As TBB counts them, but TBB looks for a library of OpenMP first, in every folder, and loads it.
std::size_t hardware_threads() noexcept {
  static const int count = [] {
    cpu_set_t allowed;
    // It fails where there are more processors than the set has room for.
    return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed)
                                                                : tbb::info::default_concurrency();
  }();
  return static_cast<std::size_t>(std::max(1, count));
}

std::size_t worthwhile_threads(std::size_t multiplications, std::size_t threads) noexcept {
  static std::atomic<std::size_t> done_alone{0};
  if (threads == 1 || multiplications < kLeastForThreads) return 1;
  if (multiplications < kBeforeThreads && done_alone.load(std::memory_order_relaxed) < kBeforeThreads) {
    done_alone.fetch_add(multiplications, std::memory_order_relaxed);
    return 1;
  }
  return threads;
}

void parallel_for(std::size_t count, std::size_t threads, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (threads == 0) threads = hardware_threads();
  // More would only wait for one another, and beyond some number TBB prints a warning of its own.
  threads = std::min(threads, std::max(kMostThreads, hardware_threads()));
  // Without any thread, so that a caller with one thread pays nothing for this function.
  if (threads == 1 || count <= grain || count <= 1 || forked.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  char begun = 0;
  char done = 0;
  tsan_publish(&begun);
  const auto chunk = [&](const tbb::blocked_range<std::size_t>& range) {
    tsan_observe(&begun);
    const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i, worker);
    tsan_publish(&done);
  };
  kept_arena(threads).execute([&] {
    // A loop inside a body waits in the same arena.  While it waits, it could take another chunk of the outer loop.
    // That body would find its worker's number in use.  Isolation prevents this.
    tbb::this_task_arena::isolate([&] {
      // simple_partitioner cuts down to chunks of `grain`.  The default one would hand out larger chunks.
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, std::max<std::size_t>(grain, 1)), chunk,
                        tbb::simple_partitioner{});
    });
  });
  tsan_observe(&done);
}

}  // namespace unscatter
