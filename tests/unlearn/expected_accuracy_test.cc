#include "unlearn/expected_accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace unscatter {
namespace {

struct ScoreCase {
  Matrix scores;
  std::vector<std::uint32_t> labels;
  std::vector<double> norms;
};

ScoreCase score_case(Eigen::Index rows, Eigen::Index classes) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  ScoreCase made{Matrix(rows, classes), {}, {}};
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index k = 0; k < classes; ++k) made.scores(i, k) = normal(engine);
    made.labels.push_back(static_cast<std::uint32_t>(i % classes));
    made.norms.push_back(0.5 + 0.1 * static_cast<double>(i % 5));
  }
  return made;
}

// Draws noise, adds it and counts.
double drawn_accuracy(const ScoreCase& made, double noise, std::size_t vectors, std::size_t draws) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  std::size_t right = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (Eigen::Index i = 0; i < made.scores.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      Vector scores = made.scores.row(i);
      for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(vectors); ++k) {
        scores(k) += noise * made.norms[at] * normal(engine);
      }
      if (vectors < static_cast<std::size_t>(scores.size())) scores(1) = -scores(0);
      Eigen::Index best = 0;
      scores.maxCoeff(&best);
      if (static_cast<std::size_t>(best) == made.labels[at]) ++right;
    }
  }
  return static_cast<double>(right) / static_cast<double>(draws * static_cast<std::size_t>(made.scores.rows()));
}

TEST(ExpectedAccuracy, IsTheMeanOverDraws) {
  for (const Eigen::Index classes : {2, 3, 10}) {
    const ScoreCase made = score_case(40, classes);
    for (const double noise : {0.05, 0.5, 3.0}) {
      const double expected =
          expected_accuracy(made.scores, made.labels, made.norms, noise, static_cast<std::size_t>(classes));
      // 200,000 draws of one score: a standard deviation of 0.0011.
      EXPECT_NEAR(expected, drawn_accuracy(made, noise, static_cast<std::size_t>(classes), 5000), 0.005)
          << classes << " classes, noise " << noise;
    }
  }
}

TEST(ExpectedAccuracy, OneVectorDecidesForTwoMirroredClasses) {
  ScoreCase made = score_case(40, 2);
  made.scores.col(1) = -made.scores.col(0);
  EXPECT_NEAR(expected_accuracy(made.scores, made.labels, made.norms, 0.7, 1), drawn_accuracy(made, 0.7, 1, 5000),
              0.005);
}

// Two formulas for two classes: the closed one, and the integral with a third class that never wins.
TEST(ExpectedAccuracy, TheIntegralIsAsGoodAsTheClosedForm) {
  const ScoreCase made = score_case(60, 2);
  Matrix three(60, 3);
  three << made.scores, Vector::Constant(60, -1e6);
  for (const double noise : {0.01, 0.1, 1.0, 10.0}) {
    EXPECT_NEAR(expected_accuracy(three, made.labels, made.norms, noise, 3),
                expected_accuracy(made.scores, made.labels, made.norms, noise, 2), 1e-8)
        << noise;
  }
}

TEST(ExpectedAccuracy, WithoutNoiseItIsTheAccuracy) {
  const ScoreCase made = score_case(40, 3);
  EXPECT_DOUBLE_EQ(expected_accuracy(made.scores, made.labels, made.norms, 0, 3), drawn_accuracy(made, 0, 3, 1));
  EXPECT_EQ(expected_accuracy(Matrix(0, 3), {}, {}, 0, 3), 0);
}

}  // namespace
}  // namespace unscatter
