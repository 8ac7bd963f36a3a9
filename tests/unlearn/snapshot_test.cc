// A session that is put away and taken up again: the same state, certificates that stay true, and no snapshot that does
// not fit together.
#include "unscatter/unlearn/snapshot.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "base/testing/seeded_random.h"
#include "unlearn/random_session.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

using testing::joint;
using testing::random_batch;
using testing::random_data;
using testing::RandomData;
using testing::true_residuals;

Session start_session(const RandomData& data, const SessionOptions& options) {
  return Session::create(data.dataset, data.embedder, options, std::make_unique<testing::SeededRandom>(1)).value();
}

Session take_up(const Session& session, const RandomData& data) {
  return Session::restore(session.snapshot(), data.embedder, session.options(),
                          std::make_unique<testing::SeededRandom>(2))
      .value();
}

void expect_same_state(const Session& one, const Session& other) {
  EXPECT_EQ(one.weights(), other.weights());
  EXPECT_EQ(one.embeddings().to_dense(), other.embeddings().to_dense());
  EXPECT_EQ(one.perturbation() == nullptr, other.perturbation() == nullptr);
  if (one.perturbation() != nullptr) {
    EXPECT_EQ(*one.perturbation(), *other.perturbation());
  }
  EXPECT_EQ(one.rungs(), other.rungs());
  EXPECT_EQ(one.updates(), other.updates());
  EXPECT_EQ(one.releases(), other.releases());
  EXPECT_EQ(one.graph_count(), other.graph_count());
  EXPECT_EQ(one.certificate().residual_upper_bound, other.certificate().residual_upper_bound);
  EXPECT_EQ(one.certificate().shift_upper_bound, other.certificate().shift_upper_bound);
  EXPECT_EQ(one.certificate().satisfied, other.certificate().satisfied);
  EXPECT_EQ(one.certificate().rung, other.certificate().rung);
  const Dataset left = one.remaining();
  const Dataset right = other.remaining();
  EXPECT_EQ(left.name, right.name);
  EXPECT_EQ(left.graphs, right.graphs);
  EXPECT_EQ(left.labels, right.labels);
  EXPECT_EQ(left.class_names, right.class_names);
  EXPECT_EQ(left.graph_ids, right.graph_ids);
  EXPECT_EQ(left.numbers, right.numbers);
  EXPECT_EQ(one.snapshot().residuals, other.snapshot().residuals);
}

// The certificate and what evaluate() finds, against the gradient in extended precision.
void expect_true(const Session& session, const Embedder& embedder) {
  const double residual = joint(true_residuals(session, embedder));
  EXPECT_LE(residual, session.certificate().residual_upper_bound);
  const EvaluatedResidual found = session.evaluate();
  EXPECT_LE(found.lower_bound, residual);
  EXPECT_LE(residual, found.upper_bound);
  EXPECT_LE(found.lower_bound, found.upper_bound);
}

std::vector<SessionOptions> snapshot_choices() {
  std::vector<SessionOptions> choices(6);
  choices[1].precision = 1;  // the fast rung
  choices[2].bias = true;
  choices[2].loss = Loss::huber_svm(0.5).value();
  choices[3].removal = NodeRemoval::kTombstone;
  choices[3].loss = Loss::squared();
  choices[4].mechanism = Mechanism::kObjective;
  choices[4].noise_stddev = 0.1;
  choices[5] = paper_options(1e-2, 2);
  return choices;
}

TEST(Snapshot, ARestoredSessionGoesOnAsCertified) {
  const std::vector<SessionOptions> choices = snapshot_choices();
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    SCOPED_TRACE(choice);
    const RandomData data = random_data(choice, {.graphs = 30, .classes = 2 + choice % 2, .attributes = 1});
    Session session = start_session(data, choices[choice]);
    Sequence random(choice);
    for (int round = 0; round < 3; ++round) {
      SCOPED_TRACE(round);
      ASSERT_TRUE(session.forget(random_batch(random, session, data.dataset, 2)).ok());
      Session restored = take_up(session, data);
      expect_same_state(session, restored);
      expect_true(restored, *data.embedder);

      const auto next = random_batch(random, session, data.dataset, 2);
      const Certificate through = session.forget(next).value();
      const Certificate after = restored.forget(next).value();
      EXPECT_TRUE(after.satisfied);
      expect_true(session, *data.embedder);
      expect_true(restored, *data.embedder);
      EXPECT_EQ(session.remaining().graphs, restored.remaining().graphs);
      // Noise that a retraining drew anew makes them two different models.
      if (session.perturbation() != nullptr && *session.perturbation() != *restored.perturbation()) continue;
      EXPECT_LE((session.weights() - restored.weights()).norm(),
                through.distance_upper_bound + after.distance_upper_bound);
    }
  }
}

