// How often this program asked for memory.  Counting replaces the global allocation functions, which is why the
// workloads are a program of their own.
#pragma once

#include <cstddef>

namespace unscatter::bench {

// By all threads, since the program began: operator new in every form, and malloc and its kin as called from our own
// code, Eigen's included (Eigen calls malloc where others call operator new).  Calls inside of shared libraries
// (SQLite, libsodium) are not seen.
[[nodiscard]] std::size_t allocation_count() noexcept;

}  // namespace unscatter::bench
