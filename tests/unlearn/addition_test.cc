// A session that learns more and is corrected, against training from scratch on what is there then.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "unlearn/graph_collection.h"
#include "unlearn/random_session.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter {
namespace {

using testing::joint;
using testing::part_of;
using testing::random_correction;
using testing::RandomData;
using testing::RandomDataOptions;

SessionOptions living_options(std::uint64_t seed) {
  SessionOptions options;
  options.classes = ConstantKind::kStated;
  options.loss = seed % 3 == 0 ? Loss::logistic() : seed % 3 == 1 ? Loss::squared() : Loss::huber_svm(0.5).value();
  options.regularisation = 1e-2;
  options.noise_stddev = 0.05;
  options.bias = seed % 2 == 1;
  return options;
}

RemovalRequest random_removal(Sequence& random, const Session& session) {
  for (;;) {
    const std::size_t slot = random.below(session.slots());
    const Graph* graph = session.graph(slot);
    if (graph == nullptr || session.graph_count() < 3) continue;
    const auto node = static_cast<NodeIndex>(random.below(graph->node_count()));
    switch (random.below(4)) {
      case 0:
        if (graph->has_features(node)) return ForgetFeatures{slot, graph->node_id(node)};
        break;
      case 1: return ForgetNode{slot, graph->node_id(node)};
      case 2: return ForgetGraph{slot};
      default: return ForgetSubject{graph->node_id(node)};
    }
  }
}

// Everything that a certificate says, held against the graphs that are there.
void expect_certified(const Session& session, const Embedder& embedder) {
  const Certificate& certificate = session.certificate();
  EXPECT_TRUE(certificate.satisfied);
  EXPECT_EQ(certificate.graphs, session.graph_count());
  EXPECT_LE(joint(testing::true_residuals(session, embedder)), certificate.residual_upper_bound);
  const testing::Retrained fresh = testing::retrained(session, embedder);
  EXPECT_LE((session.weights() - fresh.weights).norm(), certificate.distance_upper_bound + fresh.distance);
  EXPECT_EQ(session.rungs()[Rung::kRetrain], 0U);
}

// Rows are those of a session that was created with what is left.
void expect_rows_from_scratch(const Session& session, const RandomData& data) {
  const Session fresh = Session::create(session.remaining(), data.embedder, session.options()).value();
  std::size_t place = 0;
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    if (!session.has_graph(slot)) {
      EXPECT_TRUE(session.embeddings().row(slot).values.empty());
      continue;
    }
    EXPECT_EQ(session.embeddings().row(slot), fresh.embeddings().row(place));
    EXPECT_EQ(session.labels()[slot], fresh.labels()[place]);
    ++place;
  }
  EXPECT_EQ(place, fresh.slots());
}

TEST(LivingSession, EveryStepIsCertifiedAgainstTrainingFromScratch) {
  std::size_t dual = 0;
  std::size_t primal = 0;
  std::size_t fast = 0;
  for (std::uint64_t seed = 0; seed < 18; ++seed) {
    SCOPED_TRACE(seed);
    RandomDataOptions shape;
    shape.classes = 2 + seed % 3;
    shape.graphs = seed % 2 == 0 ? 24 : 140;  // fewer or more than there are coordinates
    const RandomData data = testing::random_data(seed, shape);
    const std::size_t first = shape.graphs / 2;
    SessionOptions options = living_options(seed);
    if (seed % 6 >= 4) options.noise_stddev = 1e3;  // a limit that the fast rung can meet
    Session session = Session::create(part_of(data.dataset, 0, first), data.embedder, options).value();
    (first < session.embeddings().columns() ? dual : primal) += 1;
    Sequence random(seed);
    std::size_t next = first;
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE(step);
      const std::uint64_t what = random.below(5);
      if (what == 0 && next < shape.graphs) {
        const std::size_t count = std::min<std::size_t>(1 + random.below(4), shape.graphs - next);
        ASSERT_TRUE(session.add(part_of(data.dataset, next, count)).ok());
        next += count;
      } else if (what == 1) {
        ASSERT_TRUE(session.forget(random_removal(random, session)).ok());
      } else if (what == 2) {
        ASSERT_TRUE(session.release().ok());
      } else if (what == 3) {
        Result<Session> opened = Session::restore(session.snapshot(), data.embedder, options);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        session = *std::move(opened);
      } else {
        const Correction correction = random_correction(random, session);
        const Result<Certificate> corrected = session.correct(std::span(&correction, 1));
        ASSERT_TRUE(corrected.ok()) << corrected.error().message;
      }
      expect_certified(session, *data.embedder);
    }
    fast += session.rungs()[Rung::kFast];
    expect_rows_from_scratch(session, data);
  }
  EXPECT_GE(dual, 6U);
  EXPECT_GE(primal, 6U);
  EXPECT_GE(fast, 10U);
}

