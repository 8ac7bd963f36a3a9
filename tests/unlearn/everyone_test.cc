// Sessions that protect everyone: what is promised, what is published, and what it rests on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "unlearn/random_session.h"
#include "unscatter/privacy/gaussian_profile.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

using testing::nameless_data;
using testing::random_data;
using testing::RandomData;

SessionOptions level_everyone(std::size_t per_subject) {
  SessionOptions options;
  options.protection = Protection::kEveryone;
  options.classes = ConstantKind::kStated;
  options.per_subject = per_subject;
  options.ridge = 0.5;
  options.releases = 4;
  return options;
}

Session everyone_session(const RandomData& data, const SessionOptions& options) {
  return Session::create(data.dataset, data.embedder, options, std::make_unique<testing::SeededRandom>(3)).value();
}

TEST(Everyone, TheNoiseFollowsFromTheGuaranteeAndFromNoData) {
  for (const std::size_t classes : {2u, 3u}) {
    const Session few = everyone_session(nameless_data(1, {.graphs = 12, .classes = classes}), level_everyone(0));
    const Session many = everyone_session(nameless_data(2, {.graphs = 40, .classes = classes}), level_everyone(0));
    const Promise& promise = few.certificate().promise;
    EXPECT_EQ(promise.protection, Protection::kEveryone);
    EXPECT_GT(promise.sensitivity, 0);
    EXPECT_EQ(promise.noise_stddev, many.certificate().promise.noise_stddev);
    EXPECT_EQ(promise.shift_limit, many.certificate().promise.shift_limit);
    EXPECT_EQ(promise.sensitivity, many.certificate().promise.sensitivity);
    EXPECT_EQ(few.options().noise_stddev, promise.noise_stddev);
    // What is promised together is what was asked for, and hardly less is used.
    const double together = few.certificate().shift_upper_bound * std::sqrt(4.0);
    EXPECT_LE(few.certificate().shift_upper_bound, promise.shift_limit);
    EXPECT_LE(delta_upper_bound(together, 1).value(), promise.guarantee.delta);
    EXPECT_GT(delta_upper_bound(together * 1.001, 1).value(), promise.guarantee.delta);
    EXPECT_GT(promise.noise_stddev, 1) << "the option is not taken over";
  }
}

TEST(Everyone, ARidgeThatIsAConstantStaysAfterRemovals) {
  const RandomData data = nameless_data(4, {.graphs = 40, .classes = 3, .attributes = 1});
  for (const ResidualBound bound : {ResidualBound::kExact, ResidualBound::kWorst, ResidualBound::kTight}) {
    for (const bool bias : {false, true}) {
      SessionOptions options = level_everyone(0);
      options.bound = bound;
      options.bias = bias;
      Session session = everyone_session(data, options);
      for (const std::size_t graph : {3u, 7u, 11u}) {
        const Certificate certificate = session.forget(ForgetGraph{graph}).value();
        EXPECT_TRUE(certificate.satisfied);
        // The session that never had them, found on its own.
        const Session fresh = Session::create(session.remaining(), data.embedder, options).value();
        EXPECT_LE((session.weights() - fresh.weights()).norm(),
                  certificate.distance_upper_bound + fresh.certificate().distance_upper_bound);
        EXPECT_EQ(certificate.promise.noise_stddev, fresh.certificate().promise.noise_stddev);
      }
    }
  }
}

// The ridge as a constant is worth something at level removed too, and is honoured there.
TEST(Everyone, LevelRemovedTakesAConstantRidgeAsWell) {
  const RandomData data = random_data(5, {.graphs = 30, .classes = 2, .attributes = 1});
  SessionOptions options;
  options.ridge = 0.3;
  Session session = everyone_session(data, options);
  ASSERT_TRUE(session.forget(ForgetGraph{4u}).ok());
  const Session fresh = Session::create(session.remaining(), data.embedder, options).value();
  EXPECT_LE((session.weights() - fresh.weights()).norm(),
            session.certificate().distance_upper_bound + fresh.certificate().distance_upper_bound);
  // And it is not lambda n: that has another optimum.
  const Session other = Session::create(session.remaining(), data.embedder, {}).value();
  EXPECT_GT((session.weights() - other.weights()).norm(), 1e-3);
}

TEST(Everyone, RowsAreNoLongerThanTheirBoundBeforeAndAfterARemoval) {
  const RandomData data = random_data(6, {.graphs = 25, .classes = 2});
  for (const bool bias : {false, true}) {
    SessionOptions options = level_everyone(2);
    options.bias = bias;
    Session session = everyone_session(data, options);
    EXPECT_GT(session.bounded_contributions().rows_shortened, 0u);
    const auto longest = [&session] {
      double norm = 0;
      for (std::size_t i = 0; i < session.slots(); ++i) norm = std::max(norm, session.embeddings().row_norm(i));
      return norm;
    };
    EXPECT_LE(longest(), 1 + 0x1p-30);
    for (std::size_t slot = 0; slot < 10; ++slot) {
      if (session.graph(slot) == nullptr) continue;
      ASSERT_TRUE(session.forget(ForgetNode{slot, session.graph(slot)->node_id(0)}).ok());
      EXPECT_LE(longest(), 1 + 0x1p-30);
    }
    const Session restored =
        Session::restore(session.snapshot(), data.embedder, session.options(), std::make_unique<SecureRandom>())
            .value();
    EXPECT_EQ(restored.embeddings().to_dense(), session.embeddings().to_dense());
    EXPECT_EQ(restored.certificate().promise.noise_stddev, session.certificate().promise.noise_stddev);
    EXPECT_TRUE(restored.evaluate().satisfied);
  }
}

