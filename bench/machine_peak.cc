#include "machine_peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine_peak.cc"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unscatter::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<double>;
using V = hn::Vec<Lanes>;

constexpr std::size_t kChains = 8;  // enough to cover the latency of an addition

// `rounds` x kChains vector additions.  Returns the number of additions over all lanes.  `sink` gets a value that
// depends on each of them, so that the compiler leaves none out.
double add_in_registers(std::size_t rounds, double* sink) {
  const Lanes d;
  const V one = hn::Set(d, *sink);
  V chain[kChains];
  for (std::size_t c = 0; c < kChains; ++c) chain[c] = hn::Set(d, static_cast<double>(c));
  for (std::size_t r = 0; r < rounds; ++r) {
    for (V& sum : chain) sum = hn::Add(sum, one);
  }
  for (std::size_t c = 1; c < kChains; ++c) chain[0] = hn::Add(chain[0], chain[c]);
  *sink = hn::GetLane(chain[0]);
  return static_cast<double>(rounds * kChains * hn::Lanes(d));
}

// The same with fused multiply-adds.  More of them run at a time, since their latency is longer.  Returns two
// operations for each.
double multiply_in_registers(std::size_t rounds, double* sink) {
  constexpr std::size_t kFusedChains = 12;
  const Lanes d;
  const V factor = hn::Set(d, 0.999999);
  const V one = hn::Set(d, *sink);
  V chain[kFusedChains];
  for (std::size_t c = 0; c < kFusedChains; ++c) chain[c] = hn::Set(d, static_cast<double>(c));
  for (std::size_t r = 0; r < rounds; ++r) {
    for (V& sum : chain) sum = hn::MulAdd(sum, factor, one);
  }
  for (std::size_t c = 1; c < kFusedChains; ++c) chain[0] = hn::Add(chain[0], chain[c]);
  *sink = hn::GetLane(chain[0]);
  return static_cast<double>(2 * rounds * kFusedChains * hn::Lanes(d));
}

// Sums a buffer of `count` doubles `rounds` times, with one load per addition.  Returns the bytes loaded.
double add_from_cache(const double* buffer, std::size_t count, std::size_t rounds, double* sink) {
  const Lanes d;
  const std::size_t N = hn::Lanes(d);
  V chain[kChains];
  for (V& sum : chain) sum = hn::Zero(d);
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i + kChains * N <= count; i += kChains * N) {
      for (std::size_t c = 0; c < kChains; ++c) chain[c] = hn::Add(chain[c], hn::Load(d, buffer + i + c * N));
    }
  }
  for (std::size_t c = 1; c < kChains; ++c) chain[0] = hn::Add(chain[0], chain[c]);
  *sink += hn::GetLane(chain[0]);
  const std::size_t blocks = count / (kChains * N);
  return static_cast<double>(rounds * blocks * kChains * N * sizeof(double));
}

}  // namespace unscatter::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "base/stopwatch.h"

namespace unscatter::bench {

HWY_EXPORT(add_in_registers);
HWY_EXPORT(add_from_cache);
HWY_EXPORT(multiply_in_registers);

namespace {

// Units per second of `work`, which returns the units that it did, on `threads` threads that start together.  The best
// of five: whatever else the machine does can only make it slower.
double best_rate(std::size_t threads, const std::function<double()>& work) {
  double best = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::atomic<std::size_t> ready{0};
    std::vector<double> rates(threads, 0.0);
    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < threads; ++t) {
      pool.emplace_back([&, t] {
        ++ready;
        while (ready < threads) std::this_thread::yield();
        const Stopwatch watch;
        const double units = work();
        rates[t] = units / watch.seconds();
      });
    }
    for (std::thread& thread : pool) thread.join();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  }
  return best;
}

std::atomic<double> g_kept{0};  // the compiler must not drop results that nobody reads

double register_rate(std::size_t threads, const std::function<double(double* sink)>& work) {
  return best_rate(threads, [&work] {
    double sink = 1e-9;
    const double units = work(&sink);
    g_kept = g_kept + sink;
    return units;
  });
}

// Bytes per second from a buffer of `doubles` doubles for each thread.
double cache_rate(std::size_t threads, std::size_t doubles, std::size_t rounds) {
  return best_rate(threads, [doubles, rounds] {
    const auto buffer = hwy::AllocateAligned<double>(doubles);
    std::fill_n(buffer.get(), doubles, 1e-9);
    double sink = 0;
    const double units = HWY_DYNAMIC_DISPATCH(add_from_cache)(buffer.get(), doubles, rounds, &sink);
    g_kept = g_kept + sink;
    return units;
  });
}

}  // namespace

MachinePeak measure_machine_peak(std::size_t threads) {
  const auto additions = [](double* sink) { return HWY_DYNAMIC_DISPATCH(add_in_registers)(20'000'000, sink); };
  constexpr std::size_t kNear = 2048;  // 16 KiB: half of a common first-level cache
  return {register_rate(threads, additions), cache_rate(threads, kNear, 200'000)};
}

ProductPeak measure_product_peak(std::size_t threads) {
  const auto products = [](double* sink) { return HWY_DYNAMIC_DISPATCH(multiply_in_registers)(10'000'000, sink); };
  constexpr std::size_t kFar = std::size_t{1} << 19;  // 4 MiB: beyond a second-level cache
  return {register_rate(threads, products), cache_rate(threads, kFar, 200)};
}

}  // namespace unscatter::bench
#endif  // HWY_ONCE
