// The rows, changes and checks that tests of a Learner and of its ladder share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/testing/seeded_random.h"
#include "support/random_rows.h"
#include "support/wide_gradient.h"
#include "unlearn/learner.h"

namespace unscatter::testing {

inline constexpr std::size_t kLearnerRows = 60;

inline LabelledRows learner_data(std::uint64_t seed, std::size_t columns) {
  return random_rows(seed, {.rows = kLearnerRows, .columns = columns, .classes = 3});
}

inline Learner learner_of(const LabelledRows& data, const SessionOptions& options) {
  SeededRandom noise(1);
  return Learner::create(data.rows, data.labels, data.classes, options, noise).value();
}

inline RowChange moved_row(std::size_t row, std::uint64_t seed, std::size_t columns) {
  return {row, {}, random_row(seed, columns), ChangeKind::kStructure};
}
inline RowChange removed_row(std::size_t row) { return {row, {}, {}, ChangeKind::kRemoved}; }

// The residual a fit claims covers the true one, for the rows that the learner holds.
inline void expect_residuals_hold(const Learner& learner, const LabelledRows& data, const SessionOptions& options,
                                  const Fit& fit, std::size_t living) {
  const double ridge = options.regularisation * static_cast<double>(living);
  WideMatrix gradient = wide_gradient(learner.rows(), data.labels, options.loss, ridge, fit.weights);
  if (fit.perturbation) gradient += fit.perturbation->cast<Wide>();
  for (Eigen::Index k = 0; k < gradient.cols(); ++k) EXPECT_LE(gradient.col(k).norm(), fit.residuals(k)) << k;
}

// The largest distance, over the classes, of the true gradient from what is known of it, over what the fit says it may
// be.
inline double unknown_share_of_gradient(const Learner& learner, const LabelledRows& data, const SessionOptions& options,
                                        const Fit& fit, std::size_t living) {
  const double ridge = options.regularisation * static_cast<double>(living);
  WideMatrix gradient = wide_gradient(learner.rows(), data.labels, options.loss, ridge, fit.weights);
  if (fit.perturbation) gradient += fit.perturbation->cast<Wide>();
  double largest = 0;
  for (Eigen::Index k = 0; k < gradient.cols(); ++k) {
    const Wide unknown = (gradient.col(k) - fit.gradient.col(k).cast<Wide>()).norm();
    largest = std::max(largest, static_cast<double>(unknown / fit.uncertainty(k)));
  }
  return largest;
}
inline void expect_gradient_is_known(const Learner& learner, const LabelledRows& data, const SessionOptions& options,
                                     const Fit& fit, std::size_t living) {
  EXPECT_LE(unknown_share_of_gradient(learner, data, options, fit, living), 1);
}

}  // namespace unscatter::testing
