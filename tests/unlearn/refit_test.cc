#include "unlearn/refit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/random_graph.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

constexpr std::int64_t kLoneLabel = 77;

// 18 graphs of three classes.  The last graph is the only one of its class, and its last node has a label that no other
// node has.
Dataset data_with_loners(std::uint64_t seed) {
  Dataset dataset;
  for (std::uint64_t g = 0; g < 18; ++g) {
    GraphParts parts = testing::random_graph_parts(
        100 * seed + g, {.nodes = 5, .edge_probability = 0.5, .attributes = 2, .label_values = 3});
    if (g == 17) parts.labels.back() = kLoneLabel;
    dataset.graphs.push_back(Graph::create(std::move(parts)).value());
    dataset.labels.push_back(g == 17 ? 1u : 2 * static_cast<std::uint32_t>(g % 2));
  }
  dataset.class_names = {"a", "lone", "z"};
  return dataset;
}

TransformSpec small_transform() {
  TransformSpec spec;
  spec.scales = 2;
  spec.moments = 1;
  spec.layers = 2;
  return spec;
}

Session session_on(const Dataset& dataset, const char* features, const SessionOptions& options = {}) {
  const auto embedder = make_embedder(features, small_transform(), dataset, FitSource::private_refit()).value();
  return Session::create(dataset, embedder, options).value();
}

// Everything that a session without the removed data would have, found from scratch.
void expect_as_if_never_there(const Session& session, const char* features) {
  const Dataset left = session.remaining();
  const Session fresh = session_on(left, features, session.options());
  EXPECT_EQ(session.embedder()->describe(), fresh.embedder()->describe());
  EXPECT_EQ(session.class_names(), fresh.class_names());
  EXPECT_EQ(session.certificate().promise.constants, fresh.certificate().promise.constants);
  std::size_t row = 0;
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    if (!session.has_graph(slot)) continue;
    EXPECT_EQ(session.embeddings().row(slot), fresh.embeddings().row(row)) << slot;
    EXPECT_EQ(session.labels()[slot], fresh.labels()[row]) << slot;
    ++row;
  }
  ASSERT_EQ(session.weights().rows(), fresh.weights().rows());
  ASSERT_EQ(session.weights().cols(), fresh.weights().cols());
  EXPECT_LE((session.weights() - fresh.weights()).norm(),
            session.certificate().distance_upper_bound + fresh.certificate().distance_upper_bound);
  EXPECT_TRUE(session.certificate().satisfied);
}

TEST(Refit, ALoneLabelLeavesWithItsNode) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    Session session = session_on(data_with_loners(seed), "labels");
    ASSERT_NE(session.embedder()->describe().find("77"), std::string::npos);
    const Certificate certificate = session.forget(ForgetNode{17u, 4u}).value();
    EXPECT_EQ(certificate.rung, Rung::kRetrain);
    EXPECT_EQ(session.embedder()->describe().find("77"), std::string::npos);
    expect_as_if_never_there(session, "labels");
    // The session goes on with the new constants, without training each time.
    EXPECT_NE(session.forget(ForgetNode{3u, 1u}).value().rung, Rung::kRetrain);
    expect_as_if_never_there(session, "labels");
    EXPECT_TRUE(session.release().ok());
  }
}

TEST(Refit, EveryFitFollowsItsData) {
  for (const char* features : {"auto", "standard-attributes", "labels+degree-onehot", "soft-attributes+log-degree"}) {
    SCOPED_TRACE(features);
    Session session = session_on(data_with_loners(9), features);
    const std::vector<RemovalRequest> requests = {ForgetNode{17u, 4u}, ForgetFeatures{2u, 1u}, ForgetEdge{0u, 0u, 1u},
                                                  ForgetGraph{17u},    ForgetGraph{4u},        ForgetNode{5u, 0u}};
    for (const RemovalRequest& request : requests) {
      if (!session.forget(request).ok()) continue;  // an edge that the graph does not have
      expect_as_if_never_there(session, features);
    }
    EXPECT_EQ(session.classes(), 2u);
  }
}

TEST(Refit, AClassLeavesWithItsLastGraph) {
  Session session = session_on(data_with_loners(1), "soft-degree");
  ASSERT_EQ(session.classes(), 3u);
  const std::vector<RemovalRequest> request = {ForgetGraph{17u}};
  PreparedRemoval removal = session.prepare(request).value();
  // Graphs of the class behind it get another label, and whoever writes the update down has to know.
  std::size_t relabelled = 0;
  for (const SlotChange& change : removal.changes()) {
    if (change.graph == nullptr) continue;
    EXPECT_EQ(change.label, 1u);
    EXPECT_EQ(*change.graph, *session.graph(change.slot));
    ++relabelled;
  }
  EXPECT_EQ(relabelled, 8u);
  EXPECT_EQ(removal.graphs_edited(), 0u);  // nobody asked for these
  EXPECT_EQ(removal.graphs_removed(), 1u);
  EXPECT_EQ(removal.class_names(), (std::vector<std::string>{"a", "z"}));
  removal.commit();
  expect_as_if_never_there(session, "soft-degree");
}

