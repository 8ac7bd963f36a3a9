#include "reembedding/power_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "reembedding/shift_cases.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Largest |cached S^k - S^k from scratch| over the power's own largest magnitude, over all k.
double relative_error(const PowerCache& cache, const Matrix& S) {
  const PowerCache fresh = PowerCache::create(S, cache.degree()).value();
  double worst = 0;
  for (std::size_t k = 0; k <= cache.degree(); ++k) {
    const double scale = std::max(fresh.power(k).cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
    worst = std::max(worst, (cache.power(k) - fresh.power(k)).cwiseAbs().maxCoeff() / scale);
  }
  return worst;
}

TEST(PowerCache, RemovalEqualsPowersFromScratch) {
  for (std::size_t nodes = 2; nodes <= 40; ++nodes) {
    for (std::uint64_t seed = nodes; seed < nodes + 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << nodes << " nodes, seed " << seed);
      const Matrix S = testing::random_shift(seed, nodes);
      const auto v = static_cast<Index>(seed % nodes);
      PowerCache compact = PowerCache::create(S, 8).value();
      PowerCache tombstone = compact;
      ASSERT_TRUE(compact.remove_node(static_cast<std::size_t>(v)).ok());
      ASSERT_TRUE(tombstone.remove_node(static_cast<std::size_t>(v), NodeRemoval::kTombstone).ok());
      EXPECT_LE(relative_error(compact, without(S, v)), 1e-10);
      EXPECT_LE(relative_error(tombstone, testing::tombstone(S, v)), 1e-10);
    }
  }
}

// A diagonal (a lazy walk with frozen degrees) is no obstacle.
TEST(PowerCache, SelfWeightsAreAllowed) {
  const Matrix S = 0.5 * (Matrix::Identity(20, 20) + testing::random_shift(4, 20));
  PowerCache cache = PowerCache::create(S, 16).value();
  ASSERT_TRUE(cache.remove_node(7).ok());
  EXPECT_LE(relative_error(cache, without(S, 7)), 1e-12);
}

// Down to one node, in random order.  The update subtracts walks through v from all walks, so an error of 1e-16 of the
// OLD power stays behind in the new one, which may be smaller: the bound is relative to the powers at the start. Powers
// of an adjacency are integers here, below 2^53, and their updates exact; the frozen-degree shifts are the ones that
// round.
TEST(PowerCache, RemovalsInSequenceUntilOneNodeIsLeft) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Sequence random(seed);
    Matrix S = testing::random_shift(seed, 31);
    PowerCache cache = PowerCache::create(S, 8).value();
    const PowerCache start = cache;
    while (cache.nodes() > 1) {
      const auto v = static_cast<Index>(random.below(cache.nodes()));
      S = without(S, v);
      ASSERT_TRUE(cache.remove_node(static_cast<std::size_t>(v)).ok());
      const PowerCache fresh = PowerCache::create(S, 8).value();
      for (std::size_t k = 0; k <= 8; ++k) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << cache.nodes() << " nodes left, power " << k);
        EXPECT_LE((cache.power(k) - fresh.power(k)).cwiseAbs().maxCoeff(),
                  1e-14 * start.power(k).cwiseAbs().maxCoeff());
      }
    }
    EXPECT_EQ(cache.remove_node(0).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(PowerCache, FiltersAndWaveletsAreReadOff) {
  const Matrix S = testing::random_shift(6, 25);
  PowerCache cache = PowerCache::create(S, 8).value();
  ASSERT_TRUE(cache.remove_node(3).ok());
  const Matrix T = without(S, 3);
  const RowMatrix x = testing::random_signals(1, 24, 5);
  const double coefficients[] = {0.5, -1, 0.25, 2};
  const RowMatrix expected = 0.5 * x - T * x + 0.25 * T * (T * x) + 2 * T * (T * (T * x));
  EXPECT_LE((cache.apply(coefficients, x) - expected).norm(), 1e-13);

  std::vector<RowMatrix> bands;
  cache.apply_wavelets(4, x, bands);
  const Matrix T2 = T * T;
  const Matrix T4 = T2 * T2;
  ASSERT_EQ(bands.size(), 4u);
  EXPECT_LE((bands[0] - (x - T * x)).norm(), 1e-13);
  EXPECT_LE((bands[1] - (T - T2) * x).norm(), 1e-13);
  EXPECT_LE((bands[2] - (T2 - T4) * x).norm(), 1e-13);
  EXPECT_LE((bands[3] - (T4 - T4 * T4) * x).norm(), 1e-13);
  EXPECT_THROW(cache.apply_wavelets(5, x, bands), InvariantViolation);
  EXPECT_EQ(cache.bytes(), 9u * 24 * 24 * 8);
}

// Negative control: equation (1) with f_m replaced by (S^m)_iv, that is, without the renewal correction (2).  It counts
// a walk once per visit to v.  The shortest walk between other nodes with two visits has four steps (to v, away, back,
// away), so every power from the fourth on must fail the comparison that the tests above pass, by far more than its
// tolerance of 1e-10.
TEST(PowerCache, WithoutTheRenewalCorrectionTheComparisonFails) {
  const Matrix S = testing::random_shift(3, 20);
  const Index v = 5;
  ASSERT_GT(S.col(v).squaredNorm(), 0);
  const PowerCache before = PowerCache::create(S, 6).value();
  PowerCache after = before;
  ASSERT_TRUE(after.remove_node(static_cast<std::size_t>(v), NodeRemoval::kTombstone).ok());
  const PowerCache fresh = PowerCache::create(testing::tombstone(S, v), 6).value();
  for (std::size_t k = 1; k <= 6; ++k) {
    Matrix faulty = before.power(k);
    for (std::size_t m = 1; m <= k; ++m) faulty -= before.power(m).col(v) * before.power(k - m).row(v);
    const double scale = fresh.power(k).cwiseAbs().maxCoeff();
    const double error = (without(faulty, v) - without(fresh.power(k), v)).cwiseAbs().maxCoeff() / scale;
    if (k < 4) {
      EXPECT_LE(error, 1e-10);
    } else {
      EXPECT_GT(error, 1e-4);
    }
    EXPECT_LE((after.power(k) - fresh.power(k)).cwiseAbs().maxCoeff() / scale, 1e-10);
  }
}

TEST(PowerCache, RefusesWhatItCannotDo) {
  EXPECT_EQ(PowerCache::create(Matrix(), 2).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(PowerCache::create(Matrix::Zero(2, 3), 2).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(PowerCache::create(Matrix::Identity(2, 2), 0).error().code, ErrorCode::kInvalidArgument);
  Matrix skew = Matrix::Zero(2, 2);
  skew(0, 1) = 1;
  EXPECT_EQ(PowerCache::create(skew, 2).error().code, ErrorCode::kInvalidArgument);
  PowerCache cache = PowerCache::create(Matrix::Zero(2, 2), 2).value();
  EXPECT_EQ(cache.remove_node(2).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace unscatter
