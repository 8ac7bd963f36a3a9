#include "unscatter/embedding/spectral_bank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "embedding/attribute_signals.h"
#include "embedding/wavelets/laplacian.h"
#include "support/exact_spectrum.h"
#include "support/random_graph.h"

namespace unscatter {
namespace {

// Graphs of every density, with and without isolated nodes; seeds 0, 1, 2 are a path, a star and a cycle.
Graph assorted_graph(std::uint64_t seed, std::size_t attributes = 0) {
  const std::size_t nodes = 2 + seed % 13;
  GraphParts parts = testing::random_graph_parts(
      seed,
      {.nodes = nodes + 3, .edge_probability = 0.05 + 0.1 * static_cast<double>(seed % 8), .attributes = attributes});
  if (seed < 3) parts.edges.clear();
  for (NodeIndex i = 0; seed < 3 && i + 1 < parts.node_count; ++i) parts.edges.push_back({seed == 1 ? 0 : i, i + 1});
  if (seed == 2) parts.edges.push_back({static_cast<NodeIndex>(parts.node_count - 1), 0});
  return Graph::create(std::move(parts)).value();
}

std::vector<RowMatrix> dense_filters(const WaveletBank& bank, const Graph& graph) {
  const auto n = static_cast<Eigen::Index>(graph.node_count());
  std::vector<RowMatrix> bands;
  bank.on(graph).value()->apply(RowMatrix::Identity(n, n), bands);
  return bands;
}

double operator_norm(const Matrix& symmetric) {
  return static_cast<double>(testing::exact_eigenvalues(symmetric).cwiseAbs().maxCoeff());
}

std::shared_ptr<const SpectralBank> bank_of(const KernelBank& kernels, SpectralMethod method, std::size_t degree = 64) {
  return make_spectral_bank(kernels, {.method = method, .degree = degree}).value();
}

TEST(SpectralBank, EigenFiltersAreTheKernelsOfTheLaplacian) {
  for (const KernelBank& kernels : {itersine(4).value(), monic_cubic(4).value()}) {
    const auto bank = bank_of(kernels, SpectralMethod::kEigen);
    EXPECT_EQ(bank->scales(), 4u);
    EXPECT_EQ(bank->approximation_error().value, 0.0);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = assorted_graph(seed);
      const testing::ExactSpectrum spectrum = testing::exact_spectrum(dense_laplacian(graph, "tests").value());
      const Matrix V = spectrum.vectors.cast<double>();
      const std::vector<RowMatrix> H = dense_filters(*bank, graph);
      for (std::size_t j = 0; j < 4; ++j) {
        Vector h = spectrum.values.cast<double>().cwiseMax(0.0).cwiseMin(2.0);
        for (double& value : h) value = kernels.kernels[j].value(value);
        EXPECT_LE((H[j] - V * h.asDiagonal() * V.transpose()).norm(), 1e-12) << kernels.name << " seed " << seed;
      }
    }
  }
}

// No eigenvectors in the reference: h(Lap) = I/2 + Lap/4 and h(Lap) = 2 - 2 Lap + Lap^2/2 by plain products.
TEST(SpectralBank, PolynomialKernelsArePolynomialsOfTheLaplacianBothWays) {
  const KernelBank kernels = piecewise_polynomial("0..2: 0.5 0.25 | 0..2: 2 -2 0.5").value();
  for (const SpectralMethod method : {SpectralMethod::kEigen, SpectralMethod::kChebyshev}) {
    const auto bank = bank_of(kernels, method, 8);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = assorted_graph(seed);
      const Matrix L = dense_laplacian(graph, "tests").value();
      const Matrix I = Matrix::Identity(L.rows(), L.cols());
      const std::vector<RowMatrix> H = dense_filters(*bank, graph);
      EXPECT_LE((H[0] - (0.5 * I + 0.25 * L)).norm(), 1e-12);
      EXPECT_LE((H[1] - (2.0 * I - 2.0 * L + 0.5 * L * L)).norm(), 1e-12);
    }
  }
}

