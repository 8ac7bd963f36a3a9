// Wavelet banks: J filters that split a signal on a graph into bands.
//
// A bank is a public constant of the model.  Bound to a graph it becomes GraphFilters, which know the operator of that
// graph (walk matrix, spectrum).  The filters on a graph may depend on that graph and on nothing else.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/graph/graph.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// lower^2 |x|^2 <= sum_j |H_j x|^2 <= upper^2 |x|^2 for every signal x on one graph [Pan23, Eq. 2].
struct FrameBounds {
  double lower = 0;
  double upper = 0;
};

// The filters H_0 .. H_{J-1} of one bank on one graph.  Any number of threads may use them at the same time.
class GraphFilters {
 public:
  GraphFilters() = default;
  GraphFilters(const GraphFilters&) = delete;
  GraphFilters& operator=(const GraphFilters&) = delete;
  virtual ~GraphFilters() = default;

  // bands[j] = H_j signals.  `signals` has a row per node and any number of columns; `bands` is resized as needed.
  virtual void apply(const RowMatrix& signals, std::vector<RowMatrix>& bands) const = 0;
  // Bounds on this graph.  O(g^3) unless the spectrum is at hand.
  [[nodiscard]] virtual FrameBounds frame_bounds() const = 0;
  // The largest |h_j - p_j| over the spectrum if the filters are approximations p_j of kernels h_j. 0 if they are
  // exact.
  [[nodiscard]] virtual double approximation_error() const { return 0; }
};

class WaveletBank {
 public:
  WaveletBank() = default;
  WaveletBank(const WaveletBank&) = delete;
  WaveletBank& operator=(const WaveletBank&) = delete;
  virtual ~WaveletBank() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // J
  [[nodiscard]] virtual std::size_t scales() const noexcept = 0;
  // Errors: kUnsupported (a directed graph for a bank that needs a symmetric operator), kFrameCondition, kNotConverged.
  [[nodiscard]] virtual Result<std::unique_ptr<GraphFilters>> on(const Graph& graph) const = 0;
};

// Frame bounds of any linear filters on g nodes: the extreme singular values of the stacked [H_0; ...; H_{J-1}].  They
// come from the eigenvalues of sum_j H_j^T H_j.  The lower bound is rounded down, the upper one up.  O(J g^3).
[[nodiscard]] FrameBounds frame_bounds_of(const GraphFilters& filters, std::size_t nodes);

// Bounds that hold on every one of the graphs: the smallest lower and the largest upper one; zeros for no graphs.  The
// result does not depend on `threads` (0: all).  Errors: those of WaveletBank::on(), of the first graph that has one.
[[nodiscard]] Result<FrameBounds> frame_bounds_over(const WaveletBank& bank, std::span<const Graph> graphs,
                                                    std::size_t threads = 0, Progress& progress = no_progress());

// F = sqrt(sum_{l<L} B^(2l)): |z| <= F for signals bounded by 1 and one moment [Pan23, Thm. 4.3].
[[nodiscard]] double embedding_norm_bound(double upper_frame_bound, std::size_t layers);

}  // namespace unscatter
