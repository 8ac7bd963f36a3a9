// Threads over independent items.
#pragma once

#include <cstddef>
#include <functional>

namespace unscatter {

// The number of threads that the machine offers to this process, at least 1.
[[nodiscard]] std::size_t hardware_threads() noexcept;

// `threads`, or 1 if there is so little work that one thread is done before a second one has woken up
// (docs/performance.md, "Loops keep their arena").  It is also 1 for the first milliseconds of such work in a process:
// starting threads takes as long, and many processes have no more to do.
[[nodiscard]] std::size_t worthwhile_threads(std::size_t multiplications, std::size_t threads) noexcept;

// Calls body(index, worker) once for every index in [0, count), on at most `threads` threads (0: hardware_threads()),
// in chunks of `grain`. worker < max(threads, 1) is unique among calls that run at the same time, so it can choose a
// workspace.  It is not fixed which worker gets which index: results must not depend on it.  An exception of `body`
// reaches the caller.  After fork() the child runs its loops on one thread.
void parallel_for(std::size_t count, std::size_t threads, std::size_t grain,
                  const std::function<void(std::size_t index, std::size_t worker)>& body);

}  // namespace unscatter
