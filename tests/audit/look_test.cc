#include "audit/look.h"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/normal_matrix.h"

namespace unscatter {
namespace {

using testing::normal_matrix;

constexpr double kLookSigma = 1e-3;

// Worlds that differ by `direction`, looked at `pairs` times.
Comparison compare(const Matrix& direction, const Matrix& shift, std::size_t pairs, std::uint64_t seed) {
  Sequence random(seed);
  const Matrix reference = normal_matrix(random, direction.rows(), direction.cols());
  Comparison comparison(reference, direction, kLookSigma, regions_of_model(direction.rows(), direction.cols()), 100);
  for (std::size_t i = 0; i < pairs; ++i) {
    comparison.see(reference + kLookSigma * normal_matrix(random, direction.rows(), direction.cols()),
                   reference + shift + kLookSigma * normal_matrix(random, direction.rows(), direction.cols()));
  }
  return comparison;
}

TEST(AuditLook, RegionsCoverEveryWeightOncePerKind) {
  const std::vector<Region> regions = regions_of_model(21, 3);
  Matrix classes = Matrix::Zero(21, 3), blocks = Matrix::Zero(21, 3);
  ASSERT_EQ(regions.size(), 1u + 3u + 8u);
  EXPECT_EQ(regions[0].rows * regions[0].columns, 63);
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const Region& region = regions[i];
    (i <= 3 ? classes : blocks).block(region.row, region.column, region.rows, region.columns).array() += 1;
  }
  EXPECT_EQ(classes, Matrix::Ones(21, 3));
  EXPECT_EQ(blocks, Matrix::Ones(21, 3));
  // One coordinate is no block of its own.
  EXPECT_EQ(regions_of_model(1, 2).size(), 3u);
}

TEST(AuditLook, FindsAShiftOfOneAndDoesNotExceedIt) {
  Sequence random(1);
  Matrix direction = normal_matrix(random, 12, 2);
  direction *= kLookSigma / direction.norm();
  const Comparison comparison = compare(direction, direction, 8100, 2);
  const std::vector<AuditLook> looks = comparison.report(1e-4, 1e-3);
  EXPECT_EQ(looks.front().draws, 8000u);
  EXPECT_NEAR(looks.front().known_shift, 1, 1e-9);
  EXPECT_NEAR(looks.front().threshold, 0.5, 0.3);
  EXPECT_GT(looks.front().shift_lower_bound, 0.8);
  for (const AuditLook& look : looks) EXPECT_LE(look.shift_lower_bound, look.known_shift) << look.name;
}

TEST(AuditLook, FindsNothingWhereThereIsNothing) {
  Sequence random(1);
  const Matrix direction = normal_matrix(random, 12, 2);
  for (const AuditLook& look : compare(direction, Matrix::Zero(12, 2), 4100, 3).report(1e-4, 1e-3)) {
    EXPECT_EQ(look.shift_lower_bound, 0) << look.name;
    EXPECT_EQ(look.epsilon_lower_bound, 0) << look.name;
  }
}

// A shift in one class of many: the look at that class must see it as well as the look at everything.
TEST(AuditLook, TheLookAtAClassSeesWhatHappensThere) {
  Matrix direction = Matrix::Zero(12, 4);
  direction.col(2).setConstant(2 * kLookSigma / std::sqrt(12.0));
  const Comparison comparison = compare(direction, direction, 2100, 4);
  bool found = false;
  for (const AuditLook& look : comparison.report(1e-4, 1e-3)) {
    EXPECT_NE(look.name, "class 1");  // D vanishes there
    if (look.name != "class 2") continue;
    found = true;
    EXPECT_NEAR(look.known_shift, 2, 1e-9);
    EXPECT_GT(look.shift_lower_bound, 1.5);
  }
  EXPECT_TRUE(found);
}

TEST(AuditLook, TheHistogramCountsEveryObservationAfterThePilotOnes) {
  const Matrix direction = Matrix::Constant(5, 2, 10 * kLookSigma);
  const Comparison comparison = compare(direction, direction, 600, 5);
  const AuditHistogram& histogram = comparison.histogram();
  std::size_t reference = 0, test = 0;
  for (const std::size_t count : histogram.reference) reference += count;
  for (const std::size_t count : histogram.test) test += count;
  EXPECT_EQ(reference, 500u);
  EXPECT_EQ(test, 500u);
  EXPECT_GT(histogram.high, 30);
}

}  // namespace
}  // namespace unscatter
