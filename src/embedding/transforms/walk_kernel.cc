// Compiled once per instruction set (Highway's foreach_target).  The best one for the processor is chosen at run time,
// here and not by libhwy: that library measures the clock whenever it is loaded, which takes every start of the program
// 5 ms (docs/performance.md, "Decisions").  Its headers are enough.
//
// No operation here is a fused multiply-add, and the operations of every channel keep their order, because
// walk_scattering.h promises the same result on every machine.  Little is lost by that: the inner loop only adds.
#include "embedding/transforms/walk_kernel.h"

#include <atomic>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embedding/transforms/walk_kernel.cc"
// Register blocks are arrays of vectors, which scalable vector types do not allow.
#define UNSCATTER_SCALABLE_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// Between SSE2 and AVX2, and beyond AVX3, nothing was added that is used here.
#define UNSCATTER_TARGETS_OF_NO_USE (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#ifdef UNSCATTER_FEW_TARGETS
#define HWY_DISABLED_TARGETS (UNSCATTER_SCALABLE_TARGETS | UNSCATTER_TARGETS_OF_NO_USE | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS (UNSCATTER_SCALABLE_TARGETS | UNSCATTER_TARGETS_OF_NO_USE)
#endif
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unscatter::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<double>;
using V = hn::Vec<Lanes>;

// One walk step for kVectors neighbouring vectors of columns.  Their sums stay in registers while the rows of the
// neighbours go by.  A lane is one channel: it sees its neighbours in the order of `entries`, whatever the lane width
// is.
template <std::size_t kVectors, bool kPre, bool kPost>
HWY_INLINE void step_columns(const WalkGraph& graph, const double* HWY_RESTRICT from, double* HWY_RESTRICT to,
                             std::size_t stride) {
  const Lanes d;
  const std::size_t N = hn::Lanes(d);
  const V half = hn::Set(d, 0.5);
  for (std::size_t i = 0; i < graph.nodes; ++i) {
    V sum[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
    const std::uint32_t end = graph.offsets[i + 1];
    for (std::uint32_t k = graph.offsets[i]; k < end; ++k) {
      const std::size_t j = graph.entries[k];
      const double* row = from + j * stride;
      // The row walk has no `pre`, so its inner loop is one load and one addition per entry and vector.
      if constexpr (kPre) {
        const V scale = hn::Set(d, graph.pre[j]);
        for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], hn::Mul(scale, hn::Load(d, row + v * N)));
      } else {
        for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], hn::Load(d, row + v * N));
      }
    }
    // Scaling once per row instead of once per entry.
    const V scale = hn::Set(d, kPost ? graph.post[i] : 1.0);
    const std::size_t own = i * stride;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t at = own + v * N;
      const V walk = kPost ? hn::Mul(scale, sum[v]) : sum[v];
      hn::Store(hn::Mul(half, hn::Add(hn::Load(d, from + at), walk)), d, to + at);
    }
  }
}

template <bool kPre, bool kPost>
HWY_INLINE void step_all(const WalkGraph& graph, const SignalBlock& current, const SignalBlock& next) {
  const std::size_t N = hn::Lanes(Lanes());
  const std::size_t stride = current.stride;
  std::size_t column = 0;
  const auto columns = [&](auto count) {
    constexpr std::size_t kVectors = decltype(count)::value;
    step_columns<kVectors, kPre, kPost>(graph, current.values + column, next.values + column, stride);
    column += kVectors * N;
  };
  const auto left = [&] { return (stride - column) / N; };
  // Eight sums hide the latency of an addition and leave registers for the rest.  Nine vectors are taken as five and
  // four: a single vector at the end would wait for each of its additions.
  while (left() > 8)
    left() == 9 ? columns(std::integral_constant<std::size_t, 5>()) : columns(std::integral_constant<std::size_t, 8>());
  switch (left()) {
    case 8: return columns(std::integral_constant<std::size_t, 8>());
    case 7: return columns(std::integral_constant<std::size_t, 7>());
    case 6: return columns(std::integral_constant<std::size_t, 6>());
    case 5: return columns(std::integral_constant<std::size_t, 5>());
    case 4: return columns(std::integral_constant<std::size_t, 4>());
    case 3: return columns(std::integral_constant<std::size_t, 3>());
    case 2: return columns(std::integral_constant<std::size_t, 2>());
    case 1: return columns(std::integral_constant<std::size_t, 1>());
    default: return;
  }
}

void walk_step(const WalkGraph& graph, const SignalBlock& current, const SignalBlock& next) {
  if (graph.pre == nullptr) {
    step_all<false, true>(graph, current, next);
  } else if (graph.post == nullptr) {
    step_all<true, false>(graph, current, next);
  } else {
    step_all<true, true>(graph, current, next);
  }
}