TEST(Snapshot, ReleasesAreCountedOn) {
  const RandomData data = random_data(1, {.graphs = 12});
  SessionOptions options;
  options.releases = 2;
  Session session = start_session(data, options);
  ASSERT_TRUE(session.release().ok());
  Session restored = take_up(session, data);
  EXPECT_EQ(restored.release().value().release_number, 2u);
  EXPECT_EQ(restored.release().error().code, ErrorCode::kLimitExceeded);
}

// evaluate() looks at the weights as they are, not at what is claimed of them.
TEST(Snapshot, EvaluateFindsWeightsThatWereChanged) {
  const RandomData data = random_data(1, {.graphs = 12});
  const Session session = start_session(data, {});
  EXPECT_TRUE(session.evaluate().satisfied);
  SessionSnapshot changed = session.snapshot();
  changed.weights(0, 0) += 1e-3;
  const Session moved = Session::restore(changed, data.embedder, session.options()).value();
  const EvaluatedResidual found = moved.evaluate();
  EXPECT_GT(found.lower_bound, moved.certificate().residual_upper_bound);
  EXPECT_LE(found.lower_bound, joint(true_residuals(moved, *data.embedder)));
  EXPECT_FALSE(found.satisfied);
}

// 12 graphs with ids; graph 0 has lost a node, graph 1 is gone.
SessionSnapshot worn_snapshot(RandomData& data) {
  data = random_data(1, {.graphs = 12});
  for (std::size_t i = 0; i < data.dataset.size(); ++i) data.dataset.graph_ids.push_back("graph-" + std::to_string(i));
  Session session = start_session(data, {});
  const std::vector<RemovalRequest> requests = {ForgetNode{0u, 1u}, ForgetGraph{1u}};
  EXPECT_TRUE(session.forget(requests).ok());
  return session.snapshot();
}

struct BadSnapshot {
  const char* says;
  std::function<void(SessionSnapshot&)> damage;
};

TEST(Snapshot, WhatDoesNotFitTogetherIsRefused) {
  RandomData data;
  const SessionSnapshot good = worn_snapshot(data);
  ASSERT_TRUE(Session::restore(good, data.embedder, {}).ok());
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<BadSnapshot> cases = {
      {"slot 3: its number does not ascend", [](SessionSnapshot& s) { s.slots[3].number = 2; }},
      {"slot 1: it is removed, but", [](SessionSnapshot& s) { s.slots[1].label = 1; }},
      {"slot 1: it is removed, but", [](SessionSnapshot& s) { s.slots[1].graph_id = "graph-1"; }},
      {"slot 1: it is removed, but", [](SessionSnapshot& s) { s.slots[1].node_count_at_creation = 3; }},
      {"slot 1: it is removed, but", [](SessionSnapshot& s) { s.slots[1].node_numbers = {0}; }},
      {"slot 5: it has no id", [](SessionSnapshot& s) { s.slots[5].graph_id.clear(); }},
      {"slot 5: there is no such class", [](SessionSnapshot& s) { s.slots[5].label = 2; }},
      {"slot 5: its nodes' numbers", [](SessionSnapshot& s) { ++s.slots[5].node_count_at_creation; }},
      {"slot 0: its nodes' numbers", [](SessionSnapshot& s) { s.slots[0].node_numbers.pop_back(); }},
      {"slot 0: its nodes' numbers", [](SessionSnapshot& s) { s.slots[0].node_numbers.clear(); }},
      {"slot 0: its nodes' numbers",
       [](SessionSnapshot& s) { std::swap(s.slots[0].node_numbers[0], s.slots[0].node_numbers[1]); }},
      {"slot 0: its nodes' numbers",
       [](SessionSnapshot& s) { s.slots[0].node_numbers[1] = s.slots[0].node_numbers[0]; }},
      {"slot 0: its nodes' numbers",
       [](SessionSnapshot& s) { s.slots[0].node_numbers.back() = s.slots[0].node_count_at_creation; }},
      {"no graph to learn from", [](SessionSnapshot& s) { s.slots.clear(); }},
      {"no graph to learn from",
       [](SessionSnapshot& s) {
         for (SlotSnapshot& slot : s.slots) {
           const std::size_t number = slot.number;
           slot = {};
           slot.number = number;
         }
       }},
      {"weights and residuals",
       [](SessionSnapshot& s) { s.weights.conservativeResize(s.weights.rows() - 1, s.weights.cols()); }},
      {"weights and residuals", [](SessionSnapshot& s) { s.weights.conservativeResize(s.weights.rows(), 1); }},
      {"weights and residuals", [](SessionSnapshot& s) { s.weights(0, 0) = kNan; }},
      {"weights and residuals", [](SessionSnapshot& s) { s.residuals.conservativeResize(1); }},
      {"weights and residuals", [](SessionSnapshot& s) { s.residuals(0) = std::numeric_limits<double>::infinity(); }},
      {"the noise of the objective", [](SessionSnapshot& s) { s.perturbation = s.weights; }},
  };
  for (const BadSnapshot& bad : cases) {
    SCOPED_TRACE(bad.says);
    SessionSnapshot damaged = good;
    bad.damage(damaged);
    const Result<Session> restored = Session::restore(std::move(damaged), data.embedder, {});
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(restored.error().message.find(bad.says), std::string::npos) << restored.error().message;
  }
}

