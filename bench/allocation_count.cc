#include "allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> allocations{0};
void count_one() noexcept { allocations.fetch_add(1, std::memory_order_relaxed); }
}  // namespace

std::size_t unscatter::bench::allocation_count() noexcept { return allocations.load(std::memory_order_relaxed); }

// GCC sees operator new inlined and operator delete not yet.  It takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
// NOLINTBEGIN(cppcoreguidelines-no-malloc, bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp,
// readability-identifier-naming): what replaces the global functions cannot use them, and the linker's --wrap chooses
// the names.
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  count_one();
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  count_one();
  return __real_calloc(count, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  count_one();
  return __real_realloc(memory, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  count_one();
  return __real_aligned_alloc(alignment, size);
}
}

// The other forms (arrays, nothrow) call these.
void* operator new(std::size_t size) {
  count_one();
  if (void* memory = __real_malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  count_one();
  const auto boundary = static_cast<std::size_t>(alignment);
  // aligned_alloc() takes only multiples of the alignment.
  if (void* memory = __real_aligned_alloc(boundary, (size + boundary - 1) / boundary * boundary)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc, bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp,
// readability-identifier-naming)
