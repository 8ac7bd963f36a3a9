// Preloaded before a program of test_same_bytes.py: the same random bytes and the same time in every process.  FOR
// TESTS ONLY: keys, salts and noise that are drawn from it protect nobody.
//
//   LD_PRELOAD=libfixed_draws.so UNSCATTER_FIXED_TIME=1800000000 PROGRAM...
//
// It takes the place of randombytes_buf() of libsodium, from which alone the library draws, and of time(), the clock of
// its ledger.  The stream begins anew with each process, and another time gives another stream.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

std::uint64_t fixed_time() {
  const char* text = std::getenv("UNSCATTER_FIXED_TIME");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

// splitmix64
std::uint64_t mixed(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31);
}

std::atomic<std::uint64_t> bytes_drawn = 0;

}  // namespace

extern "C" {

void randombytes_buf(void* buffer, std::size_t size) {
  auto* const bytes = static_cast<unsigned char*>(buffer);
  const std::uint64_t first = bytes_drawn.fetch_add(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<unsigned char>(mixed(mixed(fixed_time()) + (first + i) * 0x9e3779b97f4a7c15U));
  }
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library's name is reserved
std::time_t time(std::time_t* place) noexcept {
  const auto now = static_cast<std::time_t>(fixed_time());
  if (place != nullptr) *place = now;
  return now;
}
}
