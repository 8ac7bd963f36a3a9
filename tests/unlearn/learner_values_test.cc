#include "unlearn/learner_values.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace unscatter {
namespace {

// Nothing in it is as by default.
SessionOptions odd_options() {
  SessionOptions options;
  options.loss = Loss::huber_svm(0.25).value();
  options.regularisation = 0.5;
  options.ridge = 3;
  options.bias = true;
  options.optimizer = Optimizer::kLbfgs;
  options.classes = ConstantKind::kStated;
  options.constants = {{"transform", ConstantKind::kStated}, {"form", ConstantKind::kBuiltIn}};
  options.mechanism = Mechanism::kObjective;
  options.guarantee = {2, 1e-3};
  options.protection = Protection::kEveryone;
  options.per_subject = 4;
  options.noise_stddev = 5;
  options.releases = 6;
  options.distance_limit = 7;
  options.bound = ResidualBound::kData;
  options.rule = BudgetRule::kPaper;
  options.report_all_bounds = true;
  options.row_norm = 8;
  options.retrain_when_exceeded = true;
  options.warm_retraining = true;
  options.fast_rung = false;
  options.expected_updates = 9;
  options.embedding_guarantee = {10, 1e-4};
  EarlierCount earlier;
  earlier.guarantee = {11, 1e-5};
  earlier.releases = 12;
  earlier.published = 13;
  options.earlier = {earlier};
  options.removal = NodeRemoval::kTombstone;
  options.method = Method::kWholeGraph;
  return options;
}

Fit odd_fit() {
  Fit fit;
  fit.weights = Matrix::Random(3, 2);
  fit.residuals = Vector::Random(2);
  fit.binding = ResidualBound::kTight;
  fit.gradient = Matrix::Random(3, 2);
  fit.uncertainty = Vector::Random(2);
  fit.perturbation = Matrix::Random(3, 2);
  fit.bounds = {1, 2, std::nullopt, 4};
  fit.rung = Rung::kNewton;
  fit.newton_steps = 5;
  return fit;
}

KeptCurvature odd_curvature() {
  return {Matrix::Random(3, 2), {Matrix::Random(3, 3), Matrix::Random(3, 3)}, Matrix::Random(3, 3), 1, 2, 3, 4, 5, 6};
}

std::vector<RowChange> odd_changes() {
  RowChange change;
  change.row = 7;
  change.after = {{{1, 2}}, {0.5, -0.25}};
  change.kind = ChangeKind::kFeatures;
  change.label_after = 3;
  RowChange gone;
  gone.row = 8;
  gone.kind = ChangeKind::kRemoved;
  return {change, gone};
}

template <typename Value>
std::vector<std::byte> bytes_of(const Value& value) {
  PlainWriter writer;
  put(writer, value);
  return std::move(writer.bytes());
}

// What is read back is written as the same bytes, and less of them is no value.
template <typename Value, typename Get>
void expect_return(const Value& value, Get get_value) {
  const std::vector<std::byte> bytes = bytes_of(value);
  PlainReader reader(bytes);
  const Value back = get_value(reader);
  reader.require_end();
  EXPECT_EQ(bytes_of(back), bytes);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    PlainReader cut(std::span<const std::byte>(bytes.data(), length));
    EXPECT_THROW((void)get_value(cut), MalformedMessage) << length << " of " << bytes.size() << " bytes";
  }
}

TEST(LearnerValues, EveryValueComesBackAndNoPartOfItIsOne) {
  expect_return(odd_options(), get_options);
  expect_return(odd_fit(), get_fit);
  expect_return(odd_curvature(), get_curvature);
  expect_return(odd_changes(), get_changes);
}

// Bytes alone do not tell two options apart that changed places.
TEST(LearnerValues, OptionsComeBackInTheirPlaces) {
  const std::vector<std::byte> bytes = bytes_of(odd_options());
  PlainReader reader(bytes);
  const SessionOptions options = get_options(reader);
  EXPECT_EQ(options.loss.describe(), odd_options().loss.describe());
  EXPECT_EQ(options.regularisation, 0.5);
  EXPECT_EQ(options.ridge, 3);
  EXPECT_EQ(options.constants.size(), 2U);
  EXPECT_EQ(options.guarantee.epsilon, 2);
  EXPECT_EQ(options.per_subject, 4U);
  EXPECT_EQ(options.noise_stddev, 5);
  EXPECT_EQ(options.releases, 6U);
  EXPECT_EQ(options.distance_limit, 7);
  EXPECT_EQ(options.row_norm, 8);
  EXPECT_TRUE(options.report_all_bounds && options.retrain_when_exceeded && options.warm_retraining);
  EXPECT_FALSE(options.fast_rung);
  EXPECT_EQ(options.expected_updates, 9U);
  EXPECT_EQ(options.embedding_guarantee->epsilon, 10);
  EXPECT_EQ(options.earlier.at(0).guarantee.epsilon, 11);
  EXPECT_EQ(options.method, Method::kWholeGraph);
}

TEST(LearnerValues, AChoiceThatDoesNotExistIsMalformed) {
  std::vector<std::byte> bytes = bytes_of(odd_options());
  bytes.front() = std::byte{77};  // of the loss
  PlainReader options(bytes);
  EXPECT_THROW((void)get_options(options), MalformedMessage);
  bytes = bytes_of(odd_options());
  bytes.back() = std::byte{77};  // of the method
  PlainReader more_options(bytes);
  EXPECT_THROW((void)get_options(more_options), MalformedMessage);
}

}  // namespace
}  // namespace unscatter