TEST(SpectralBank, ItersinePreservesEnergy) {
  const auto bank = bank_of(itersine(5).value(), SpectralMethod::kEigen);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = assorted_graph(seed, 2);
    const RowMatrix x = testing::as_matrix(testing::attribute_signals(graph));
    std::vector<RowMatrix> bands;
    const auto filters = bank->on(graph).value();
    filters->apply(x, bands);
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      double energy = 0;
      for (const RowMatrix& band : bands) energy += band.col(k).squaredNorm();
      EXPECT_NEAR(energy, x.col(k).squaredNorm(), 1e-12 * std::max(1.0, x.col(k).squaredNorm())) << seed;
    }
    EXPECT_LE(filters->frame_bounds().lower, 1.0);
    EXPECT_GE(filters->frame_bounds().upper, 1.0);
    EXPECT_NEAR(filters->frame_bounds().upper, 1.0, 1e-10);
  }
}

TEST(SpectralBank, ReportedChebyshevErrorBoundsTheOperatorsAndFallsWithTheDegree) {
  for (const KernelBank& kernels : {itersine(4).value(), monic_cubic(4).value()}) {
    const auto exact = bank_of(kernels, SpectralMethod::kEigen);
    double last_error = std::numeric_limits<double>::infinity();
    for (const std::size_t degree : {16u, 32u, 64u}) {
      const auto bank = bank_of(kernels, SpectralMethod::kChebyshev, degree);
      const SampledBound error = bank->approximation_error();
      EXPECT_TRUE(error.proven);
      EXPECT_LT(error.value, last_error) << kernels.name << " degree " << degree;
      last_error = error.value;
      double seen = 0;
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const Graph graph = assorted_graph(seed);
        const std::vector<RowMatrix> p = dense_filters(*bank, graph);
        const std::vector<RowMatrix> h = dense_filters(*exact, graph);
        for (std::size_t j = 0; j < 4; ++j) seen = std::max(seen, operator_norm(p[j] - h[j]));
        EXPECT_EQ(bank->on(graph).value()->approximation_error(), error.value);
      }
      EXPECT_LE(seen, error.value);
      EXPECT_GE(seen, 0.05 * error.value) << "the bound should not be vacuous";
    }
  }
}

// Both methods' bounds against the singular values of the stacked filters.
TEST(SpectralBank, FrameBoundsEncloseTheSingularValues) {
  for (const SpectralMethod method : {SpectralMethod::kEigen, SpectralMethod::kChebyshev}) {
    const auto bank = bank_of(monic_cubic(4).value(), method, 96);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Graph graph = assorted_graph(seed);
      const auto filters = bank->on(graph).value();
      const FrameBounds stated = filters->frame_bounds();
      const FrameBounds measured = frame_bounds_of(*filters, graph.node_count());
      EXPECT_LE(stated.lower, measured.lower + 1e-9);
      EXPECT_GE(stated.upper, measured.upper - 1e-9);
      if (method == SpectralMethod::kEigen) {
        EXPECT_NEAR(stated.lower, measured.lower, 1e-9);
        EXPECT_NEAR(stated.upper, measured.upper, 1e-9);
        EXPECT_GE(stated.lower, bank->report().frame.lower - 1e-12);
        EXPECT_LE(stated.upper, bank->report().frame.upper + 1e-12);
      }
    }
  }
}

TEST(SpectralBank, AutomaticChoosesByTheNumberOfNodes) {
  const auto bank = make_spectral_bank(itersine(3).value(), {.eigen_nodes = 10}).value();
  EXPECT_EQ(bank->method_for(10), SpectralMethod::kEigen);
  EXPECT_EQ(bank->method_for(11), SpectralMethod::kChebyshev);
  const Graph small = testing::random_graph(1, {.nodes = 10});
  const Graph large = testing::random_graph(1, {.nodes = 11});
  EXPECT_EQ(bank->on(small).value()->approximation_error(), 0.0);
  EXPECT_GT(bank->on(large).value()->approximation_error(), 0.0);
}

