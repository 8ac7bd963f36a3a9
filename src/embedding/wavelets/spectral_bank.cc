#include "unscatter/embedding/spectral_bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "embedding/wavelets/chebyshev.h"
#include "embedding/wavelets/laplacian.h"
#include "linalg/symmetric_eigen.h"

namespace unscatter {

std::string_view spectral_method_name(SpectralMethod method) noexcept {
  switch (method) {
    case SpectralMethod::kAutomatic: return "automatic";
    case SpectralMethod::kEigen: return "eigen";
    case SpectralMethod::kChebyshev: return "chebyshev";
  }
  return "unknown";
}

namespace {

// Keeps V and the kernels' values at the eigenvalues, and never forms an H_j: applying one costs two products with V.
class EigenFilters final : public GraphFilters {
 public:
  // responses(j, k) = h_j(lambda_k)
  EigenFilters(Matrix vectors, Matrix responses, FrameBounds bounds)
      : vectors_(std::move(vectors)), responses_(std::move(responses)), bounds_(bounds) {}

  void apply(const RowMatrix& signals, std::vector<RowMatrix>& bands) const override {
    // One transform to the spectrum serves all bands.  Each band then costs one transform back.
    const RowMatrix spectrum = vectors_.transpose() * signals;
    bands.resize(static_cast<std::size_t>(responses_.rows()));
    for (std::size_t j = 0; j < bands.size(); ++j) {
      const auto response = responses_.row(static_cast<Eigen::Index>(j)).transpose();
      bands[j].noalias() = vectors_ * (response.asDiagonal() * spectrum);
    }
  }
  [[nodiscard]] FrameBounds frame_bounds() const override { return bounds_; }

 private:
  Matrix vectors_;
  Matrix responses_;
  FrameBounds bounds_;
};

// The series belong to the bank.  They are shared, so that filters may outlive the bank.
using SharedSeries = std::shared_ptr<const std::vector<ChebyshevSeries>>;

// Knows nothing about the spectrum of its graph, so its frame bounds are those over all of [0, 2].
class ChebyshevFilters final : public GraphFilters {
 public:
  ChebyshevFilters(const Graph& graph, SharedSeries series, FrameBounds bounds, double error)
      : sweep_(graph), series_(std::move(series)), bounds_(bounds), error_(error) {}

  void apply(const RowMatrix& signals, std::vector<RowMatrix>& bands) const override {
    sweep_.apply(*series_, signals, bands);
  }
  [[nodiscard]] FrameBounds frame_bounds() const override { return bounds_; }
  [[nodiscard]] double approximation_error() const override { return error_; }

 private:
  ChebyshevSweep sweep_;
  SharedSeries series_;
  FrameBounds bounds_;
  double error_;
};

// At every lambda the vector (p_j)_j differs from (h_j)_j by at most |(error_j)_j|.  So both frame bounds move by at
// most that.  The factor covers the rounding of the root and of the sum.
FrameBounds widened(const FrameBounds& bounds, const std::vector<ChebyshevSeries>& series) {
  double sum = 0;
  for (const ChebyshevSeries& s : series) sum += s.error.value * s.error.value;
  const double shift = std::sqrt(sum) * (1 + 1e-14);
  return {std::max(0.0, bounds.lower - shift), bounds.upper + shift};
}

class Bank final : public SpectralBank {
 public:
  Bank(KernelBank kernels, const SpectralOptions& options, KernelBankReport report, std::vector<ChebyshevSeries> series)
      : kernels_(std::move(kernels)),
        options_(options),
        report_(report),
        series_(std::make_shared<const std::vector<ChebyshevSeries>>(std::move(series))),
        chebyshev_bounds_(widened(report_.frame, *series_)) {}

  [[nodiscard]] std::string name() const override { return kernels_.name; }
  [[nodiscard]] std::size_t scales() const noexcept override { return kernels_.kernels.size(); }
  [[nodiscard]] const KernelBankReport& report() const noexcept override { return report_; }
  [[nodiscard]] const KernelBank& kernels() const noexcept override { return kernels_; }
  [[nodiscard]] SpectralMethod method_for(std::size_t nodes) const noexcept override {
    // Only the number of nodes decides.  A decision by measured time or by the spectrum would make rows depend on more
    // than the graph.
    if (options_.method != SpectralMethod::kAutomatic) return options_.method;
    return nodes <= options_.eigen_nodes ? SpectralMethod::kEigen : SpectralMethod::kChebyshev;
  }
  [[nodiscard]] SampledBound approximation_error() const noexcept override {
    SampledBound largest{.value = 0, .proven = true};
    for (const ChebyshevSeries& s : *series_) {
      largest.value = std::max(largest.value, s.error.value);
      largest.proven = largest.proven && s.error.proven;
    }
    return largest;
  }
  [[nodiscard]] Result<std::unique_ptr<GraphFilters>> on(const Graph& graph) const override {
    if (method_for(graph.node_count()) == SpectralMethod::kEigen) return eigen_filters(graph);
    UNSCATTER_CHECK_OK(require_undirected(graph, "spectral wavelets"));
    // With the method `automatic` this check waits for the first large graph.  A data set of small graphs never needs
    // it.
    UNSCATTER_CHECK_OK(check_chebyshev());
    return std::unique_ptr<GraphFilters>(
        std::make_unique<ChebyshevFilters>(graph, series_, chebyshev_bounds_, approximation_error().value));
  }

