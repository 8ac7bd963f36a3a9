#include "linalg/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "linalg/kernels.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

std::vector<double> arguments() {
  std::vector<double> all = {0.0, -0.0, 1e-300, 1e-17, 0.5, 1, 700, 708, 709, 745, 746, 1e10, 1e300};
  Sequence random(1);
  for (int i = 0; i < 20000; ++i) all.push_back((random.unit() - 0.5) * std::pow(10, 6 * random.unit() - 3));
  return all;
}

// The certificates allow for three and a half units; the code promises two.
TEST(ExpMinusAbs, IsRightToTwoUnitsInEveryVariant) {
  for (const kernel::Kernels* kernels : {&kernel::baseline_kernels(), kernel::avx2_kernels()}) {
    if (kernels == nullptr) continue;
    SCOPED_TRACE(kernels->name);
    const std::vector<double> x = arguments();
    std::vector<double> y(x.size());
    kernels->exp_minus_abs(x.data(), static_cast<std::ptrdiff_t>(x.size()), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double exact = std::exp(-std::abs(static_cast<long double>(x[i])));
      const auto rounded = static_cast<double>(exact);
      // Among the subnormal numbers any rounding of that size is harmless beside 1.
      const double unit = std::max(std::nextafter(rounded, 2.0) - rounded, std::numeric_limits<double>::min());
      EXPECT_LE(std::abs(static_cast<double>(static_cast<long double>(y[i]) - exact)), 2 * unit) << x[i];
    }
  }
}

TEST(ExpMinusAbs, DoesNotDependOnThePlace) {
  const std::vector<double> x = arguments();
  std::vector<double> together(x.size());
  exp_minus_abs(x, together);
  for (std::size_t i = 0; i < 500; ++i) {
    double alone = 0;
    exp_minus_abs({&x[i], 1}, {&alone, 1});
    EXPECT_EQ(alone, together[i]);
  }
  // In place, and NaN stays NaN.
  std::vector<double> same = x;
  same.back() = std::numeric_limits<double>::quiet_NaN();
  exp_minus_abs(same, same);
  EXPECT_TRUE(std::isnan(same.back()));
  EXPECT_EQ(same.front(), together.front());
}

// Lemma 8 of docs/theory.md, with room: |l'| to 8 u (1 + |l'|), l'' to 8 u / 4.
TEST(LogisticDerivatives, AreRightInEveryVariant) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
  for (const kernel::Kernels* kernels : {&kernel::baseline_kernels(), kernel::avx2_kernels()}) {
    if (kernels == nullptr) continue;
    SCOPED_TRACE(kernels->name);
    const std::vector<double> t = arguments();
    std::vector<double> slopes(t.size());
    std::vector<double> curvatures(t.size());
    kernels->logistic_derivatives(t.data(), static_cast<std::ptrdiff_t>(t.size()), slopes.data(), curvatures.data());
    for (std::size_t i = 0; i < t.size(); ++i) {
      const long double e = std::exp(-std::abs(static_cast<long double>(t[i])));
      const long double slope = t[i] >= 0 ? -e / (1 + e) : -1 / (1 + e);
      const long double curvature = e / ((1 + e) * (1 + e));
      EXPECT_LE(std::abs(static_cast<double>(static_cast<long double>(slopes[i]) - slope)),
                8 * kUnit * (1 + std::abs(static_cast<double>(slope))))
          << t[i];
      EXPECT_LE(std::abs(static_cast<double>(static_cast<long double>(curvatures[i]) - curvature)), 2 * kUnit) << t[i];
    }
  }
}

TEST(LogisticDerivatives, DoNotDependOnThePlace) {
  std::vector<double> t = arguments();
  t.back() = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> slopes(t.size());
  std::vector<double> curvatures(t.size());
  logistic_derivatives(t, slopes, curvatures);
  for (std::size_t i = 0; i < 500; ++i) {
    double slope = 0;
    double curvature = 0;
    logistic_derivatives({&t[i], 1}, {&slope, 1}, {&curvature, 1});
    EXPECT_EQ(slope, slopes[i]);
    EXPECT_EQ(curvature, curvatures[i]);
  }
  EXPECT_TRUE(std::isnan(slopes.back()) && std::isnan(curvatures.back()));
}

}  // namespace
}  // namespace unscatter
