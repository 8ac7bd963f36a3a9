// The state machine: every request either completes or leaves everything as it was.
#include "unscatter/unlearn/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "base/testing/seeded_random.h"
#include "unlearn/random_session.h"
#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {
namespace {

using testing::random_batch;
using testing::random_data;
using testing::random_request;
using testing::RandomData;

// Everything a failed request could have touched.
struct Snapshot {
  Dataset remaining;
  Matrix weights;
  RowMatrix embeddings;
  std::size_t updates;
  double shift;
  RungCounts rungs;
};

Snapshot snapshot(const Session& s) {
  return {s.remaining(), s.weights(), s.embeddings().to_dense(), s.updates(), s.certificate().shift_upper_bound,
          s.rungs()};
}

void expect_unchanged(const Session& session, const Snapshot& before) {
  const Snapshot now = snapshot(session);
  EXPECT_EQ(now.remaining.graphs, before.remaining.graphs);
  EXPECT_EQ(now.remaining.labels, before.remaining.labels);
  EXPECT_EQ(now.weights, before.weights);
  EXPECT_EQ(now.embeddings, before.embeddings);
  EXPECT_EQ(now.updates, before.updates);
  EXPECT_EQ(now.shift, before.shift);
  EXPECT_EQ(now.rungs, before.rungs);
}

Graph two_triangles() {
  GraphParts parts;
  parts.node_count = 6;
  parts.edges = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}};
  parts.attribute_count = 1;
  parts.attributes = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  parts.node_ids = {"ann", "bob", "cy", "dee", "eve", "fay"};
  return Graph::create(std::move(parts)).value();
}

// Random graphs and, in slot 0, the two triangles.
RandomData small_data(std::uint64_t seed = 1) {
  RandomData data = random_data(seed, {.graphs = 12, .attributes = 1});
  data.dataset.graphs[0] = two_triangles();
  return data;
}

Session open(const RandomData& data, const SessionOptions& options = {}) {
  return Session::create(data.dataset, data.embedder, options, std::make_unique<testing::SeededRandom>(1)).value();
}

// The reason of a refusal.
std::string refusal(Session& session, const std::vector<RemovalRequest>& requests, ErrorCode code,
                    std::optional<std::size_t> place = std::nullopt) {
  const Snapshot before = snapshot(session);
  const Result<Certificate> result = session.forget(requests);
  expect_unchanged(session, before);
  if (result.ok()) {
    ADD_FAILURE() << "accepted: " << describe(requests.front());
    return "";
  }
  EXPECT_EQ(result.error().code, code) << result.error().message;
  if (place) {
    EXPECT_EQ(result.error().request, place);
  }
  return result.error().message;
}

TEST(Session, RefusesBadRequestsWithAReasonAndChangesNothing) {
  const RandomData data = small_data();
  Session session = open(data);
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(refusal(session, {}, ErrorCode::kInvalidArgument), "empty"));
  EXPECT_TRUE(has(refusal(session, {ForgetGraph{99u}}, ErrorCode::kNotFound), "no graph 99"));
  EXPECT_TRUE(has(refusal(session, {ForgetGraph{"x"}}, ErrorCode::kNotFound), "no graph 'x'"));
  EXPECT_TRUE(has(refusal(session, {ForgetNode{0u, 6u}}, ErrorCode::kNotFound), "no node 6"));
  EXPECT_TRUE(has(refusal(session, {ForgetNode{0u, "zoe"}}, ErrorCode::kNotFound), "no node 'zoe'"));
  EXPECT_TRUE(has(refusal(session, {ForgetEdge{0u, 0u, 3u}}, ErrorCode::kNotFound), "no such edge"));
  EXPECT_TRUE(has(refusal(session, {ForgetSubject{"nobody"}}, ErrorCode::kNotFound), "nobody"));
  // Twice in one batch: it is the second one.
  EXPECT_TRUE(has(refusal(session, {ForgetNode{0u, 1u}, ForgetNode{0u, 1u}}, ErrorCode::kInvalidArgument, 1),
                  "node 1 of graph 0"));
  EXPECT_TRUE(has(refusal(session, {ForgetNode{0u, 1u}, ForgetNode{0u, "bob"}}, ErrorCode::kNotFound), "bob"));
  EXPECT_TRUE(
      has(refusal(session, {ForgetNode{0u, 1u}, ForgetEdge{0u, 0u, 1u}}, ErrorCode::kInvalidArgument), "node 1"));
  EXPECT_TRUE(
      has(refusal(session, {ForgetGraph{0u}, ForgetNode{0u, 1u}}, ErrorCode::kInvalidArgument), "graph 0 is removed"));
  // A good request before a bad one is not honoured either.
  refusal(session, {ForgetNode{1u, 0u}, ForgetNode{0u, 17u}}, ErrorCode::kNotFound);

  // Removed already.
  ASSERT_TRUE(session.forget(ForgetFeatures{0u, 2u}).ok());
  refusal(session, {ForgetFeatures{0u, 2u}}, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(session.forget(ForgetNode{0u, 1u}).ok());
  EXPECT_TRUE(has(refusal(session, {ForgetNode{0u, 1u}}, ErrorCode::kInvalidArgument), "removed already"));
  ASSERT_TRUE(session.forget(ForgetEdge{0u, 3u, 4u}).ok());
  refusal(session, {ForgetEdge{0u, 4u, 3u}}, ErrorCode::kNotFound);
  ASSERT_TRUE(session.forget(ForgetGraph{3u}).ok());
  refusal(session, {ForgetGraph{3u}}, ErrorCode::kInvalidArgument);
  refusal(session, {ForgetNode{3u, 0u}}, ErrorCode::kInvalidArgument);
}