// The bounds of the paper, too, for rows that come and for labels that change.
TEST(LivingSession, TheChainOfBoundsHoldsForAdditionsAndCorrections) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    RandomDataOptions shape;
    shape.classes = 2 + seed % 2;
    shape.graphs = 16;
    const RandomData data = testing::random_data(seed, shape);
    SessionOptions options = testing::limitless_options();
    options.loss = living_options(seed).loss;
    options.report_all_bounds = true;
    Session session = Session::create(part_of(data.dataset, 0, 8), data.embedder, options).value();
    Sequence random(seed);
    for (int step = 0; step < 4; ++step) {
      SCOPED_TRACE(step);
      Certificate certificate;
      if (step % 2 == 0) {
        certificate = session.add(part_of(data.dataset, 8 + 4 * static_cast<std::size_t>(step / 2), 4)).value();
      } else {
        const Correction correction = random_correction(random, session);
        certificate = session.correct(std::span(&correction, 1)).value();
      }
      const double residual = joint(testing::true_residuals(session, *data.embedder));
      EXPECT_LE(residual, *certificate.bounds.exact);
      EXPECT_LE(*certificate.bounds.exact, *certificate.bounds.tight);
      EXPECT_LE(*certificate.bounds.tight, *certificate.bounds.data);
      EXPECT_LE(*certificate.bounds.data, *certificate.bounds.worst);
    }
  }
}

TEST(LivingSession, AddThenForgetEndsWhereNothingWasAdded) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomDataOptions shape;
    shape.graphs = seed % 2 == 0 ? 20 : 120;
    const RandomData data = testing::random_data(seed, shape);
    const std::size_t first = shape.graphs - 5;
    Session session = Session::create(part_of(data.dataset, 0, first), data.embedder, living_options(seed)).value();
    const Matrix before = session.weights();
    const double distance_before = session.certificate().distance_upper_bound;
    ASSERT_TRUE(session.add(part_of(data.dataset, first, 5)).ok());
    EXPECT_EQ(session.graph_count(), shape.graphs);
    std::vector<RemovalRequest> requests;
    for (std::size_t slot = first; slot < session.slots(); ++slot) requests.emplace_back(ForgetGraph{slot});
    ASSERT_TRUE(session.forget(requests).ok());
    EXPECT_EQ(session.graph_count(), first);
    EXPECT_LE((session.weights() - before).norm(), distance_before + session.certificate().distance_upper_bound);
    EXPECT_EQ(session.rungs()[Rung::kRetrain], 0U);
    expect_rows_from_scratch(session, data);
  }
}

