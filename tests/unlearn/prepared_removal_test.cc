// The two phases of an update: what is prepared is committed as it is, or leaves no trace.
#include "unscatter/unlearn/prepared_removal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/testing/seeded_random.h"
#include "unlearn/random_session.h"
#include "unscatter/base/invariant.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

using testing::random_batch;
using testing::random_data;
using testing::RandomData;

Session prepared_session(const RandomData& data, const SessionOptions& options = {}) {
  return Session::create(data.dataset, data.embedder, options, std::make_unique<testing::SeededRandom>(1)).value();
}

// Everything that can be seen of a session.
void expect_equal_sessions(const Session& one, const Session& other) {
  EXPECT_EQ(one.remaining().graphs, other.remaining().graphs);
  EXPECT_EQ(one.remaining().labels, other.remaining().labels);
  EXPECT_EQ(one.weights(), other.weights());
  EXPECT_EQ(one.snapshot().residuals, other.snapshot().residuals);
  EXPECT_EQ(one.embeddings().to_dense(), other.embeddings().to_dense());
  EXPECT_EQ(one.rungs(), other.rungs());
  EXPECT_EQ(one.releases(), other.releases());
  EXPECT_EQ(one.graph_count(), other.graph_count());
  EXPECT_EQ(one.certificate().graphs, other.certificate().graphs);
  EXPECT_EQ(one.certificate().residual_upper_bound, other.certificate().residual_upper_bound);
  EXPECT_EQ(one.perturbation() == nullptr, other.perturbation() == nullptr);
  if (one.perturbation() != nullptr && other.perturbation() != nullptr) {
    EXPECT_EQ(*one.perturbation(), *other.perturbation());
  }
}

std::vector<SessionOptions> prepared_choices() {
  std::vector<SessionOptions> choices(4);
  choices[1] = paper_options(1e-2, 2);
  choices[2].method = Method::kRetrain;
  choices[3].removal = NodeRemoval::kTombstone;
  choices[3].bias = true;
  return choices;
}

TEST(PreparedRemoval, DroppedItLeavesTheSessionAsItWas) {
  const RandomData data = random_data(7, {.graphs = 40, .attributes = 1});
  for (const SessionOptions& options : prepared_choices()) {
    Session session = prepared_session(data, options);
    const Session untouched = prepared_session(data, options);
    Sequence random(2);
    for (int step = 0; step < 3; ++step) {
      const auto batch = random_batch(random, session, data.dataset, 3);
      const PreparedRemoval dropped = session.prepare(batch).value();
      EXPECT_NE(dropped.weights(), untouched.weights());
      EXPECT_EQ(session.weights(), untouched.weights());
      EXPECT_EQ(session.rungs(), untouched.rungs());
    }
    expect_equal_sessions(session, untouched);
    EXPECT_TRUE(session.forget(random_batch(random, session, data.dataset, 3)).ok());
  }
}

TEST(PreparedRemoval, CommittedItIsWhatForgetDoes) {
  const RandomData data = random_data(8, {.graphs = 40, .attributes = 1});
  for (const SessionOptions& options : prepared_choices()) {
    Session session = prepared_session(data, options);
    Session at_once = prepared_session(data, options);
    Sequence random(3);
    for (int step = 0; step < 4; ++step) {
      const auto batch = random_batch(random, session, data.dataset, 3);
      PreparedRemoval removal = session.prepare(batch).value();
      const Matrix weights = removal.weights();
      const Vector residuals = removal.residuals();
      removal.commit();
      EXPECT_EQ(session.weights(), weights);
      EXPECT_EQ(session.snapshot().residuals, residuals);
      EXPECT_EQ(session.certificate().shift_upper_bound, removal.certificate().shift_upper_bound);
      EXPECT_EQ(session.rungs(), removal.rungs());
      ASSERT_TRUE(at_once.forget(batch).ok());
      expect_equal_sessions(session, at_once);
    }
  }
}

