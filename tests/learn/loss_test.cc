#include "unscatter/learn/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "learn/wide_loss.h"

namespace unscatter {
namespace {

using testing::all_losses;
using testing::expect_near;
using testing::Wide;
using testing::WideLoss;

// Margins from far on one side to far on the other, the knots of huber-svm and their neighbours among them.
std::vector<double> margins(const Loss& loss) {
  std::vector<double> points = {-700, -80, -30, 30, 80, 700};
  for (double t = -12; t <= 12; t += 0.0371) points.push_back(t);
  for (const double knot : {1 - loss.smoothing(), 1.0, 1 + loss.smoothing()}) {
    for (const double near : {-1e-3, -1e-9, 0.0, 1e-9, 1e-3}) points.push_back(knot + near);
  }
  return points;
}

// The reference is tied to itself first: its slope and curvature are the differences of its value.
TEST(Loss, SlopeAndCurvatureAreTheDerivatives) {
  for (const Loss& loss : all_losses()) {
    const WideLoss wide{loss};
    for (const double t : margins(loss)) {
      SCOPED_TRACE(::testing::Message() << loss.describe() << " at " << t);
      const Wide e = 1e-5L;
      const Wide scale = 1 + std::abs(wide.value(t));
      const Wide third = loss.curvature_lipschitz();
      const Wide difference = (wide.value(t + e) - wide.value(t - e)) / (2 * e);
      expect_near(wide.slope(t), difference, third * e * e + 1e-12L * scale);
      const Wide second = (wide.value(t + e) - 2 * wide.value(t) + wide.value(t - e)) / (e * e);
      expect_near(wide.curvature(t), second, third * e + 1e-7L * scale);

      const double u = std::numeric_limits<double>::epsilon();
      expect_near(loss.value(t), wide.value(t), 4 * u * (std::abs(wide.value(t)) + 1e-3));
      expect_near(loss.slope(t), wide.slope(t), 4 * u * (1 + std::abs(wide.slope(t))));
      expect_near(loss.curvature(t), wide.curvature(t), 4 * u * loss.curvature_bound());
    }
  }
}

// What a loss that sees t with a relative error of 2^-50 (or 1 - t, which is what matters to some) may be off by over a
// step.
Wide from_argument(const Loss& loss, double t, double step, Wide curvature) {
  const Wide argument = 0x1p-50L * (std::abs(static_cast<Wide>(t)) + 1);
  return std::abs(step) * argument * (curvature + argument * loss.curvature_lipschitz());
}

// For steps too short to see in the value, against the Taylor polynomial.
TEST(Loss, ChangeIsAccurateHoweverSmallTheStep) {
  for (const Loss& loss : all_losses()) {
    const WideLoss wide{loss};
    for (const double t : margins(loss)) {
      for (const double size : {1e-300, 1e-100, 1e-30, 1e-16, 1e-12, 1e-9}) {
        for (const double step : {size, -size}) {
          SCOPED_TRACE(::testing::Message() << loss.describe() << " at " << t << " by " << step);
          const Wide s = step;
          const Wide expected = s * (wide.slope(t) + s / 2 * wide.curvature(t));
          const Wide unit = std::abs(s * wide.slope(t)) + s * s * wide.curvature(t);
          const Wide third = std::abs(s * s * s) * loss.curvature_lipschitz();
          expect_near(loss.change(t, step), expected,
                      1e-15L * unit + third + from_argument(loss, t, step, wide.curvature(t)) + 1e-322L);
        }
      }
    }
  }
}

TEST(Loss, ChangeOfLongStepsIsTheDifferenceOfValues) {
  for (const Loss& loss : all_losses()) {
    const WideLoss wide{loss};
    for (const double t : margins(loss)) {
      for (const double size : {1e-4, 0.01, 0.3, 0.9, 1.7, 5.0, 33.0, 690.0, 750.0, 2000.0}) {
        for (const double step : {size, -size}) {
          SCOPED_TRACE(::testing::Message() << loss.describe() << " at " << t << " by " << step);
          const Wide expected = wide.value(static_cast<Wide>(t) + step) - wide.value(t);
          const Wide unit = std::abs(expected) + 1e-3L * std::abs(wide.value(t));  // the reference cancels too
          // An argument that is off by a little moves the change by the difference of the slopes.
          const Wide argument = 0x1p-50L * (std::abs(static_cast<Wide>(t)) + 1);
          const Wide moved = argument * std::abs(wide.slope(static_cast<Wide>(t) + step) - wide.slope(t));
          expect_near(loss.change(t, step), expected,
                      2e-15L * unit + moved + argument * argument * loss.curvature_bound());
        }
      }
    }
  }
  EXPECT_EQ(Loss::logistic().change(0.3, 0), 0);
  EXPECT_EQ(Loss::huber_svm().value().change(0.3, 0), 0);
}

// Constants hold everywhere and are nearly attained somewhere: none is too small, none too large.
TEST(Loss, ConstantsHoldAndAreSharp) {
  for (const Loss& loss : all_losses()) {
    SCOPED_TRACE(loss.describe());
    double slope = 0, curvature = 0, lipschitz = 0;
    constexpr double kStep = 1e-3;
    for (double t = -25; t <= 25; t += kStep) {
      slope = std::max(slope, std::abs(loss.slope(t)));
      curvature = std::max(curvature, loss.curvature(t));
      lipschitz = std::max(lipschitz, std::abs(loss.curvature(t + kStep) - loss.curvature(t)) / kStep);
      EXPECT_GE(loss.curvature(t), 0);
      EXPECT_GE(loss.value(t), 0);
    }
    EXPECT_LE(slope, loss.slope_bound());
    EXPECT_LE(curvature, loss.curvature_bound());
    EXPECT_LE(lipschitz, loss.curvature_lipschitz() + 1e-12 * loss.curvature_bound() / kStep);
    EXPECT_GE(curvature, 0.95 * loss.curvature_bound());
    EXPECT_GE(lipschitz, 0.999 * loss.curvature_lipschitz());
    if (std::isfinite(loss.slope_bound())) {
      EXPECT_GE(slope, 0.999 * loss.slope_bound());
    }
    EXPECT_GE(loss.published_curvature_lipschitz(), loss.curvature_lipschitz());
  }
  EXPECT_EQ(Loss::squared().slope_bound(), std::numeric_limits<double>::infinity());
  EXPECT_GE(Loss::logistic().curvature_lipschitz(), 1 / (6 * std::sqrt(3.0L)));
  EXPECT_LE(Loss::logistic().curvature_lipschitz(), 1 / (6 * std::sqrt(3.0L)) * (1 + 1e-14L));
  EXPECT_EQ(Loss::logistic().published_curvature_lipschitz(), 0.25);
}

TEST(Loss, HuberSvmIsTheHingeAwayFromItsCornerAndSmoothAtTheKnots) {
  const Loss loss = Loss::huber_svm(0.25).value();
  EXPECT_EQ(loss.value(-3), 4);
  EXPECT_EQ(loss.value(1.25), 0);
  EXPECT_EQ(loss.slope(0.75), -1);
  EXPECT_EQ(loss.slope(1), -0.5);
  EXPECT_EQ(loss.curvature(1), 4);
  for (const double knot : {0.75, 1.0, 1.25}) {
    const double before = std::nextafter(knot, 0.0);
    const double after = std::nextafter(knot, 2.0);
    EXPECT_NEAR(loss.curvature(before), loss.curvature(after), 1e-13);
    EXPECT_NEAR(loss.slope(before), loss.slope(after), 1e-14);
    EXPECT_NEAR(loss.value(before), loss.value(after), 1e-15);
  }
}

TEST(Loss, DescriptionsParseBack) {
  for (const Loss& loss : all_losses()) EXPECT_EQ(Loss::parse(loss.describe()).value(), loss);
  EXPECT_EQ(Loss::parse("huber-svm").value(), Loss::huber_svm().value());
  EXPECT_EQ(Loss::parse("huber-svm:0.1").value().smoothing(), 0.1);
  for (const char* text :
       {"", "Logistic", "logistic ", "hinge", "huber-svm:", "huber-svm:x", "huber-svm:0.5x", "huber-svm:0",
        "huber-svm:-1", "huber-svm:nan", "huber-svm:inf", "huber-svm:1e7", "huber-svm:1e-7", "huber-svm: 1"}) {
    const auto parsed = Loss::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace unscatter