TEST(Snapshot, TheObjectivesNoiseHasToBeThere) {
  const RandomData data = random_data(1, {.graphs = 12});
  SessionOptions options;
  options.mechanism = Mechanism::kObjective;
  options.noise_stddev = 0.1;
  const SessionSnapshot good = start_session(data, options).snapshot();
  ASSERT_TRUE(Session::restore(good, data.embedder, options).ok());
  SessionSnapshot without = good;
  without.perturbation.reset();
  SessionSnapshot narrow = good;
  narrow.perturbation->conservativeResize(narrow.perturbation->rows(), 1);
  SessionSnapshot endless = good;
  (*endless.perturbation)(0, 0) = std::numeric_limits<double>::infinity();
  for (const SessionSnapshot& bad : {without, narrow, endless}) {
    EXPECT_NE(Session::restore(bad, data.embedder, options).error().message.find("the noise of the objective"),
              std::string::npos);
  }
  options.regularisation = 0;
  EXPECT_EQ(Session::restore(good, data.embedder, options).error().code, ErrorCode::kInvalidArgument);
}

TEST(Snapshot, NumbersOfGraphsAreThoseOfTheWholeDataSet) {
  RandomData data = random_data(1, {.graphs = 5});
  data.dataset.numbers = {2, 3, 5, 7, 11};
  for (const bool restored : {false, true}) {
    SCOPED_TRACE(restored);
    Session session = start_session(data, {});
    if (restored) session = take_up(session, data);
    const auto message = [&](std::size_t number) {
      const Result<Certificate> result = session.forget(ForgetGraph{number});
      return result.ok() ? "" : result.error().message;
    };
    EXPECT_NE(message(4).find("graph 4 is not among the 5"), std::string::npos);
    EXPECT_NE(message(0).find("graph 0 is not among the 5"), std::string::npos);
    EXPECT_NE(message(12).find("graph 12 is not among the 5"), std::string::npos);
    EXPECT_EQ(message(5), "");
    EXPECT_FALSE(session.has_graph(2));
    EXPECT_NE(message(5).find("graph 5"), std::string::npos);
    EXPECT_EQ(session.remaining().numbers, (std::vector<std::size_t>{2, 3, 7, 11}));
    // A session made of what is left answers alike.
    Session again = Session::create(session.remaining(), data.embedder, {}).value();
    EXPECT_TRUE(again.forget(ForgetGraph{11u}).ok());
    EXPECT_EQ(again.forget(ForgetGraph{5u}).error().code, ErrorCode::kNotFound);
  }
}

// Numbers that are 0, 1, 2, ... need not be said.
TEST(Snapshot, OrdinaryNumbersAreLeftOut) {
  const RandomData data = random_data(1, {.graphs = 5});
  Session session = start_session(data, {});
  EXPECT_TRUE(session.remaining().numbers.empty());
  ASSERT_TRUE(session.forget(ForgetGraph{4u}).ok());
  EXPECT_TRUE(session.remaining().numbers.empty());
  ASSERT_TRUE(session.forget(ForgetGraph{1u}).ok());
  EXPECT_EQ(session.remaining().numbers, (std::vector<std::size_t>{0, 2, 3}));
}

}  // namespace
}  // namespace unscatter