TEST(PreparedRemoval, SaysWhatItDoesAndNotToWhom) {
  const RandomData data = random_data(5, {.graphs = 12, .attributes = 1});
  Session session = prepared_session(data);
  const std::vector<RemovalRequest> batch = {ForgetNode{0u, 1u}, ForgetFeatures{0u, 0u}, ForgetFeatures{1u, 0u},
                                             ForgetGraph{2u}};
  PreparedRemoval removal = session.prepare(batch).value();
  EXPECT_EQ(removal.requests(), (RequestCounts{.features = 2, .nodes = 1, .edges = 0, .graphs = 1, .subjects = 0}));
  EXPECT_EQ(removal.graphs_edited(), 2u);
  EXPECT_EQ(removal.graphs_removed(), 1u);
  EXPECT_EQ(removal.certificate().graphs, 11u);
  EXPECT_EQ(removal.rungs().total(), 1u);
  ASSERT_EQ(removal.changes().size(), 3u);
  const std::size_t nodes = data.dataset.graphs[0].node_count();
  EXPECT_EQ(removal.changes()[0].graph->node_count(), nodes - 1);
  EXPECT_EQ(removal.changes()[0].node_numbers.size(), nodes - 1);
  EXPECT_TRUE(removal.changes()[1].node_numbers.empty());
  EXPECT_EQ(removal.changes()[2].slot, 2u);
  EXPECT_EQ(removal.changes()[2].graph, nullptr);
  const Graph edited = *removal.changes()[0].graph;
  removal.commit();
  EXPECT_EQ(*session.graph(0), edited);
  EXPECT_EQ(session.updates(), 1u);
}

TEST(PreparedRemoval, OnlyOneAtATime) {
  const RandomData data = random_data(5, {.graphs = 12, .attributes = 1});
  Session session = prepared_session(data);
  const std::vector<RemovalRequest> one = {ForgetNode{0u, 1u}};
  const std::vector<RemovalRequest> other = {ForgetNode{1u, 1u}};
  std::optional<PreparedRemoval> removal = session.prepare(one).value();
  EXPECT_THROW(static_cast<void>(session.prepare(other)), InvariantViolation);
  EXPECT_THROW(static_cast<void>(session.forget(other)), InvariantViolation);
  EXPECT_THROW(static_cast<void>(session.release()), InvariantViolation);
  EXPECT_THROW(static_cast<void>(session.evaluate()), InvariantViolation);
  EXPECT_THROW(static_cast<void>(session.embeddings()), InvariantViolation);
  EXPECT_EQ(session.releases(), 0u);
  removal.reset();
  removal = session.prepare(other).value();
  removal->commit();
  EXPECT_TRUE(session.prepare(one).ok());  // and dropped
  EXPECT_TRUE(session.release().ok());
  EXPECT_EQ(session.updates(), 1u);
}

// A session that moves or goes takes nothing away from an update that it prepared.
TEST(PreparedRemoval, OutlivesTheObjectThatPreparedIt) {
  const RandomData data = random_data(5, {.graphs = 12, .attributes = 1});
  const std::vector<RemovalRequest> requests = {ForgetNode{0u, 1u}};
  std::optional<Session> first = prepared_session(data);
  std::optional<PreparedRemoval> removal = first->prepare(requests).value();
  Session second = std::move(*first);
  first.reset();
  removal->commit();
  EXPECT_EQ(second.updates(), 1u);
  {
    Session third = std::move(second);
    removal = third.prepare(std::vector<RemovalRequest>{ForgetNode{1u, 1u}}).value();
  }
  EXPECT_TRUE(removal->certificate().satisfied);
  removal.reset();
}

// Where requests are passed over, the others are honoured as if those had never been there.
TEST(PreparedRemoval, RefusedRequestsArePassedOverOrEndTheBatch) {
  const RandomData data = random_data(4, {.graphs = 12, .attributes = 1});
  const Session untouched = prepared_session(data);
  Sequence random(9);
  std::size_t refused = 0;
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    Session session = prepared_session(data);
    Session expected = prepared_session(data);
    const auto earlier = random_batch(random, session, data.dataset, 3);
    ASSERT_TRUE(session.forget(earlier).ok());
    ASSERT_TRUE(expected.forget(earlier).ok());
    // Requests that were good at the beginning, some of them impossible by now or after the earlier ones.
    std::vector<RemovalRequest> requests;
    for (int i = 0; i < 5; ++i) requests.push_back(testing::random_request(random, untouched, data.dataset));
    requests.push_back(requests[random.below(requests.size())]);

    std::vector<RemovalRequest> good;
    std::vector<std::size_t> bad;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      good.push_back(requests[i]);
      const auto tried = expected.prepare(good);
      if (tried.ok()) continue;
      EXPECT_EQ(tried.error().request, good.size() - 1);
      good.pop_back();
      bad.push_back(i);
    }
    const auto all_or_none = session.prepare(requests);
    EXPECT_EQ(all_or_none.ok(), bad.empty());
    if (!all_or_none.ok()) {
      EXPECT_EQ(all_or_none.error().request, bad.front());
    }
    if (bad.empty() || good.empty()) continue;
    ++refused;
    {
      const PreparedRemoval before = session.prepare(requests, OnRefusal::kStopBefore).value();
      ASSERT_EQ(before.refused().size(), 1u);
      EXPECT_EQ(before.refused()[0].request, bad.front());
      EXPECT_EQ(before.requests().total(), bad.front());
      EXPECT_EQ(before.empty(), bad.front() == 0);
    }
    PreparedRemoval others = session.prepare(requests, OnRefusal::kPassOver).value();
    std::vector<std::size_t> passed_over;
    for (const Error& error : others.refused()) passed_over.push_back(error.request.value());
    EXPECT_EQ(passed_over, bad);
    EXPECT_EQ(others.requests().total(), good.size());
    others.commit();
    ASSERT_TRUE(expected.forget(good).ok());
    EXPECT_EQ(session.remaining().graphs, expected.remaining().graphs);
    EXPECT_EQ(session.certificate().graphs, expected.certificate().graphs);
  }
  EXPECT_GT(refused, 10u);
}