  // Whether the approximation is still a frame.
  [[nodiscard]] Status check_chebyshev() const {
    Status status = require_frame(kernels_.name, chebyshev_bounds_, report_.lower_at, report_.upper_at, options_.frame);
    if (status.ok()) return status;
    return Error{
        status.error().code,
        fmt::format(
            "{}, with the error {:.3g} of a Chebyshev series of degree {} counted; raise the degree or use eigen",
            status.error().message, approximation_error().value, options_.degree)};
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<GraphFilters>> eigen_filters(const Graph& graph) const {
    UNSCATTER_TRY(laplacian, dense_laplacian(graph, "spectral wavelets"));
    UNSCATTER_TRY(eigen, symmetric_eigen(laplacian));
    const Eigen::Index n = eigen.values.size();
    Matrix responses(static_cast<Eigen::Index>(scales()), n);
    FrameBounds bounds{std::numeric_limits<double>::infinity(), 0};
    double lower_at = 0;
    double upper_at = 0;
    for (Eigen::Index k = 0; k < n; ++k) {
      // The spectrum lies in [0, 2].  What the solver puts beyond it is rounding, and kernels are defined on [0, 2]
      // only.
      const double lambda = std::clamp(eigen.values(k), 0.0, kSpectrumEnd);
      for (std::size_t j = 0; j < scales(); ++j) {
        responses(static_cast<Eigen::Index>(j), k) = kernels_.kernels[j].value(lambda);
      }
      const double norm = responses.col(k).norm();
      if (!std::isfinite(norm)) {
        return Error{
            ErrorCode::kFrameCondition,
            fmt::format("a kernel of bank '{}' is not finite at the eigenvalue lambda = {}", kernels_.name, lambda)};
      }
      if (norm < bounds.lower) bounds.lower = norm, lower_at = lambda;
      if (norm > bounds.upper) bounds.upper = norm, upper_at = lambda;
    }
    // V is orthogonal up to a small multiple of g units in the last place, and enters twice [Golub13, Sec. 8.3].
    // Bounds are rounded outwards by a generous multiple of that.
    const double slack = 100.0 * static_cast<double>(n + 10) * std::numeric_limits<double>::epsilon();
    bounds.lower *= 1 - slack;
    bounds.upper *= 1 + slack;
    UNSCATTER_CHECK_OK(require_frame(kernels_.name, bounds, lower_at, upper_at, options_.frame));
    return std::unique_ptr<GraphFilters>(
        std::make_unique<EigenFilters>(std::move(eigen.vectors), std::move(responses), bounds));
  }

  KernelBank kernels_;
  SpectralOptions options_;
  KernelBankReport report_;
  SharedSeries series_;
  FrameBounds chebyshev_bounds_;
};

}  // namespace

Result<std::shared_ptr<const SpectralBank>> make_spectral_bank(KernelBank kernels, const SpectralOptions& options) {
  if (options.degree < 1 || options.degree > 4096) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("Chebyshev degree {}; 1 to 4096 are possible", options.degree)};
  }
  UNSCATTER_TRY(report, examine(kernels));
  // The bank is refused here, before any graph is seen, if its kernels are no frame on [0, 2].
  UNSCATTER_CHECK_OK(require_frame(kernels.name, report.frame, report.lower_at, report.upper_at, options.frame));
  std::vector<ChebyshevSeries> series;
  if (options.method != SpectralMethod::kEigen) {
    // Made once per bank and not per graph: the series depends on the kernel alone.
    for (const SpectralKernel& kernel : kernels.kernels) series.push_back(chebyshev_series(kernel, options.degree));
  }
  auto bank = std::make_shared<const Bank>(std::move(kernels), options, report, std::move(series));
  if (options.method == SpectralMethod::kChebyshev) UNSCATTER_CHECK_OK(bank->check_chebyshev());
  return std::shared_ptr<const SpectralBank>(std::move(bank));
}

}  // namespace unscatter
