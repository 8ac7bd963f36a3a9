// The eigenvalues of a dense symmetric matrix, without vectors, in memory that the caller has.
#pragma once

#include <cstddef>
#include <span>

namespace unscatter {

// How many numbers of memory an n x n matrix needs beside itself and its eigenvalues.
[[nodiscard]] constexpr std::size_t symmetric_eigenvalues_memory(std::size_t n) { return 3 * n; }

// `A` has n x n finite entries, row by row, and is overwritten.  `values` gets the n eigenvalues in ascending order.
// Each is wrong by a small multiple of n times the machine's precision times the largest of them.  The memory is the
// caller's, so that it can be reused, and overwritten where A came from a graph that leaves.  Only additions,
// multiplications, divisions and square roots, in a fixed order: the same bits on every machine.  About n^3 products.
void symmetric_eigenvalues(std::span<double> A, std::span<double> values, std::span<double> memory);

}  // namespace unscatter