// Noise that runs out, as a machine's generator never should.
class FailingRandom final : public RandomSource {
 public:
  explicit FailingRandom(std::shared_ptr<bool> fails) : fails_(std::move(fails)) {}
  void fill(std::span<std::byte> bytes) override {
    if (*fails_) throw std::bad_alloc();
    random_.fill(bytes);
  }

 private:
  testing::SeededRandom random_{1};
  std::shared_ptr<bool> fails_;
};

// Training anew draws noise after the rows are changed: an exception there has to put them back.
TEST(PreparedRemoval, AnExceptionLeavesTheSessionAsItWas) {
  const RandomData data = random_data(4, {.graphs = 12, .attributes = 1});
  SessionOptions options = paper_options(1e-2, 2);
  options.method = Method::kRetrain;
  const auto fails = std::make_shared<bool>(false);
  Session session =
      Session::create(data.dataset, data.embedder, options, std::make_unique<FailingRandom>(fails)).value();
  const Session untouched = prepared_session(data, options);
  expect_equal_sessions(session, untouched);
  const std::vector<RemovalRequest> requests = {ForgetNode{0u, 1u}, ForgetGraph{2u}};
  *fails = true;
  EXPECT_THROW(static_cast<void>(session.prepare(requests)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(session.forget(requests)), std::bad_alloc);
  expect_equal_sessions(session, untouched);
  *fails = false;
  EXPECT_TRUE(session.forget(requests).ok());
  EXPECT_EQ(session.updates(), 1u);

  // The caller fails between the two phases.
  const std::size_t graphs = session.graph_count();
  const std::vector<RemovalRequest> more = {ForgetGraph{3u}};
  const auto write_it_down = [&] {
    const PreparedRemoval removal = session.prepare(more).value();
    throw std::bad_alloc();
  };
  EXPECT_THROW(write_it_down(), std::bad_alloc);
  EXPECT_EQ(session.graph_count(), graphs);
  EXPECT_FALSE(session.embeddings().row(3).values.empty());
}

TEST(PreparedRemoval, WithoutARequestThereIsNothingToDo) {
  const RandomData data = random_data(4, {.graphs = 12, .attributes = 1});
  Session session = prepared_session(data);
  const Session untouched = prepared_session(data);
  const std::vector<RemovalRequest> requests = {ForgetGraph{99u}, ForgetSubject{"nobody"}};
  PreparedRemoval nothing = session.prepare(requests, OnRefusal::kPassOver).value();
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.refused().size(), 2u);
  EXPECT_TRUE(nothing.changes().empty());
  EXPECT_EQ(nothing.weights(), session.weights());
  EXPECT_EQ(nothing.rungs(), session.rungs());
  nothing.commit();
  expect_equal_sessions(session, untouched);
}

// The number that theory.md defines, from weights that anybody can recompute.
TEST(Exposure, IsTheDistanceOfTheWeightsInNoiseTimesTheRootOfTheModels) {
  const RandomData data = random_data(11, {.graphs = 40, .attributes = 1});
  Session session = prepared_session(data);
  const std::vector<RemovalRequest> requests = {ForgetGraph{3u}};
  Exposure exposure;
  ASSERT_TRUE(session.preview(requests, &exposure).ok());
  EXPECT_EQ(exposure.models, 0u);
  EXPECT_EQ(exposure.shift, 0);
  EXPECT_EQ(best_guess(exposure), 0.5);

  for (std::size_t models = 1; models <= 3; ++models) {
    ASSERT_TRUE(session.release().ok());
    const Matrix before = session.weights();
    ASSERT_TRUE(session.preview(requests, &exposure).ok());
    Matrix after;
    {
      PreparedRemoval removal = session.prepare(requests).value();
      after = removal.weights();
      EXPECT_EQ(removal.exposure().shift, exposure.shift);
    }
    const double expected = std::sqrt(models) * (before - after).norm() / session.options().noise_stddev;
    EXPECT_EQ(exposure.models, models);
    EXPECT_GE(exposure.shift, expected);
    EXPECT_LE(exposure.shift, expected * 1.01 + 0.1);
  }
  const Exposure previewed = exposure;
  ASSERT_TRUE(session.forget(requests, &exposure).ok());
  EXPECT_EQ(exposure.shift, previewed.shift);
  EXPECT_GT(best_guess(exposure), 0.99);
}

