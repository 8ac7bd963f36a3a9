#include "unscatter/unlearn/session_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "unscatter/embedding/make_embedder.h"

namespace unscatter {
namespace {

TEST(SessionOptions, DefaultsAndThePapersChoicesAreValid) {
  EXPECT_TRUE(check_options({}).ok());
  for (const std::size_t layers : {1U, 2U, 3U}) {
    const SessionOptions paper = paper_options(1e-4, layers);
    EXPECT_TRUE(check_options(paper).ok());
    EXPECT_EQ(paper.regularisation, 1e-4);
    EXPECT_DOUBLE_EQ(*paper.row_norm * *paper.row_norm, static_cast<double>(layers));
  }
}

// The defaults are the sound choices: nothing that a certificate would have to apologise for.
TEST(SessionOptions, DefaultsAreSound) {
  const SessionOptions options;
  EXPECT_EQ(options.mechanism, Mechanism::kRelease);
  EXPECT_EQ(options.rule, BudgetRule::kJoint);
  EXPECT_EQ(options.bound, ResidualBound::kExact);
  EXPECT_EQ(options.removal, NodeRemoval::kCompact);
  EXPECT_FALSE(options.row_norm.has_value());
}

// What goes with an embedding, and what level everyone may not have.
TEST(SessionOptions, LossAndLambdaFollowTheEmbedding) {
  const auto usual = [](std::string_view embedding, Protection protection) {
    SessionOptions options;
    options.protection = protection;
    set_usual_learning(parse_embedding(embedding).value(), options);
    return options;
  };
  for (const char* name : {"auto", "social", "image"}) {
    EXPECT_EQ(usual(name, Protection::kRemoved).loss, Loss::squared()) << name;
    EXPECT_EQ(usual(name, Protection::kEveryone).loss, Loss::logistic()) << name;
    EXPECT_EQ(usual(name, Protection::kRemoved).regularisation, 1e-5) << name;
  }
  for (const char* name : {"auto@1", "portrait", "paper", "rows", "size + kinds"}) {
    EXPECT_EQ(usual(name, Protection::kRemoved).loss, Loss::logistic()) << name;
  }
  EXPECT_EQ(usual("auto@1", Protection::kRemoved).regularisation, 1e-6);
  EXPECT_EQ(usual("portrait", Protection::kRemoved).regularisation, kDefaultRegularisation);
}

TEST(SessionOptions, ABadOptionIsRefusedByName) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Spoil {
    std::string says;
    std::function<void(SessionOptions&, double)> set;
    std::vector<double> values;
  };
  const std::vector<Spoil> spoils = {
      {"lambda", [](SessionOptions& o, double x) { o.regularisation = x; }, {0, -1, kInfinity, kNan}},
      {"noise", [](SessionOptions& o, double x) { o.noise_stddev = x; }, {0, -1, kInfinity, kNan}},
      {"distance limit", [](SessionOptions& o, double x) { o.distance_limit = x; }, {0, -1, kNan}},
      {"embedding norms", [](SessionOptions& o, double x) { o.row_norm = x; }, {0, -1, kInfinity, kNan}},
      {"epsilon", [](SessionOptions& o, double x) { o.guarantee.epsilon = x; }, {-1, kInfinity, kNan}},
      {"delta", [](SessionOptions& o, double x) { o.guarantee.delta = x; }, {0, 1, -1, kInfinity, kNan}},
      {"at least one release", [](SessionOptions& o, double) { o.releases = 0; }, {0}},
      {"drift", [](SessionOptions& o, double) { o.bound = ResidualBound::kDrift; }, {0}},
      {"budget rule", [](SessionOptions& o, double) { o.rule = BudgetRule::kPaper; }, {0}},
  };
  for (const Spoil& spoil : spoils) {
    for (const double value : spoil.values) {
      SCOPED_TRACE(spoil.says + " = " + std::to_string(value));
      SessionOptions options;
      spoil.set(options, value);
      const Status status = check_options(options);
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(status.error().message.find(spoil.says), std::string::npos) << status.error().message;
    }
  }
}

// Workspace files hold these names.
TEST(SessionOptions, NamesAreFrozenAndReadBack) {
  EXPECT_EQ(name(Method::kUnlearn), "unlearn");
  EXPECT_EQ(name(Method::kWholeGraph), "whole-graph");
  EXPECT_EQ(name(Method::kRetrain), "retrain");
  for (const Method method : {Method::kUnlearn, Method::kWholeGraph, Method::kRetrain}) {
    EXPECT_EQ(parse_method(name(method)).value(), method);
  }
  EXPECT_EQ(name(NodeRemoval::kCompact), "compact");
  EXPECT_EQ(name(NodeRemoval::kTombstone), "tombstone");
  for (const NodeRemoval removal : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    EXPECT_EQ(parse_node_removal(name(removal)).value(), removal);
  }
  EXPECT_EQ(parse_method("Unlearn").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(parse_node_removal("").error().code, ErrorCode::kInvalidArgument);
}

TEST(SessionOptions, UsualNoiseAndReleasesGoWithTheChoice) {
  EXPECT_EQ(usual_noise(Mechanism::kRelease), SessionOptions{}.noise_stddev);
  EXPECT_EQ(usual_noise(Mechanism::kObjective), paper_options(1e-3, 2).noise_stddev);
  EXPECT_EQ(usual_releases(Protection::kRemoved), SessionOptions{}.releases);
  EXPECT_EQ(usual_releases(Protection::kEveryone), 1u);
}

}  // namespace
}  // namespace unscatter