// What a dropped update leaves behind would show in every later one.
TEST(LivingSession, ADroppedAdditionOrCorrectionLeavesTheSessionAsItWas) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    RandomDataOptions shape;
    shape.graphs = seed % 2 == 0 ? 20 : 140;
    const RandomData data = testing::random_data(seed, shape);
    const std::size_t first = shape.graphs - 6;
    Session session = Session::create(part_of(data.dataset, 0, first), data.embedder, living_options(seed)).value();
    const Matrix weights = session.weights();
    const Digest remaining = content_digest(session.remaining());
    Certificate tried;
    {
      const PreparedRemoval addition = session.prepare_addition(part_of(data.dataset, first, 6)).value();
      EXPECT_EQ(addition.graphs_added(), 6U);
      EXPECT_EQ(addition.certificate().graphs, shape.graphs);
      ASSERT_EQ(addition.changes().size(), 6U);
      EXPECT_TRUE(addition.changes()[0].added);
      EXPECT_EQ(addition.changes()[0].slot, first);
      EXPECT_EQ(addition.changes()[0].number, first);
      tried = addition.certificate();
    }
    Sequence random(seed);
    const Correction correction = random_correction(random, session);
    { const PreparedRemoval dropped = session.prepare_corrections(std::span(&correction, 1)).value(); }
    EXPECT_EQ(session.weights(), weights);
    EXPECT_EQ(session.slots(), first);
    EXPECT_EQ(session.embeddings().rows(), first);
    EXPECT_EQ(session.labels().size(), first);
    EXPECT_EQ(content_digest(session.remaining()), remaining);
    EXPECT_TRUE(session.evaluate().satisfied);
    // The kept curvature follows too: the next updates are as good as any.
    ASSERT_TRUE(session.correct(std::span(&correction, 1)).ok());
    expect_certified(session, *data.embedder);
    ASSERT_TRUE(session.add(part_of(data.dataset, first, 6)).ok());
    expect_certified(session, *data.embedder);
    ASSERT_TRUE(session.forget(ForgetGraph{first}).ok());
    expect_certified(session, *data.embedder);
  }
}

TEST(LivingSession, NewGraphsHaveTheNumbersAfterTheLargest) {
  const RandomData data = testing::random_data(3);
  Dataset numbered = part_of(data.dataset, 0, 4);
  numbered.numbers = {2, 5, 7, 11};
  Session session = Session::create(numbered, data.embedder, living_options(0)).value();
  ASSERT_TRUE(session.add(part_of(data.dataset, 4, 2)).ok());
  Dataset later = part_of(data.dataset, 6, 2);
  later.numbers = {20, 30};
  ASSERT_TRUE(session.add(later).ok());
  EXPECT_EQ(session.remaining().numbers, (std::vector<std::size_t>{2, 5, 7, 11, 12, 13, 20, 30}));
  ASSERT_TRUE(session.forget(ForgetGraph{30U}).ok());
  EXPECT_FALSE(session.has_graph(7));
  // A number that was there is not used again, and neither is one below it.
  for (const std::size_t number : {30U, 12U, 3U}) {
    Dataset again = part_of(data.dataset, 8, 1);
    again.numbers = {number};
    const Result<PreparedRemoval> refused = session.prepare_addition(again);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  }
  // Subjects of new graphs can be asked for like all others.
  const std::string subject = session.graph(4)->node_id(0);
  ASSERT_TRUE(session.forget(ForgetSubject{subject}).ok());
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    if (!session.has_graph(slot)) continue;
    const Graph& graph = *session.graph(slot);
    for (std::size_t i = 0; i < graph.node_count(); ++i) EXPECT_NE(graph.node_id(i), subject);
  }
}

