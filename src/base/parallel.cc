#include "unscatter/base/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

namespace unscatter {

std::size_t hardware_threads() noexcept { return static_cast<std::size_t>(std::max(1, tbb::info::default_concurrency())); }

void parallel_for(std::size_t count, std::size_t threads, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (threads == 0) threads = hardware_threads();
  if (threads == 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, std::max<std::size_t>(grain, 1)),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const auto worker = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          for (std::size_t i = range.begin(); i != range.end(); ++i) body(i, worker);
        },
        tbb::simple_partitioner{});
  });
}

}  // namespace unscatter