TEST(Session, RefusesToForgetEverything) {
  const RandomData data = small_data();
  Session session = open(data);
  std::vector<RemovalRequest> all;
  for (std::size_t g = 0; g < data.dataset.size(); ++g) all.emplace_back(ForgetGraph{g});
  refusal(session, all, ErrorCode::kInvalidArgument);
  // Node by node it is the same.
  all.clear();
  for (std::size_t g = 0; g < data.dataset.size(); ++g) {
    for (std::size_t v = 0; v < data.dataset.graphs[g].node_count(); ++v) all.emplace_back(ForgetNode{g, v});
  }
  refusal(session, all, ErrorCode::kInvalidArgument);
  // All but one graph is allowed.
  std::erase_if(all, [](const RemovalRequest& r) { return std::get<std::size_t>(std::get<ForgetNode>(r).graph) == 5; });
  ASSERT_TRUE(session.forget(all).ok());
  EXPECT_EQ(session.graph_count(), 1u);
  refusal(session, {ForgetGraph{5u}}, ErrorCode::kInvalidArgument);
}

TEST(Session, NumbersStayTheSameWhateverWasRemoved) {
  for (const NodeRemoval style : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    const RandomData data = small_data();
    SessionOptions options;
    options.removal = style;
    Session session = open(data, options);
    // In one batch and across updates: each number means the node it meant at the beginning.
    const std::vector<RemovalRequest> batch = {ForgetNode{0u, 0u}, ForgetNode{0u, 4u}};
    ASSERT_TRUE(session.forget(batch).ok());
    ASSERT_TRUE(session.forget(ForgetNode{0u, 2u}).ok());
    std::set<std::string> left;
    const Graph& graph = *session.graph(0);
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      if (graph.state(i) != NodeState::kTombstone) left.insert(graph.node_id(i));
    }
    EXPECT_EQ(left, (std::set<std::string>{"bob", "dee", "fay"}));
  }
}

TEST(Session, ASubjectLeavesEveryGraph) {
  const RandomData data = random_data(3, {.graphs = 30});
  Session session = open(data);
  const std::string user = data.dataset.graphs[4].node_id(0);
  std::size_t appearances = 0;
  for (const Graph& graph : data.dataset.graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) appearances += graph.node_id(i) == user ? 1U : 0U;
  }
  ASSERT_GT(appearances, 3u);
  ASSERT_TRUE(session.forget(ForgetSubject{user}).ok());
  for (const Graph& graph : session.remaining().graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) EXPECT_NE(graph.node_id(i), user);
  }
  refusal(session, {ForgetSubject{user}}, ErrorCode::kNotFound);
}