TEST(Everyone, SubjectsAreInNoMoreGraphsThanTheSensitivityCounts) {
  const RandomData data = random_data(7, {.graphs = 30, .classes = 3});
  const Session session = everyone_session(data, level_everyone(2));
  EXPECT_GT(session.bounded_contributions().subjects, 0u);
  EXPECT_GT(session.bounded_contributions().memberships, session.bounded_contributions().subjects);
  std::map<std::string, std::size_t> count;
  for (const Graph& graph : session.remaining().graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) EXPECT_LE(++count[graph.node_id(i)], 2u);
  }
  // Numbers of nodes and graphs are still those of the data that was given.
  const Graph& first = data.dataset.graphs[0];
  for (std::size_t i = 0; i < first.node_count(); ++i) {
    Session copy = everyone_session(data, level_everyone(2));
    const Graph* now = copy.graph(0);
    bool there = false;
    for (std::size_t j = 0; now != nullptr && j < now->node_count(); ++j) there |= now->node_id(j) == first.node_id(i);
    EXPECT_EQ(copy.preview(std::vector<RemovalRequest>{ForgetNode{0u, i}}).ok(), there) << i;
  }
}

TEST(Everyone, TwoMirroredClassesArePublishedOnce) {
  const RandomData data = nameless_data(8, {.graphs = 20, .classes = 2});
  Session session = everyone_session(data, level_everyone(0));
  const PublishedModel model = session.release().value();
  EXPECT_EQ(model.weights.col(1), -model.weights.col(0));
  const PublishedModel second = session.release().value();
  EXPECT_NE(model.weights.col(0), second.weights.col(0));
  // Kept weights mirror each other within what is certified.
  EXPECT_LE((session.weights().col(0) + session.weights().col(1)).norm(),
            2 * session.certificate().distance_upper_bound);
}

TEST(Everyone, NoiseOfPublishedModelsIsTheDerivedOne) {
  const RandomData data = nameless_data(9, {.graphs = 20, .classes = 3, .attributes = 1});
  SessionOptions options = level_everyone(0);
  options.releases = 400;
  Session session = everyone_session(data, options);
  double sum = 0;
  double entries = 0;
  for (int i = 0; i < 400; ++i) {
    const Matrix noise = session.release().value().weights - session.weights();
    sum += noise.squaredNorm();
    entries += static_cast<double>(noise.size());
  }
  EXPECT_NEAR(std::sqrt(sum / entries) / session.options().noise_stddev, 1, 5 / std::sqrt(2 * entries));
  EXPECT_EQ(session.release().error().code, ErrorCode::kLimitExceeded);
}

TEST(Everyone, WhatTheProofDoesNotCoverIsRefused) {
  const auto refuse = [](const SessionOptions& options, const std::string& says) {
    const Status status = check_options(options);
    ASSERT_FALSE(status.ok()) << says;
    EXPECT_NE(status.error().message.find(says), std::string::npos) << status.error().message;
  };
  ASSERT_TRUE(check_options(level_everyone(0)).ok());
  SessionOptions options = level_everyone(0);
  options.ridge = {};
  refuse(options, "ridge");
  options = level_everyone(0);
  options.loss = Loss::squared();
  refuse(options, "slope");
  options = level_everyone(0);
  options.mechanism = Mechanism::kObjective;
  refuse(options, "release mechanism");
  options = level_everyone(0);
  options.removal = NodeRemoval::kTombstone;
  refuse(options, "tombstone");
  options = SessionOptions{};
  options.per_subject = 3;
  refuse(options, "per subject");
  for (const double ridge : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    options = level_everyone(0);
    options.ridge = ridge;
    refuse(options, "ridge");
  }
  // Node ids, and a graph taken for a subject of its own: somebody may be in many graphs.
  const RandomData data = random_data(7, {.graphs = 10});
  const auto session = Session::create(data.dataset, data.embedder, level_everyone(0));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(session.error().message.find("node ids"), std::string::npos);
}

TEST(Everyone, TheCertificateSaysSo) {
  const auto says = [](const Promise& promise, const std::string& part) {
    for (const std::string& sentence : promise.assumptions) {
      if (sentence.find(part) != std::string::npos) return true;
    }
    return false;
  };
  const Session everyone = everyone_session(nameless_data(1, {.graphs = 12}), level_everyone(0));
  const Promise& promise = everyone.certificate().promise;
  EXPECT_TRUE(says(promise, "4 published models together are differentially private for every subject"));
  EXPECT_TRUE(says(promise, "a subject is one graph"));
  EXPECT_FALSE(says(promise, "models published before a removal know"));
  const Session removed = everyone_session(random_data(1, {.graphs = 12}), {});
  EXPECT_TRUE(says(removed.certificate().promise, "retraining at every step with the same requests"));
  EXPECT_TRUE(says(removed.certificate().promise, "no request was chosen by looking at a model"));
  EXPECT_TRUE(says(removed.certificate().promise, "models published before a removal know"));
  EXPECT_EQ(removed.certificate().promise.sensitivity, 0);
}

}  // namespace
}  // namespace unscatter
