#include "unscatter/unlearn/certificate.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace unscatter {
namespace {

TEST(CertificateNames, RoundTripAndAreDistinct) {
  for (const ResidualBound b : {ResidualBound::kWorst, ResidualBound::kData, ResidualBound::kTight,
                                ResidualBound::kExact, ResidualBound::kDrift}) {
    EXPECT_EQ(parse_residual_bound(name(b)).value(), b);
  }
  const std::set<std::string_view> rungs = {name(Rung::kFast), name(Rung::kExact), name(Rung::kNewton),
                                            name(Rung::kRetrain)};
  EXPECT_EQ(rungs.size(), 4u);
}

TEST(CertificateNames, AnUnknownNameIsRefusedWithTheChoices) {
  const Error error = parse_residual_bound("sharp").error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(error.message.find("'sharp'; choose from worst, data, tight, exact"), std::string::npos) << error.message;
}

TEST(RungCounts, CountEveryRungOnItsOwn) {
  RungCounts counts;
  for (const Rung rung : {Rung::kFast, Rung::kExact, Rung::kExact, Rung::kNewton, Rung::kNewton, Rung::kNewton}) {
    counts.count(rung);
  }
  EXPECT_EQ(counts, (RungCounts{.fast = 1, .exact = 2, .newton = 3, .retrain = 0}));
  counts.count(Rung::kRetrain);
  EXPECT_EQ(counts.retrain, 1u);
  EXPECT_EQ(counts.total(), 7u);
}

// Nobody gets a guarantee by forgetting to fill in a field.
TEST(Certificate, StartsAsAFailure) {
  const Certificate empty;
  EXPECT_FALSE(empty.satisfied);
  EXPECT_EQ(empty.rung, Rung::kRetrain);
  EXPECT_EQ(empty.promise.shift_limit, 0);
  EXPECT_FALSE(check_guarantee(empty.promise.guarantee).ok());
  EXPECT_FALSE(epsilon_upper_bound(empty).ok());  // delta = 0
}

// The epsilon of a certificate is the one at which its shift costs no more than its delta, and grows with the shift.
TEST(Certificate, EpsilonFollowsFromTheShift) {
  Certificate certificate;
  certificate.promise.delta_for_shift = 1e-4;
  double before = 0;
  for (const double shift : {0.0, 1e-6, 0.01, 0.3139, 1.0, 5.0}) {
    certificate.shift_upper_bound = shift;
    const double epsilon = epsilon_upper_bound(certificate).value();
    EXPECT_GE(epsilon, before);
    EXPECT_LE(delta_upper_bound(shift, epsilon).value(), certificate.promise.delta_for_shift);
    before = epsilon;
  }
  certificate.shift_upper_bound = std::numeric_limits<double>::infinity();
  EXPECT_EQ(epsilon_upper_bound(certificate).value(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace unscatter