// Compact removal: the session is the one that would have been, had the removed never been there.
TEST(Session, EmbeddingsAreThoseOfASessionBuiltWithoutTheRemoved) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const RandomData data = random_data(seed, {.graphs = 15, .classes = 3, .moments = 2});
    Session session = open(data);
    Sequence random(seed);
    for (int step = 0; step < 5; ++step)
      ASSERT_TRUE(session.forget(random_batch(random, session, data.dataset, 3)).ok());
    Session without = Session::create(session.remaining(), data.embedder, {}).value();
    std::size_t row = 0;
    for (std::size_t slot = 0; slot < session.slots(); ++slot) {
      if (!session.has_graph(slot)) {
        EXPECT_TRUE(session.embeddings().row(slot).values.empty());
        continue;
      }
      EXPECT_EQ(session.embeddings().row(slot), without.embeddings().row(row));
      EXPECT_EQ(session.labels()[slot], without.labels()[row]);
      ++row;
    }
    EXPECT_EQ(row, without.slots());
  }
}

TEST(Session, CompactRemovalOfOneNodeEqualsTheGraphBuiltWithoutIt) {
  const RandomData data = small_data();
  Session session = open(data);
  ASSERT_TRUE(session.forget(ForgetNode{0u, "cy"}).ok());
  GraphParts parts;
  parts.node_count = 5;
  parts.edges = {{0, 1}, {2, 3}, {3, 4}, {4, 2}};
  parts.attribute_count = 1;
  parts.attributes = {0.1, 0.2, 0.4, 0.5, 0.6};
  parts.node_ids = {"ann", "bob", "dee", "eve", "fay"};
  RandomData by_hand = small_data();
  by_hand.dataset.graphs[0] = Graph::create(std::move(parts)).value();
  const Session without = open(by_hand);
  EXPECT_EQ(*session.graph(0), *without.graph(0));
  EXPECT_EQ(session.embeddings().to_dense(), without.embeddings().to_dense());
}

TEST(Session, RemovingEveryNodeRemovesTheGraph) {
  for (const NodeRemoval style : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    const RandomData data = small_data();
    SessionOptions options;
    options.removal = style;
    Session session = open(data, options);
    for (std::size_t v = 0; v < 6; ++v) {
      EXPECT_TRUE(session.has_graph(0));
      ASSERT_TRUE(session.forget(ForgetNode{0u, v}).ok());
    }
    EXPECT_FALSE(session.has_graph(0));
    EXPECT_EQ(session.graph_count(), data.dataset.size() - 1);
    EXPECT_EQ(session.certificate().graphs, data.dataset.size() - 1);
    EXPECT_TRUE(session.embeddings().row(0).values.empty());
    EXPECT_EQ(session.labels()[0], 0u);
  }
}

// A stated class stays, as one that nothing belongs to: all its signs are -1, and the certificate holds as before.
TEST(Session, RemovingTheLastGraphOfAClass) {
  RandomData data = random_data(9, {.graphs = 12, .classes = 3});
  for (std::uint32_t& label : data.dataset.labels) label = std::min(label, 1U);
  data.dataset.labels[7] = 2;
  SessionOptions options;
  options.classes = ConstantKind::kStated;
  Session session = open(data, options);
  const Certificate certificate = session.forget(ForgetGraph{7u}).value();
  EXPECT_TRUE(certificate.satisfied);
  EXPECT_EQ(session.classes(), 3u);
  const testing::Retrained fresh = testing::retrained(session, *data.embedder);
  EXPECT_LE((session.weights() - fresh.weights).norm(), certificate.distance_upper_bound + fresh.distance);
}

TEST(Session, ExternalIdsOfGraphsWork) {
  RandomData data = small_data();
  for (std::size_t g = 0; g < data.dataset.size(); ++g) data.dataset.graph_ids.push_back("club-" + std::to_string(g));
  Session session = open(data);
  ASSERT_TRUE(session.forget(ForgetNode{"club-0", "ann"}).ok());
  ASSERT_TRUE(session.forget(ForgetGraph{"club-3"}).ok());
  EXPECT_FALSE(session.has_graph(3));
  refusal(session, {ForgetGraph{"club-3"}}, ErrorCode::kNotFound);
  EXPECT_EQ(session.remaining().graph_ids.size(), data.dataset.size() - 1);
}

