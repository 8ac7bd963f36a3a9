// The SIMD part of walk scattering.  It works on one layer of the tree at a time, with all its signals side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace unscatter {

// The operator y_i = (x_i + post_i * sum_j pre_j x_j) / 2 on one graph.  A null `pre` or `post` means all ones; at most
// one of them is null.
struct WalkGraph {
  std::size_t nodes;
  const std::uint32_t* offsets;
  const std::uint32_t* entries;
  const double* pre;
  const double* post;
};

// Signals of one layer.  Row i belongs to node i.  It holds `width` values, then zeros up to `stride`, which is a
// multiple of the lane count.
struct SignalBlock {
  double* values;
  std::size_t width;
  std::size_t stride;
};

// What is to be done with a band s = x - y (s = x if y is null).
struct BandTask {
  const double* x;
  const double* y;  // may be null
  std::size_t nodes;
  std::size_t width;      // useful columns
  std::size_t stride;     // of x and y
  bool modulus;           // s = |s|
  const double* weights;  // low-pass weights per node; null: all ones
  std::size_t moments;    // Q
  double* sums;           // sums[q * stride + c] = sum_i weight_i s_ic^(q+1)
  double* child;          // null, or where s is stored: row i at child + i * child_stride
  std::size_t child_stride;
};

// The same for one instruction set.
struct WalkKernels {
  const char* name;
  std::size_t lanes;  // doubles per vector; strides are multiples of it
  // next = T current.  Both have the same shape.  Padding stays zero.
  void (*walk_step)(const WalkGraph& graph, const SignalBlock& current, const SignalBlock& next);
  void (*band)(const BandTask& task);
};
// The fastest ones that this processor can run.
[[nodiscard]] const WalkKernels& walk_kernels();
// All that it can run, the fastest first.
[[nodiscard]] std::span<const WalkKernels> walk_kernel_variants();
// Puts others in their place; null puts the fastest back.
void choose_walk_kernels_for_test(const WalkKernels* kernels);

}  // namespace unscatter