KernelBank lone_kernel(std::function<double(double)> value) {
  return {.name = "mine", .kernels = {{.name = "only", .value = std::move(value)}}};
}

TEST(SpectralBank, RefusesBanksThatAreNoFrames) {
  const auto refusal = [](const KernelBank& kernels, const SpectralOptions& options = {}) {
    const Error error = make_spectral_bank(kernels, options).error();
    EXPECT_EQ(error.code, ErrorCode::kFrameCondition);
    return error.message;
  };
  EXPECT_EQ(refusal(lone_kernel([](double) { return 0.0; })),
            "bank 'mine': lower frame bound 0 at lambda = 0, but at least 0.001 is required");
  EXPECT_EQ(refusal(lone_kernel([](double x) { return x - 2 > 0 ? 0 : 2 - x; })),
            "bank 'mine': lower frame bound 0 at lambda = 2, but at least 0.001 is required");
  EXPECT_NE(refusal(lone_kernel([](double x) { return 1 + 20 * x; })).find("upper frame bound 41 at lambda = 2"),
            std::string::npos);
  EXPECT_NE(refusal(lone_kernel([](double x) { return 1 / x; })).find("is inf at lambda = 0"), std::string::npos);
  EXPECT_NE(refusal(lone_kernel([](double x) { return std::log(x - 1); })).find("nan at lambda = 0"),
            std::string::npos);
  // A jump: Chebyshev's overshoot is counted, so a frame of the kernel need not be one of its approximation.
  const std::string gibbs =
      refusal(lone_kernel([](double x) { return x < 1 ? 0.01 : 1.0; }), {.method = SpectralMethod::kChebyshev});
  EXPECT_NE(gibbs.find("raise the degree or use eigen"), std::string::npos) << gibbs;
  EXPECT_EQ(make_spectral_bank(itersine(3).value(), {.degree = 0}).error().code, ErrorCode::kInvalidArgument);
}

// A kernel that vanishes where no sample lies is caught on the graph whose spectrum meets that place.
TEST(SpectralBank, RefusesAGraphWhoseSpectrumBreaksTheFrame) {
  GraphParts parts;
  parts.node_count = 3;
  parts.edges = {{0, 1}, {1, 2}, {2, 0}};
  const Graph triangle = Graph::create(std::move(parts)).value();  // eigenvalues 0, 3/2, 3/2
  const auto hole = [](double x) { return std::abs(x - 1.5) < 1e-9 ? 0.0 : 1.0; };
  const auto bank = make_spectral_bank(lone_kernel(hole), {.method = SpectralMethod::kEigen}).value();
  EXPECT_FALSE(bank->report().frame_proven);
  const Error error = bank->on(triangle).error();
  EXPECT_EQ(error.code, ErrorCode::kFrameCondition);
  EXPECT_NE(error.message.find("lower frame bound 0 at lambda = 1.5"), std::string::npos) << error.message;

  const auto pole = [](double x) { return std::abs(x - 1.5) < 1e-9 ? HUGE_VAL : 1.0; };
  const auto polar = make_spectral_bank(lone_kernel(pole), {.method = SpectralMethod::kEigen}).value();
  EXPECT_EQ(polar->on(triangle).error().code, ErrorCode::kFrameCondition);
}

TEST(SpectralBank, DirectedGraphsGetAHint) {
  const Graph directed = testing::random_graph(1, {.directed = true});
  for (const SpectralMethod method : {SpectralMethod::kEigen, SpectralMethod::kChebyshev}) {
    const Error error = bank_of(itersine(3).value(), method)->on(directed).error();
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_NE(error.message.find("symmetrise"), std::string::npos);
  }
}

}  // namespace
}  // namespace unscatter