TEST(Session, APreviewChangesNothingAndTellsTheTruth) {
  for (const std::size_t graphs : {12u, 80u}) {  // with and without the fast rung
    const RandomData data = random_data(6, {.graphs = graphs, .attributes = 1});
    Session session = open(data);
    const std::vector<RemovalRequest> batch = {ForgetNode{0u, 0u}, ForgetGraph{1u}};
    const Snapshot before = snapshot(session);
    const Certificate promised = session.preview(batch).value();
    expect_unchanged(session, before);
    const Certificate done = session.forget(batch).value();
    EXPECT_EQ(done.graphs, promised.graphs);
    EXPECT_TRUE(promised.satisfied);
    EXPECT_TRUE(done.satisfied);
  }
}

TEST(Session, ResultsDoNotDependOnThreads) {
  const RandomData data = random_data(8, {.graphs = 150, .classes = 4, .attributes = 1});
  SessionOptions one;
  one.threads = 1;
  SessionOptions two;
  two.threads = 2;
  Session a = open(data, one);
  Session b = open(data, two);
  Sequence random(8);
  for (int step = 0; step < 5; ++step) {
    const auto batch = random_batch(random, a, data.dataset, 3);
    ASSERT_TRUE(a.forget(batch).ok());
    ASSERT_TRUE(b.forget(batch).ok());
    EXPECT_EQ(a.weights(), b.weights());
    EXPECT_EQ(a.certificate().residual_upper_bound, b.certificate().residual_upper_bound);
  }
}

TEST(Session, TheOtherMethodsAnswerTheSameRequests) {
  const RandomData data = small_data();
  SessionOptions whole;
  whole.method = Method::kWholeGraph;
  Session uu = open(data, whole);
  ASSERT_TRUE(uu.forget(ForgetNode{0u, 0u}).ok());
  EXPECT_FALSE(uu.has_graph(0));
  EXPECT_TRUE(uu.certificate().satisfied);

  SessionOptions again;
  again.method = Method::kRetrain;
  Session retrain = open(data, again);
  ASSERT_TRUE(retrain.forget(ForgetNode{0u, 0u}).ok());
  EXPECT_EQ(retrain.rungs()[Rung::kRetrain], 1u);
  EXPECT_EQ(retrain.graph(0)->node_count(), 5u);
  const testing::Retrained fresh = testing::retrained(retrain, *data.embedder);
  EXPECT_LE((retrain.weights() - fresh.weights).norm(), retrain.certificate().distance_upper_bound + fresh.distance);
}

TEST(Release, AddsFreshNoiseOfTheStatedSizeAndCountsReleases) {
  const RandomData data = random_data(5, {.graphs = 20, .attributes = 3, .moments = 2});
  SessionOptions options;
  options.noise_stddev = 0.5;
  options.releases = 40;
  Session session = open(data, options);
  double square = 0;
  double count = 0;
  Matrix last = session.weights();
  for (std::size_t r = 1; r <= 40; ++r) {
    const PublishedModel model = session.release().value();
    EXPECT_EQ(model.release_number, r);
    EXPECT_EQ(model.promise.shift_limit, session.certificate().promise.shift_limit);
    const Matrix noise = model.weights - session.weights();
    square += noise.squaredNorm();
    count += static_cast<double>(noise.size());
    EXPECT_NE(last, model.weights);
    last = model.weights;
  }
  // The sum of squares over sigma^2 is chi-square with `count` degrees of freedom: within five standard deviations of
  // its mean. Noise of half the promised size would give a quarter.
  const double statistic = square / (0.5 * 0.5);
  const auto plausible = [&](double value) { return std::abs(value - count) <= 5 * std::sqrt(2 * count); };
  EXPECT_TRUE(plausible(statistic));
  EXPECT_FALSE(plausible(statistic / 4));
  const Result<PublishedModel> too_many = session.release();
  ASSERT_FALSE(too_many.ok());
  EXPECT_EQ(too_many.error().code, ErrorCode::kLimitExceeded);
}

