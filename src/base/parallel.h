// Threads over independent items.
#pragma once

#include <cstddef>
#include <functional>

namespace unscatter {

// Threads the machine offers to this process, at least 1.
[[nodiscard]] std::size_t hardware_threads() noexcept;

// `threads`, or 1 where so few multiplications are done sooner than a second thread has woken up.
[[nodiscard]] constexpr std::size_t worthwhile_threads(std::size_t multiplications, std::size_t threads) noexcept {
  return multiplications < (std::size_t{1} << 17) ? 1 : threads;
}

// Calls body(index, worker) once for every index in [0, count), on at most `threads` threads (0: hardware_threads()),
// in chunks of `grain`.  worker < max(threads, 1) is unique among calls running at the same time, so it can pick a
// workspace. Which worker gets which index is not fixed: results must not depend on it.  An exception of `body` reaches
// the caller.
void parallel_for(std::size_t count, std::size_t threads, std::size_t grain,
                  const std::function<void(std::size_t index, std::size_t worker)>& body);

}  // namespace unscatter
