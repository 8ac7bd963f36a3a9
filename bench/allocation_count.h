// How often this program asked for memory.  Counting replaces the global allocation functions.  For this reason the
// workloads are a program of their own.
#pragma once

#include <cstddef>

namespace unscatter::bench {

// The number of allocations by all threads since the program began.  It counts operator new in every form.  It also
// counts malloc and its relatives where our own code calls them, Eigen's included (Eigen calls malloc where others call
// operator new).  Calls inside shared libraries (SQLite, libsodium) are not seen.
[[nodiscard]] std::size_t allocation_count() noexcept;

}  // namespace unscatter::bench