// The same for the noise in the objective, which half the promised size would fail.
TEST(Objective, PerturbationHasTheStatedSizeAndRetrainingDrawsItAnew) {
  const RandomData data = random_data(5, {.graphs = 40, .classes = 5, .attributes = 3, .moments = 2});
  SessionOptions options = paper_options(1e-2, 2);
  options.method = Method::kRetrain;
  Session session = open(data, options);
  const Matrix first = *session.perturbation();
  const double count = static_cast<double>(first.size());
  const auto plausible = [&](double value) { return std::abs(value - count) <= 5 * std::sqrt(2 * count); };
  EXPECT_TRUE(plausible(first.squaredNorm() / (0.1 * 0.1)));
  EXPECT_FALSE(plausible((first / 2).squaredNorm() / (0.1 * 0.1)));
  ASSERT_TRUE(session.forget(ForgetNode{0u, 0u}).ok());
  EXPECT_NE(first, *session.perturbation());
  EXPECT_EQ(session.release().value().weights, session.weights());
}

TEST(Session, RefusesOptionsThatPromiseTheImpossible) {
  const RandomData data = small_data();
  const auto code = [&](const SessionOptions& options) {
    const auto session = Session::create(data.dataset, data.embedder, options);
    return session.ok() ? std::optional<ErrorCode>() : session.error().code;
  };
  SessionOptions options;
  options.regularisation = 0;  // trains, but certifies nothing
  EXPECT_EQ(code(options), ErrorCode::kInvalidArgument);
  options = {};
  options.guarantee.delta = 0;
  EXPECT_EQ(code(options), ErrorCode::kInvalidArgument);
  options = {};
  options.rule = BudgetRule::kPaper;
  EXPECT_EQ(code(options), ErrorCode::kInvalidArgument);
  options = {};
  options.noise_stddev = 1e-19;  // far below what double precision can show
  EXPECT_EQ(code(options), ErrorCode::kLimitExceeded);
  options = {};
  options.guarantee = {1, 1e-300};
  EXPECT_EQ(code(options), ErrorCode::kLimitExceeded);
  EXPECT_FALSE(Session::create(Dataset{}, data.embedder, {}).ok());
}

TEST(Certificate, SaysOnWhatItRests) {
  const RandomData data = small_data();
  const Session sound = open(data);
  EXPECT_TRUE(sound.certificate().satisfied);
  EXPECT_LE(sound.certificate().shift_upper_bound, sound.certificate().promise.shift_limit);
  EXPECT_LE(epsilon_upper_bound(sound.certificate()).value(), 1.0);
  const Session paper = open(data, paper_options(1e-2, 2));
  const auto& list = paper.certificate().promise.assumptions;
  EXPECT_NE(std::find(list.begin(), list.end(), "assumes requests and residual independent of the noise"), list.end());
  EXPECT_FALSE(Certificate{}.satisfied);
}

// Rows are all that a training sees, so a part that has no graph learns the same.
TEST(Session, APartLearnsFromRowsWhatASessionLearnsFromGraphs) {
  RandomData data = small_data();
  data.dataset.class_names.emplace_back("nobody has it");
  for (const bool bias : {false, true}) {
    SessionOptions options;
    options.bias = bias;
    const Session whole = Session::create(data.dataset, data.embedder, options).value();
    const auto part_of = [&](const SessionOptions& chosen) {
      return Session::create_part("part", data.dataset.class_names, {whole.embeddings(), data.dataset.labels},
                                  data.embedder, chosen);
    };
    const Session part = part_of(options).value();
    EXPECT_EQ(part.weights(), whole.weights());
    EXPECT_EQ(part.class_names(), whole.class_names());
    EXPECT_EQ(part.graph_count(), whole.graph_count());
    EXPECT_EQ(part.certificate().residual_upper_bound, whole.certificate().residual_upper_bound);
    EXPECT_EQ(part.curvature().has_value(), whole.curvature().has_value());
    EXPECT_EQ(part.slots(), 0u);
    SessionOptions everyone = options;
    everyone.protection = Protection::kEveryone;
    everyone.classes = ConstantKind::kStated;
    everyone.ridge = 0.5;
    EXPECT_EQ(part_of(everyone).error().code, ErrorCode::kUnsupported);
  }
}

}  // namespace
}  // namespace unscatter