// Moments first + 1 to first + kMoments of one vector of columns.  Padding columns give sums of zeros, which nobody
// reads.
template <std::size_t kMoments, bool kDifference, bool kWeighted>
HWY_INLINE void band_columns(const BandTask& task, std::size_t column, std::size_t first, bool store) {
  const Lanes d;
  const std::size_t N = hn::Lanes(d);
  const bool partial = column + N > task.width;
  const auto mask = hn::FirstN(d, partial ? task.width - column : N);
  V sum[kMoments];
  for (std::size_t q = 0; q < kMoments; ++q) sum[q] = hn::Zero(d);
  for (std::size_t i = 0; i < task.nodes; ++i) {
    const std::size_t at = i * task.stride + column;
    V s = hn::Load(d, task.x + at);
    if constexpr (kDifference) s = hn::Sub(s, hn::Load(d, task.y + at));
    if (task.modulus) s = hn::Abs(s);
    if (store) {
      double* to = task.child + i * task.child_stride + column;
      // Children of one layer lie side by side in a row.  The last vector must not reach into the columns of the next
      // one.
      partial ? hn::BlendedStore(s, mask, d, to) : hn::StoreU(s, d, to);
    }
    // power is u_i s^1.  It is raised to the first moment of this pass, then from moment to moment.
    V power = kWeighted ? hn::Mul(hn::Set(d, task.weights[i]), s) : s;
    for (std::size_t q = 0; q < first; ++q) power = hn::Mul(power, s);
    for (std::size_t q = 0; q < kMoments; ++q) {
      sum[q] = hn::Add(sum[q], power);
      if (q + 1 < kMoments) power = hn::Mul(power, s);
    }
  }
  for (std::size_t q = 0; q < kMoments; ++q) hn::Store(sum[q], d, task.sums + (first + q) * task.stride + column);
}

template <bool kDifference, bool kWeighted>
HWY_INLINE void band_all(const BandTask& task) {
  const std::size_t N = hn::Lanes(Lanes());
  for (std::size_t column = 0; column < task.stride; column += N) {
    // Four moments fit into the registers.  More moments take further passes over the band.  Only the first pass stores
    // it.
    for (std::size_t first = 0; first < task.moments; first += 4) {
      const bool store = task.child != nullptr && first == 0 && column < task.width;
      switch (task.moments - first) {
        case 1: band_columns<1, kDifference, kWeighted>(task, column, first, store); break;
        case 2: band_columns<2, kDifference, kWeighted>(task, column, first, store); break;
        case 3: band_columns<3, kDifference, kWeighted>(task, column, first, store); break;
        default: band_columns<4, kDifference, kWeighted>(task, column, first, store); break;
      }
    }
  }
}

void band(const BandTask& task) {
  if (task.weights == nullptr) {
    task.y == nullptr ? band_all<false, false>(task) : band_all<true, false>(task);
  } else {
    task.y == nullptr ? band_all<false, true>(task) : band_all<true, true>(task);
  }
}

// To be called only where the processor has the instructions.
WalkKernels walk_kernels() { return {hwy::TargetName(HWY_TARGET), hn::Lanes(Lanes()), &walk_step, &band}; }

}  // namespace unscatter::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unscatter {
namespace {

#if HWY_ARCH_X86
[[maybe_unused]] bool runs_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}
[[maybe_unused]] bool runs_avx3() {
  return runs_avx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0;
}
#endif

std::vector<WalkKernels> find_variants() {
  std::vector<WalkKernels> variants;
#if HWY_TARGETS & HWY_AVX3
  if (runs_avx3()) variants.push_back(N_AVX3::walk_kernels());
#endif
#if HWY_TARGETS & HWY_AVX2
  if (runs_avx2()) variants.push_back(N_AVX2::walk_kernels());
#endif
  // What the compiler may use everywhere, on every architecture.
  variants.push_back(HWY_STATIC_DISPATCH(walk_kernels)());
  return variants;
}

std::atomic<const WalkKernels*> chosen_for_test = nullptr;

}  // namespace

std::span<const WalkKernels> walk_kernel_variants() {
  static const std::vector<WalkKernels> variants = find_variants();
  return variants;
}

void choose_walk_kernels_for_test(const WalkKernels* kernels) { chosen_for_test = kernels; }

const WalkKernels& walk_kernels() {
  static const WalkKernels& best = walk_kernel_variants().front();
  const WalkKernels* chosen = chosen_for_test.load(std::memory_order_relaxed);
  return chosen == nullptr ? best : *chosen;
}

}  // namespace unscatter
#endif  // HWY_ONCE