// Models before and after have other constants, which everybody sees.
TEST(Refit, IsFullyExposedOnceAModelWasPublished) {
  Session session = session_on(data_with_loners(1), "soft-degree");
  const std::vector<RemovalRequest> request = {ForgetGraph{17u}};
  Exposure exposure;
  ASSERT_TRUE(session.preview(request, &exposure).ok());
  EXPECT_EQ(exposure.shift, 0);
  ASSERT_TRUE(session.release().ok());
  ASSERT_TRUE(session.preview(request, &exposure).ok());
  EXPECT_EQ(exposure.models, 1u);
  EXPECT_TRUE(std::isinf(exposure.shift));
}

TEST(Refit, ADroppedRefitChangesNothing) {
  Session session = session_on(data_with_loners(2), "labels");
  const Matrix weights = session.weights();
  const std::string description = session.embedder()->describe();
  EXPECT_EQ(session.preview(std::vector<RemovalRequest>{ForgetGraph{17u}}).value().rung, Rung::kRetrain);
  EXPECT_EQ(session.weights(), weights);
  EXPECT_EQ(session.embedder()->describe(), description);
  EXPECT_EQ(session.classes(), 3u);
  EXPECT_EQ(session.updates(), 0u);
  EXPECT_TRUE(session.release().ok());
  EXPECT_TRUE(session.forget(ForgetNode{0u, 0u}).ok());
}

// Stated classes are nobody's data and stay.
TEST(Refit, StatedClassesStay) {
  SessionOptions options;
  options.classes = ConstantKind::kStated;
  Session session = session_on(data_with_loners(3), "soft-degree", options);
  EXPECT_NE(session.forget(ForgetGraph{17u}).value().rung, Rung::kRetrain);
  EXPECT_EQ(session.class_names(), (std::vector<std::string>{"a", "lone", "z"}));
}

TEST(Refit, ASessionHasTheClassesThatOccur) {
  Dataset dataset = data_with_loners(4);
  dataset.class_names.emplace_back("nobody");
  EXPECT_EQ(session_on(dataset, "soft-degree").classes(), 3u);
  dataset.graphs.pop_back();
  dataset.labels.pop_back();
  const Session session = session_on(dataset, "soft-degree");
  EXPECT_EQ(session.class_names(), (std::vector<std::string>{"a", "z"}));
  EXPECT_EQ(session.labels()[1], 1u);
}

TEST(Refit, OriginsAreComplete) {
  SessionOptions options;
  options.regularisation = 0.5;
  options.constants = {{"transform", ConstantKind::kStated}};
  const Session session = session_on(data_with_loners(5), "labels+soft-degree", options);
  const std::vector<ConstantOrigin> expected = {{"labels", ConstantKind::kPrivateFit},
                                                {"soft-degree", ConstantKind::kBuiltIn},
                                                {"classes", ConstantKind::kPrivateFit},
                                                {"lambda", ConstantKind::kStated},
                                                {"transform", ConstantKind::kStated}};
  EXPECT_EQ(session.certificate().promise.constants, expected);
}

// What was fitted once is called out; nothing else is.
TEST(Refit, TheCertificateSaysWhatWasFittedOnce) {
  const Dataset dataset = data_with_loners(6);
  const auto sentences = [&](const FitSource& source) {
    const auto embedder = make_embedder("labels", small_transform(), dataset, source).value();
    const Session session = Session::create(dataset, embedder, {}).value();
    std::string all;
    for (const std::string& sentence : session.certificate().promise.assumptions) all += sentence + '\n';
    return all;
  };
  EXPECT_NE(sentences(FitSource::once()).find("fitted once, on data that may be removed later (labels)"),
            std::string::npos);
  EXPECT_EQ(sentences(FitSource::private_refit()).find("fitted once"), std::string::npos);
}

// A planted fault: constants that are not the fit of the data could carry data that is gone.
TEST(Refit, RestoringRefusesConstantsThatAreNotTheFit) {
  Session session = session_on(data_with_loners(7), "labels");
  const auto stale = session.embedder();
  ASSERT_TRUE(session.forget(ForgetNode{17u, 4u}).ok());
  SessionSnapshot snapshot = session.snapshot();
  EXPECT_TRUE(Session::restore(snapshot, session.embedder(), session.options()).ok());
  const Result<Session> refused = Session::restore(snapshot, stale, session.options());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kMalformedInput);
  EXPECT_NE(refused.error().message.find("fit on the graphs"), std::string::npos);

  snapshot.class_names.emplace_back("somebody");
  EXPECT_NE(Session::restore(snapshot, session.embedder(), session.options()).error().message.find("class"),
            std::string::npos);
}

TEST(FitClasses, KeepsTheOrderAndSkipsGaps) {
  EXPECT_FALSE(fit_classes({"a", "b"}, {0, 1, 0}, {true, true, true}).has_value());
  const auto fit = fit_classes({"a", "b", "c"}, {2, 1, 0, 2}, {true, false, true, true});
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->names, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(fit->labels, (std::vector<std::uint32_t>{1, 0, 0, 1}));
}

}  // namespace
}  // namespace unscatter
