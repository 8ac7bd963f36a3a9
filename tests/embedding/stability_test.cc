// The stability of scattering that the paper's certificates rest on [Pan23, proof of Thm. 4.3; Pan21, Thm. 1]: for
// signals with |x_i| <= 1, one moment and the mean as low-pass,
//
//   |z| <= F,    |z - z'| <= F / sqrt(g) |x - x'|,    F = sqrt(sum_{l<L} B^(2l))
//
// Passing shows the inequalities on random graphs, not for all; the negative controls show that a frame bound that is
// too small would be noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "embedding/attribute_signals.h"
#include "support/random_graph.h"
#include "unscatter/base/random.h"
#include "unscatter/embedding/scattering.h"
#include "unscatter/embedding/spectral_bank.h"
#include "unscatter/embedding/walk_bank.h"
#include "unscatter/graph/graph_edit.h"

namespace unscatter {
namespace {

// Largest left side over right side of the inequalities above.
struct WorstRatios {
  double norm = 0;
  double feature_removal = 0;
  double any_change = 0;
};

double ratio(double left, double right) { return left == 0 ? 0 : left / right; }

// Sizes from 1 on, all densities, isolated nodes included.
Graph small_graph(std::uint64_t seed) {
  return testing::random_graph(
      seed, {.nodes = 1 + seed % 12, .edge_probability = 0.1 * static_cast<double>(seed % 11), .attributes = 1});
}

// Ratios against the norm bound that belongs to the frame bound `B`, which need not be the bank's own.
WorstRatios measure(const std::shared_ptr<const WaveletBank>& bank, double B, std::size_t layers, bool linear,
                    std::uint64_t graphs) {
  const auto transform =
      make_scattering(bank, {.layers = layers, .moments = 1, .linear = linear, .low_pass = LowPass::kMean}).value();
  const double F = embedding_norm_bound(B, layers);
  WorstRatios worst;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const Graph graph = small_graph(seed);
    const auto g = static_cast<double>(graph.node_count());
    NodeSignals x = testing::attribute_signals(graph);
    // Every fourth case sits at the edge of what |x_i| <= 1 allows, where the bound is sharp.
    if (seed % 4 == 0) std::fill(x.values.begin(), x.values.end(), 1.0);
    const Vector z = testing::embed_all(*transform, graph, x);
    worst.norm = std::max(worst.norm, ratio(z.norm(), F));

    const auto node = static_cast<NodeIndex>(seed % graph.node_count());
    const auto edited = apply(graph, RemoveFeatures{node}).value();
    if (edited) {
      NodeSignals without = x;
      without.values[node] = edited->attributes(node)[0];
      const double step = std::abs(x.values[node] - without.values[node]);
      const Vector change = testing::embed_all(*transform, *edited, without) - z;
      worst.feature_removal = std::max(worst.feature_removal, ratio(change.norm(), F / std::sqrt(g) * step));
    }

    Sequence random(seed + 1000);
    NodeSignals other = x;
    for (double& value : other.values) value = seed % 3 == 0 ? 0.25 * value : 2 * random.unit() - 1;
    const double distance = (testing::as_matrix(x) - testing::as_matrix(other)).norm();
    const Vector change = testing::embed_all(*transform, graph, other) - z;
    worst.any_change = std::max(worst.any_change, ratio(change.norm(), F / std::sqrt(g) * distance));
  }
  return worst;
}

constexpr double kRounding = 1e-12;

void expect_stable(const WorstRatios& worst) {
  EXPECT_LE(worst.norm, 1 + kRounding);
  EXPECT_LE(worst.feature_removal, 1 + kRounding);
  EXPECT_LE(worst.any_change, 1 + kRounding);
}

TEST(Stability, TightFramesStayBelowTheRootOfTheLayers) {
  for (const std::size_t scales : {2u, 3u, 5u}) {
    const auto bank = make_spectral_bank(itersine(scales).value(), {.method = SpectralMethod::kEigen}).value();
    for (const std::size_t layers : {1u, 2u, 3u}) {
      for (const bool linear : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "J " << scales << ", L " << layers << ", linear " << linear);
        const WorstRatios worst = measure(bank, 1.0, layers, linear, 100);
        expect_stable(worst);
        EXPECT_DOUBLE_EQ(embedding_norm_bound(1.0, layers), std::sqrt(static_cast<double>(layers)));
        // Attained by the constant signal on a regular graph, all of which lies in the lowest band: the test is sharp.
        EXPECT_GE(worst.norm, 1 - kRounding);
      }
    }
  }
}

TEST(Stability, MonicCubicStaysBelowTheBoundOfItsFrame) {
  for (const std::size_t scales : {2u, 4u}) {
    const auto bank = make_spectral_bank(monic_cubic(scales).value(), {.method = SpectralMethod::kEigen}).value();
    for (const std::size_t layers : {2u, 3u}) {
      for (const bool linear : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "J " << scales << ", L " << layers << ", linear " << linear);
        expect_stable(measure(bank, bank->report().frame.upper, layers, linear, 150));
      }
    }
  }
}

// The widened bounds carry over to the filters that are applied.
TEST(Stability, ChebyshevFiltersStayBelowTheirWidenedBound) {
  const auto bank =
      make_spectral_bank(itersine(3).value(), {.method = SpectralMethod::kChebyshev, .degree = 32}).value();
  const double B = bank->on(small_graph(5)).value()->frame_bounds().upper;
  EXPECT_GT(B, 1.0);
  EXPECT_LT(B, 1.05);
  for (const bool linear : {false, true}) expect_stable(measure(bank, B, 3, linear, 100));
}

// Symmetric walks: B <= 1, so F = sqrt(L) as well.
TEST(Stability, SymmetricWalksStayBelowTheRootOfTheLayers) {
  const auto bank = make_walk_bank(WalkOperator::kSymmetric, 4).value();
  for (const bool linear : {false, true}) expect_stable(measure(bank, 1.0, 3, linear, 100));
}

KernelBank scaled(KernelBank bank, double factor) {
  for (SpectralKernel& kernel : bank.kernels) {
    kernel.value = [h = kernel.value, factor](double lambda) { return factor * h(lambda); };
    kernel.lipschitz = *kernel.lipschitz * factor;
  }
  bank.known_frame.reset();
  return bank;
}

// Negative control: 1.5 times louder filters held against the bound of the quiet ones.
TEST(Stability, AFrameBoundThatIsTooSmallIsNoticed) {
  const auto loud = make_spectral_bank(scaled(itersine(3).value(), 1.5), {.method = SpectralMethod::kEigen}).value();
  for (const bool linear : {false, true}) {
    const WorstRatios wrong = measure(loud, 1.0, 3, linear, 100);
    EXPECT_GT(wrong.norm, 1.1);
    EXPECT_GT(wrong.feature_removal, 1.1);
    EXPECT_GT(wrong.any_change, 1.1);
    expect_stable(measure(loud, loud->report().frame.upper, 3, linear, 100));  // and with its own bound all is well
  }
}

}  // namespace
}  // namespace unscatter
