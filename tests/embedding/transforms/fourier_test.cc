#include "unscatter/embedding/fourier.h"

#include <gtest/gtest.h>

#include <cmath>

#include "embedding/attribute_signals.h"
#include "embedding/wavelets/laplacian.h"
#include "linalg/symmetric_eigen.h"
#include "support/random_graph.h"

namespace unscatter {
namespace {

TEST(Fourier, IsTheMomentsOfTheSpectrum) {
  constexpr std::size_t kMoments = 3;
  const auto transform = make_fourier({.moments = kMoments}).value();
  EXPECT_EQ(transform->width(4), 12u);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Graph graph = testing::random_graph(seed, {.nodes = 3 + seed % 15, .attributes = 4});
    const NodeSignals signals = testing::attribute_signals(graph);
    const Vector z = testing::embed_all(*transform, graph, signals);
    // A basis whose signs were flipped at will, then fixed again, gives the same embedding.
    Matrix V = symmetric_eigen(dense_laplacian(graph, "tests").value()).value().vectors;
    for (Eigen::Index k = 0; k < V.cols(); k += 2) V.col(k) = -V.col(k);
    fix_signs(V);
    const Matrix spectrum = V.transpose() * testing::as_matrix(signals);
    ASSERT_EQ(z.size(), 12);
    for (Eigen::Index k = 0; k < 4; ++k) {
      for (Eigen::Index q = 0; q < 3; ++q) {
        const double expected = spectrum.col(k).array().pow(static_cast<int>(q) + 1).mean();
        EXPECT_NEAR(z(k * 3 + q), expected, 1e-13);
      }
    }
  }
}

// Arbitrary signs change the odd moments, leave the even ones, and are the same each time.
TEST(Fourier, ArbitrarySignsChangeOddMomentsOnly) {
  const auto fixed = make_fourier({.moments = 2}).value();
  const auto arbitrary = make_fourier({.moments = 2, .signs = EigenvectorSigns::kArbitrary}).value();
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = testing::random_graph(seed, {.nodes = 5 + seed % 9, .attributes = 1});
    const NodeSignals signals = testing::attribute_signals(graph);
    const Vector one = testing::embed_all(*fixed, graph, signals);
    const Vector other = testing::embed_all(*arbitrary, graph, signals);
    if (std::abs(one(0) - other(0)) > 1e-9) ++changed;
    EXPECT_NEAR(one(1), other(1), 1e-13);
    EXPECT_EQ(other, testing::embed_all(*arbitrary, graph, signals));
  }
  EXPECT_GT(changed, 15U);
}

// The second moment is the energy per node, whatever the basis (Parseval).
TEST(Fourier, SecondMomentIsTheEnergy) {
  const auto transform = make_fourier({.moments = 2}).value();
  const Graph graph = testing::random_graph(9, {.nodes = 17, .attributes = 1});
  const NodeSignals signals = testing::attribute_signals(graph);
  EXPECT_NEAR(testing::embed_all(*transform, graph, signals)(1), testing::as_matrix(signals).squaredNorm() / 17, 1e-13);
}

TEST(Fourier, LeavesInactiveChannelsOut) {
  const auto transform = make_fourier({.moments = 2}).value();
  const Graph graph = testing::random_graph(2, {.nodes = 6});
  const NodeSignals signals{.nodes = 6, .channels = {1, 4}, .values = std::vector<double>(12, 0.5)};
  BlockRow row;
  ASSERT_TRUE(transform->embed(graph, signals, 6, *transform->make_scratch(), row).ok());
  EXPECT_EQ(row.segments, (std::vector<Segment>{{2, 2}, {8, 2}}));
}

TEST(Fourier, RefusesWhatItCannotDo) {
  EXPECT_EQ(make_fourier({.moments = 0}).error().code, ErrorCode::kInvalidArgument);
  const Graph directed = testing::random_graph(1, {.directed = true, .attributes = 1});
  const auto transform = make_fourier().value();
  BlockRow row;
  const Status status =
      transform->embed(directed, testing::attribute_signals(directed), 1, *transform->make_scratch(), row);
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace unscatter