// Phi(mu/2) at values from tables.
TEST(Exposure, BestGuessIsThatOfTwoNormalLaws) {
  EXPECT_NEAR(best_guess({1, 1}), 0.691462, 1e-6);
  EXPECT_NEAR(best_guess({2, 1}), 0.841345, 1e-6);
  EXPECT_NEAR(best_guess({4, 1}), 0.977250, 1e-6);
  EXPECT_EQ(best_guess({std::numeric_limits<double>::infinity(), 1}), 1);
}

// Noise in the objective does not blur a pair at all.
TEST(Exposure, IsCompleteUnderTheObjectiveMechanismOnceAModelWasPublished) {
  const RandomData data = random_data(12, {.graphs = 30, .attributes = 1});
  Session session = prepared_session(data, paper_options(1e-2, 2));
  Exposure exposure;
  ASSERT_TRUE(session.forget(ForgetGraph{2u}, &exposure).ok());
  EXPECT_EQ(exposure.shift, 0);
  ASSERT_TRUE(session.release().ok());
  ASSERT_TRUE(session.forget(ForgetGraph{5u}, &exposure).ok());
  EXPECT_TRUE(std::isinf(exposure.shift));
  EXPECT_EQ(best_guess(exposure), 1);
}

// What is counted, held against the graphs themselves, one request after the other.
TEST(PreparedRemoval, TellsWhatEachRequestTakesOut) {
  struct Content {
    std::size_t graphs = 0;
    std::size_t nodes = 0;
    std::size_t edges = 0;
  };
  const auto content_of = [](const Session& session) {
    Content content;
    for (const Graph& graph : session.remaining().graphs) {
      ++content.graphs;
      content.nodes += graph.living_node_count();
      content.edges += graph.edge_count();
    }
    return content;
  };
  for (const NodeRemoval style : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    const RandomData data = random_data(11, {.graphs = 30, .attributes = 1});
    SessionOptions options;
    options.removal = style;
    Session together = prepared_session(data, options);
    Session one_by_one = prepared_session(data, options);
    Sequence random(5);
    std::vector<RemovalRequest> batch = random_batch(random, together, data.dataset, 12);
    // Several in one graph, and a subject, which is in many.
    batch.emplace_back(ForgetSubject{one_by_one.graph(2) != nullptr ? one_by_one.graph(2)->node_id(0) : ""});
    const PreparedRemoval removal = together.prepare(batch, OnRefusal::kPassOver).value();
    ASSERT_TRUE(removal.refused().empty());
    ASSERT_EQ(removal.edits().size(), batch.size());
    EditCounts sum;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Content before = content_of(one_by_one);
      ASSERT_TRUE(one_by_one.forget(batch[i]).ok());
      const Content after = content_of(one_by_one);
      const EditCounts& told = removal.edits()[i];
      EXPECT_EQ(told.graphs_removed, before.graphs - after.graphs) << i;
      EXPECT_EQ(told.nodes, before.nodes - after.nodes) << i;
      EXPECT_EQ(told.edges, before.edges - after.edges) << i;
      EXPECT_EQ(told.features, std::holds_alternative<ForgetFeatures>(batch[i]) ? 1u : 0u) << i;
      EXPECT_GT(told.graphs_edited + told.graphs_removed, 0u);
      sum.nodes += told.nodes;
      sum.edges += told.edges;
      sum.features += told.features;
    }
    EXPECT_EQ(removal.edits_together().nodes, sum.nodes);
    EXPECT_EQ(removal.edits_together().edges, sum.edges);
    EXPECT_EQ(removal.edits_together().features, sum.features);
    EXPECT_EQ(removal.edits_together().graphs_edited, removal.graphs_edited());
    EXPECT_EQ(removal.edits_together().graphs_removed, removal.graphs_removed());
  }
}

}  // namespace
}  // namespace unscatter
