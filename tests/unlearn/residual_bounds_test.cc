#include "unlearn/residual_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "learn/wide_loss.h"
#include "unscatter/base/random.h"
#include "unscatter/learn/loss.h"

namespace unscatter {
namespace {

using Arguments = std::vector<double>;

double from_one_to_ten(Sequence& random) { return std::pow(10.0, random.unit()); }

// `formula` rises with its first `rising` arguments and falls with the others.
void expect_monotone(const std::function<double(const Arguments&)>& formula, std::size_t rising,
                     std::size_t falling = 0) {
  Sequence random(rising);
  for (int repeat = 0; repeat < 100; ++repeat) {
    Arguments arguments(rising + falling);
    for (double& x : arguments) x = from_one_to_ten(random);
    const double value = formula(arguments);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      Arguments more = arguments;
      more[i] *= 1 + random.unit();
      if (i < rising) {
        EXPECT_GE(formula(more), value) << i;
      } else {
        EXPECT_LE(formula(more), value) << i;
      }
    }
  }
}

TEST(ResidualBounds, AreMonotoneInEveryArgument) {
  expect_monotone([](const Arguments& a) { return data_dependent_bound(a[0], a[1], a[2], a[3], a[4]); }, 5);
  expect_monotone([](const Arguments& a) { return tightened_bound(a[0], a[1], a[2]); }, 3);
  expect_monotone(
      [](const Arguments& a) {
        return worst_case_bound(a[0], a[1], a[3], static_cast<std::size_t>(std::ceil(100 * a[4])), a[2]);
      },
      3, 2);
  expect_monotone([](const Arguments& a) { return worst_case_node_change(a[0], a[1]); }, 2);
  expect_monotone([](const Arguments& a) { return worst_case_feature_change(a[0], a[1], a[2], a[3], a[4]); }, 5);
  expect_monotone([](const Arguments& a) { return worst_case_graph_change(a[0], a[1], a[2], a[3]); }, 4);
}

// Removing features is part of removing the node, and is never charged more, however far the embedding moved.
TEST(ResidualBounds, FeaturesNeverCostMoreThanTheirNode) {
  Sequence random(1);
  bool less = false;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double slope = from_one_to_ten(random);
    const double row_norm = from_one_to_ten(random);
    const double features =
        worst_case_feature_change(slope, random.unit(), row_norm, from_one_to_ten(random), from_one_to_ten(random) - 1);
    EXPECT_LE(features, worst_case_node_change(slope, row_norm));
    less = less || features < worst_case_node_change(slope, row_norm);
  }
  EXPECT_TRUE(less);
  EXPECT_EQ(worst_case_feature_change(1, 1, 1, 1, 0), 0);  // what did not move costs nothing
}

// A quadratic has no Taylor remainder, although its slope has no bound.
TEST(ResidualBounds, AreZeroForTheSquaredLoss) {
  const Loss loss = Loss::squared();
  ASSERT_EQ(loss.slope_bound(), std::numeric_limits<double>::infinity());
  const double gamma = loss.published_curvature_lipschitz();
  const double slope = loss.slope_bound();
  for (const double change : {worst_case_node_change(slope, 1), worst_case_graph_change(slope, 1, 1e-3, 2),
                              worst_case_feature_change(slope, loss.curvature_bound(), 1, 2, 0.5),
                              worst_case_feature_change(slope, loss.curvature_bound(), 1, 2, 0)}) {
    EXPECT_EQ(worst_case_bound(gamma, 3, 1e-3, 10, change), 0);
  }
  EXPECT_EQ(data_dependent_bound(gamma, 1, 2, 3, 4), 0);
  EXPECT_EQ(tightened_bound(loss.curvature_lipschitz(), 2, 3), 0);
}

// With the paper's constants in place of measured ones: C_1 = C_2 F, |w| = C_1 / lambda, |z - z'| = F / sqrt(g).
TEST(ResidualBounds, AreThoseOfThePaperWithItsConstants) {
  for (const Loss& loss : {Loss::logistic(), Loss::huber_svm().value()}) {
    for (const long double lambda : {1e-4L, 1e-2L, 1.0L}) {
      for (const std::size_t graphs : {1UL, 100UL, 5000UL}) {
        for (const long double nodes : {1.0L, 10.0L, 1e4L, 1e12L}) {  // g, of the edited graph
          const long double F = std::sqrt(2.0L);
          const long double gamma_1 = loss.curvature_bound();
          const long double gamma_2 = loss.published_curvature_lipschitz();
          const long double C_2 = loss.slope_bound();
          const long double C_1 = C_2 * F;
          const auto n = static_cast<long double>(graphs);
          const auto bound = [&](double change) {
            return worst_case_bound(static_cast<double>(gamma_2), static_cast<double>(F), static_cast<double>(lambda),
                                    graphs, change);
          };
          const auto row_norm = static_cast<double>(F);
          const auto slope = static_cast<double>(C_2);
          // [Pan23, Thm. 4.4]
          const long double for_nodes = 4 * gamma_2 * C_1 * C_1 * F * F * F / (lambda * lambda * n);
          testing::expect_near(bound(worst_case_node_change(slope, row_norm)), for_nodes, 1e-13L * for_nodes);
          // [Pan23, Thm. 4.3]
          const long double moved = gamma_1 * C_1 * F + lambda * C_2;
          const long double for_features = gamma_2 * F * F * F / (std::pow(lambda, 4.0L) * n) *
                                           std::min(4 * lambda * lambda * C_1 * C_1, moved * moved * F * F / nodes);
          const double change =
              worst_case_feature_change(slope, static_cast<double>(gamma_1), row_norm,
                                        static_cast<double>(C_1 / lambda), static_cast<double>(F / std::sqrt(nodes)));
          testing::expect_near(bound(change), for_features, 1e-13L * for_features);
        }
      }
    }
  }
}

// Results err high: the same formula in extended precision is never above.
TEST(ResidualBounds, ErrHigh) {
  Sequence random(2);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    Arguments a(5);
    for (double& x : a) x = from_one_to_ten(random);
    const auto w = [&](std::size_t i) { return static_cast<long double>(a[i]); };
    EXPECT_GE(data_dependent_bound(a[0], a[1], a[2], a[3], a[4]), w(0) * w(1) * w(2) * w(3) * w(4));
    EXPECT_GE(tightened_bound(a[0], a[1], a[2]), w(0) / 2 * w(1) * w(2));
    EXPECT_GE(worst_case_bound(a[0], a[1], a[2], 7, a[3]), w(0) * w(1) * w(1) * w(1) * w(3) * w(3) / (w(2) * w(2) * 7));
    EXPECT_GE(worst_case_node_change(a[0], a[1]), 2 * w(0) * w(1));
    EXPECT_GE(worst_case_graph_change(a[0], a[1], a[2], a[3]), w(0) * w(1) + w(2) * w(3));
    const double displacement = a[4] / 100;
    const long double by_displacement = (w(1) * w(2) * w(3) + w(0)) * displacement;
    EXPECT_GE(worst_case_feature_change(a[0], a[1], a[2], a[3], displacement),
              std::min(2 * w(0) * w(2), by_displacement));
  }
}

}  // namespace
}  // namespace unscatter