// Refusals come with a reason and change nothing.
TEST(LivingSession, RefusesWhatDoesNotFitTheModel) {
  RandomData data = testing::random_data(5);
  for (std::size_t g = 0; g < data.dataset.size(); ++g) data.dataset.graph_ids.push_back("g" + std::to_string(g));
  Session session = Session::create(part_of(data.dataset, 0, 10), data.embedder, living_options(0)).value();
  const Matrix weights = session.weights();
  const auto refused = [&](Dataset graphs, std::string_view reason) {
    const Result<PreparedRemoval> addition = session.prepare_addition(std::move(graphs));
    ASSERT_FALSE(addition.ok()) << reason;
    EXPECT_NE(addition.error().message.find(reason), std::string::npos) << addition.error().message;
  };
  refused(Dataset{}, "nothing to add");
  Dataset other = part_of(data.dataset, 10, 1);
  other.class_names.back() = "unheard-of";
  other.labels[0] = static_cast<std::uint32_t>(other.class_names.size() - 1);
  refused(other, "'unheard-of'");
  refused(part_of(data.dataset, 9, 1), "there is a graph 'g9' already");
  Dataset twice = part_of(data.dataset, 10, 2);
  twice.graph_ids[1] = twice.graph_ids[0];
  refused(twice, "two new graphs");
  Dataset nameless = part_of(data.dataset, 10, 1);
  nameless.graph_ids.clear();
  refused(nameless, "have ids");
  RandomDataOptions wide;
  wide.attributes = 3;
  Dataset wider = part_of(testing::random_data(6, wide).dataset, 0, 1);
  wider.graph_ids = {"wide"};
  refused(wider, "3 attributes per node");

  const auto wrong = [&](const Correction& correction, std::string_view reason) {
    const Result<PreparedRemoval> update = session.prepare_corrections(std::span(&correction, 1));
    ASSERT_FALSE(update.ok()) << reason;
    EXPECT_NE(update.error().message.find(reason), std::string::npos) << update.error().message;
    EXPECT_EQ(update.error().request, 0U);
  };
  const Graph& graph = *session.graph(0);
  const NodeIndex neighbour = graph.neighbours(0).empty() ? 1 : graph.neighbours(0)[0];
  wrong(SetLabel{0U, "unheard-of"}, "no class 'unheard-of'");
  wrong(SetLabel{0U, session.class_names()[session.labels()[0]]}, "this value already");
  wrong(SetLabel{"g99", "0"}, "no graph 'g99'");
  wrong(SetFeatures{0U, 0U, std::vector<double>{1}}, "1 attributes are given");
  wrong(SetFeatures{0U, 0U, std::vector<double>{1, std::nan("")}}, "not a finite number");
  wrong(SetFeatures{0U, 0U, {}, 7}, "no labels");
  wrong(SetFeatures{0U, 0U}, "no new attributes");
  wrong(SetFeatures{0U, 99U, std::vector<double>{1, 2}}, "no node 99");
  wrong(AddEdge{0U, 0U, 0U}, "to itself");
  if (graph.has_edge(0, neighbour)) wrong(AddEdge{0U, 0U, std::size_t{neighbour}}, "there already");
  wrong(DropEdge{0U, 0U, 0U}, "no such edge");
  EXPECT_FALSE(session.prepare_corrections({}).ok());
  // One that fails takes the whole batch with it.
  const std::vector<Correction> batch = {SetFeatures{0U, 0U, std::vector<double>{3, 4}}, SetLabel{0U, "unheard-of"}};
  const Result<PreparedRemoval> half = session.prepare_corrections(batch);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error().request, 1U);
  EXPECT_EQ(session.weights(), weights);
  EXPECT_EQ(session.slots(), 10U);
}

TEST(LivingSession, LevelEveryoneTakesNeither) {
  const RandomData data = testing::nameless_data(7);
  SessionOptions options;
  options.protection = Protection::kEveryone;
  options.classes = ConstantKind::kStated;
  options.ridge = 10;
  Session session = Session::create(part_of(data.dataset, 0, 10), data.embedder, options).value();
  const Result<PreparedRemoval> addition = session.prepare_addition(part_of(data.dataset, 10, 1));
  ASSERT_FALSE(addition.ok());
  EXPECT_NE(addition.error().message.find("level everyone takes no new graphs"), std::string::npos);
  const Correction correction = DropEdge{0U, 0U, 1U};
  const Result<PreparedRemoval> corrections = session.prepare_corrections(std::span(&correction, 1));
  ASSERT_FALSE(corrections.ok());
  EXPECT_NE(corrections.error().message.find("level everyone takes no corrections"), std::string::npos);
}

// Constants that follow the data follow additions and corrections as well: the result is that of a training.
TEST(LivingSession, PrivateFitsAreFittedAgain) {
  const RandomData data = testing::random_data(9);
  const Dataset first = part_of(data.dataset, 0, 12);
  TransformSpec spec;
  spec.scales = 2;
  spec.layers = 2;
  std::vector<EmbeddingBlock> blocks;
  blocks.push_back({FeatureMap::resolve("standard-attributes", first, FitSource::private_refit()).value(),
                    make_transform(spec).value()});
  SessionOptions options = living_options(0);
  options.classes = ConstantKind::kPrivateFit;
  Session session = Session::create(first, std::make_shared<Embedder>(std::move(blocks)), options).value();
  const std::string before = session.embedder()->describe();
  ASSERT_TRUE(session.add(part_of(data.dataset, 12, 3)).ok());
  EXPECT_EQ(session.certificate().rung, Rung::kRetrain);
  EXPECT_NE(session.embedder()->describe(), before);
  const std::string fitted =
      FeatureMap::resolve("standard-attributes", session.remaining(), FitSource::private_refit()).value().describe();
  EXPECT_EQ(session.embedder()->blocks().front().features.describe(), fitted);
  // A class whose last graph is corrected away leaves the model.
  std::vector<Correction> all;
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    if (session.labels()[slot] == 1) all.emplace_back(SetLabel{slot, "0"});
  }
  ASSERT_FALSE(all.empty());
  ASSERT_TRUE(session.correct(all).ok());
  EXPECT_EQ(session.class_names(), std::vector<std::string>{"0"});
  EXPECT_TRUE(session.evaluate().satisfied);
}

TEST(LivingSession, ExposureOfAnAdditionIsThatOfTheNextModel) {
  const RandomData data = testing::random_data(10);
  SessionOptions options = living_options(0);
  Session session = Session::create(part_of(data.dataset, 0, 12), data.embedder, options).value();
  const Matrix before = session.weights();
  Exposure exposure;
  ASSERT_TRUE(session.add(part_of(data.dataset, 12, 2), &exposure).ok());
  EXPECT_EQ(exposure.models, 1U);
  const double apart = (session.weights() - before).norm();
  EXPECT_GE(exposure.shift, apart / options.noise_stddev);
  EXPECT_LE(exposure.shift, 1.1 * apart / options.noise_stddev + 0.1);
  // What a correction replaces was in every model so far.
  Sequence random(1);
  const Correction correction = random_correction(random, session);
  ASSERT_TRUE(session.correct(std::span(&correction, 1), &exposure).ok());
  EXPECT_EQ(exposure.models, 0U);
  EXPECT_EQ(exposure.shift, 0.0);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(session.release().ok());
  const Matrix then = session.weights();
  const Correction another = random_correction(random, session);
  ASSERT_TRUE(session.correct(std::span(&another, 1), &exposure).ok());
  EXPECT_EQ(exposure.models, 4U);
  EXPECT_GE(exposure.shift, 2 * (session.weights() - then).norm() / options.noise_stddev);
}

// With few graphs, one of them may move the weights by a hundred times of what it moves them by among many.  So what a
// model from then tells must not be read off the weights of now.
TEST(LivingSession, NothingIsComputedForModelsFromBeforeAnAddition) {
  const RandomData data = testing::random_data(10);
  const SessionOptions options = living_options(0);
  Session session = Session::create(part_of(data.dataset, 0, 12), data.embedder, options).value();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(session.release().ok());
  ASSERT_TRUE(session.add(part_of(data.dataset, 12, 2)).ok());
  const auto exposure_of = [](Session& of, std::size_t slot) {
    Exposure exposure;
    const RemovalRequest request = ForgetGraph{slot};
    EXPECT_TRUE(of.preview(std::span(&request, 1), &exposure).ok());
    return exposure;
  };
  Exposure old_graph = exposure_of(session, 3);
  EXPECT_EQ(old_graph.models, 0U);
  EXPECT_EQ(old_graph.older, 2U);
  EXPECT_TRUE(std::isinf(old_graph.shift));
  EXPECT_EQ(best_guess(old_graph), 1);
  // A model knows no graph that came after it.
  Exposure new_graph = exposure_of(session, 12);
  EXPECT_EQ(new_graph.models + new_graph.older, 0U);
  EXPECT_EQ(new_graph.shift, 0);

  for (int i = 0; i < 4; ++i) ASSERT_TRUE(session.release().ok());
  Session restored = Session::restore(session.snapshot(), data.embedder, options).value();
  for (Session* one : {&session, &restored}) {
    old_graph = exposure_of(*one, 3);
    EXPECT_EQ(old_graph.models, 4U);
    EXPECT_EQ(old_graph.older, 2U);
    EXPECT_TRUE(std::isinf(old_graph.shift));
    EXPECT_TRUE(std::isfinite(old_graph.one));
    new_graph = exposure_of(*one, 12);
    EXPECT_EQ(new_graph.models, 4U);
    EXPECT_EQ(new_graph.older, 0U);
    EXPECT_TRUE(std::isfinite(new_graph.shift));
    EXPECT_EQ(new_graph.shift, 2 * new_graph.one);
  }
}

}  // namespace
}  // namespace unscatter
