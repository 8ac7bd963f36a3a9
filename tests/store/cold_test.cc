// Removals by a process that has just started: they agree with those of a session of all graphs, they look at nothing
// else, and what they keep in the file is no more than what theory.md accounts for.
#include "store/cold.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "store/stored_curvature.h"
#include "unlearn/limit.h"
#include "unscatter/base/random.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::all_details;
using testing::sample_choices;
using testing::sample_setup;
using testing::SampleChoice;
using testing::SampleWorkspace;

Result<Forgotten> forget_in(Workspace& workspace, const RemovalRequest& request) {
  return workspace.forget(std::span(&request, 1));
}

std::vector<RemovalRequest> some_requests(const Dataset& data) {
  return {ForgetFeatures{0u, 1u}, ForgetNode{1u, 0u}, ForgetGraph{3u}, ForgetSubject{data.graphs[4].node_id(1)}};
}

class ColdOfEveryKind : public ::testing::TestWithParam<SampleChoice> {};

TEST_P(ColdOfEveryKind, AgreesWithASessionOfAllGraphs) {
  for (const std::size_t graphs : {14u, 60u}) {
    SCOPED_TRACE(graphs);
    const SampleWorkspace cold(sample_setup(3, GetParam(), graphs));
    const SampleWorkspace warm(sample_setup(3, GetParam(), graphs));
    static_cast<void>(cold.create());
    static_cast<void>(warm.create());
    warm.replace(cold.bytes());
    for (const RemovalRequest& request : some_requests(cold.original())) {
      SCOPED_TRACE(describe(request));
      Workspace one = cold.open();
      const Result<Forgotten> done = forget_in(one, request);
      ASSERT_TRUE(done.ok()) << done.error().message;
      Workspace other = warm.open();
      ASSERT_TRUE(other.session().ok());
      const Result<Forgotten> expected = forget_in(other, request);
      ASSERT_TRUE(expected.ok()) << expected.error().message;
      EXPECT_TRUE(done->certificate.satisfied);
      EXPECT_EQ(done->certificate.graphs, expected->certificate.graphs);
      EXPECT_EQ(done->entry.requests, expected->entry.requests);
      // Under the objective mechanism a retraining draws its own noise.
      if (GetParam().options.mechanism == Mechanism::kRelease) {
        const double apart = (one.kept_weights() - other.kept_weights()).norm();
        EXPECT_LE(apart, 1.01 * (done->certificate.distance_upper_bound + expected->certificate.distance_upper_bound));
      }
      EXPECT_EQ(content_digest(one.remaining().value()), content_digest(other.remaining().value()));
    }
    const Verification verification = cold.verify({.retrain = true});
    EXPECT_TRUE(verification.passed) << all_details(verification);
    EXPECT_TRUE(warm.verify().passed);
  }
}

INSTANTIATE_TEST_SUITE_P(Options, ColdOfEveryKind, ::testing::ValuesIn(sample_choices()),
                         [](const auto& instance) { return instance.param.name; });

// Corrections, too.  A label that changes is another sign in every class.
TEST(Cold, CorrectionsAgreeWithASessionOfAllGraphs) {
  for (const double noise : {0.03, 1e5}) {
    SCOPED_TRACE(noise);
    SampleChoice choice;
    choice.options.noise_stddev = noise;
    const SampleWorkspace cold(sample_setup(3, choice, 60));
    const SampleWorkspace warm(sample_setup(3, choice, 60));
    static_cast<void>(cold.create());
    static_cast<void>(warm.create());
    warm.replace(cold.bytes());
    const Dataset& data = cold.original();
    const std::string other_class = data.class_names[1 - data.labels[5]];
    const NodeIndex neighbour = data.graphs[6].neighbours(0).front();
    for (const Correction& correction : {Correction(SetLabel{5u, other_class}), Correction(DropEdge{6u, 0u, neighbour}),
                                         Correction(AddEdge{6u, 0u, neighbour})}) {
      Workspace one = cold.open();
      const Result<Forgotten> done = one.correct(std::span(&correction, 1));
      ASSERT_TRUE(done.ok()) << done.error().message;
      EXPECT_TRUE(noise < 1 || done->certificate.rung == Rung::kFast);
      Workspace other = warm.open();
      ASSERT_TRUE(other.session().ok());
      const Result<Forgotten> expected = other.correct(std::span(&correction, 1));
      ASSERT_TRUE(expected.ok()) << expected.error().message;
      EXPECT_TRUE(done->certificate.satisfied);
      const double apart = (one.kept_weights() - other.kept_weights()).norm();
      EXPECT_LE(apart, 1.01 * (done->certificate.distance_upper_bound + expected->certificate.distance_upper_bound));
      EXPECT_EQ(content_digest(one.remaining().value()), content_digest(other.remaining().value()));
    }
    const Verification verification = cold.verify({.retrain = true});
    EXPECT_TRUE(verification.passed) << all_details(verification);
  }
}

// A refusal has the same words as that of a session of all graphs.
TEST(Cold, RefusesInTheSameWords) {
  const SampleWorkspace sample;
  static_cast<void>(sample.create());
  {
    Workspace workspace = sample.open();
    ASSERT_TRUE(forget_in(workspace, ForgetGraph{3u}).ok());
  }
  const std::vector<RemovalRequest> wrong = {ForgetGraph{3u},        ForgetGraph{99u},         ForgetGraph{"nobody"},
                                             ForgetNode{2u, 77u},    ForgetNode{2u, "nobody"}, ForgetSubject{"nobody"},
                                             ForgetEdge{2u, 0u, 0u}, ForgetFeatures{99u, 0u}};
  for (const RemovalRequest& request : wrong) {
    SCOPED_TRACE(describe(request));
    Workspace cold = sample.open();
    const Result<Forgotten> refused = forget_in(cold, request);
    ASSERT_FALSE(refused.ok());
    { const Workspace closed = std::move(cold); }
    Workspace warm = sample.open();
    ASSERT_TRUE(warm.session().ok());
    const Result<Forgotten> expected = forget_in(warm, request);
    EXPECT_EQ(refused.error().message, expected.error().message);
    EXPECT_EQ(refused.error().code, expected.error().code);
    EXPECT_EQ(refused.error().request, expected.error().request);
  }
}

// What it does not need may be broken, and it does not notice.  A session of all graphs does.
TEST(Cold, LooksAtNoOtherGraph) {
  SampleChoice choice;
  choice.options.noise_stddev = 1e5;  // sixty graphs are few, and a large limit lets the fast rung serve
  const SampleWorkspace sample(sample_setup(1, choice, 60));
  static_cast<void>(sample.create());
  sample.edit("UPDATE graphs SET content = x'00' WHERE slot > 10; DELETE FROM embeddings WHERE slot > 10");
  Workspace workspace = sample.open();
  EXPECT_EQ(workspace.info().graphs, 60u);
  EXPECT_TRUE(workspace.release().ok());
  const Result<Forgotten> done = forget_in(workspace, ForgetNode{2u, 0u});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->certificate.rung, Rung::kFast);
  const Correction correction = SetLabel{4u, sample.original().class_names[1 - sample.original().labels[4]]};
  const Result<Forgotten> corrected = workspace.correct(std::span(&correction, 1));
  ASSERT_TRUE(corrected.ok()) << corrected.error().message;
  EXPECT_EQ(corrected->certificate.rung, Rung::kFast);
  EXPECT_FALSE(forget_in(workspace, ForgetGraph{20u}).ok());
  EXPECT_FALSE(workspace.session().ok());
}

// A few other graphs are asked whether a constant stays.  Where none of them shows it, all graphs are, and the constant
// goes with the last graph that has it.
TEST(Cold, AConstantThatFewGraphsShowGoesWithThem) {
  WorkspaceSetup setup = sample_setup(5, {}, 60);
  setup.features = "degree-onehot";
  setup.fit.kind = ConstantKind::kPrivateFit;
  const SampleWorkspace cold(setup);
  const SampleWorkspace warm(setup);
  static_cast<void>(cold.create());
  static_cast<void>(warm.create());
  std::size_t narrower = 0;
  for (std::size_t graph = 0; graph + 1 < 60; ++graph) {
    SCOPED_TRACE(graph);
    Workspace one = cold.open();
    Workspace other = warm.open();
    ASSERT_TRUE(other.session().ok());
    const auto before = other.kept_weights().rows();
    ASSERT_TRUE(forget_in(one, ForgetGraph{graph}).ok());
    ASSERT_TRUE(forget_in(other, ForgetGraph{graph}).ok());
    ASSERT_EQ(one.kept_weights().rows(), other.kept_weights().rows());
    EXPECT_EQ(one.info().features, other.info().features);
    if (other.kept_weights().rows() < before) ++narrower;
  }
  EXPECT_GT(narrower, 0u);
}

TEST(Cold, OnlyOneUpdateIsPreparedAtATime) {
  const SampleWorkspace sample(sample_setup(1, {}, 60));
  static_cast<void>(sample.create());
  Workspace workspace = sample.open();
  const std::vector<RemovalRequest> first = {ForgetNode{2u, 0u}};
  Workspace::Removal removal = workspace.prepare(first).value();
  EXPECT_THROW(static_cast<void>(workspace.prepare(first)), std::exception);
  EXPECT_THROW(static_cast<void>(workspace.release()), std::exception);
  EXPECT_THROW(static_cast<void>(workspace.session()), std::exception);
  EXPECT_TRUE(removal.commit().ok());
  EXPECT_TRUE(workspace.release().ok());
  EXPECT_TRUE(workspace.session().ok());
}

TEST(Cold, DamagedKeptStateIsNoticedAndMadeAnew) {
  const SampleWorkspace sample(sample_setup(1, {}, 60));
  static_cast<void>(sample.create());
  const std::string good = sample.bytes();
  const std::string flip = " = CAST(substr(CONTENT, 1, 9) || x'5a' || substr(CONTENT, 11) AS BLOB)";
  const auto flipped = [&](const std::string& table, const std::string& column) {
    std::string sql = "UPDATE " + table + " SET " + column + flip + " WHERE length(CONTENT) > 20";
    for (std::size_t at = sql.find("CONTENT"); at != std::string::npos; at = sql.find("CONTENT")) {
      sql.replace(at, 7, column);
    }
    return sql;
  };
  for (const std::string& sql :
       {flipped("embeddings", "content"), flipped("curvature", "content"), flipped("members", "entries"),
        flipped("tree", "digests"), std::string("DELETE FROM embeddings WHERE slot = 7"),
        std::string("DELETE FROM curvature WHERE piece = 2"), std::string("DELETE FROM members"),
        std::string("DELETE FROM tree"), std::string("UPDATE curvature SET seal = 1"),
        std::string("UPDATE embeddings SET slot = slot + 1000; UPDATE embeddings SET slot = slot - 999")}) {
    SCOPED_TRACE(sql);
    sample.edit(sql);
    EXPECT_FALSE(sample.verify().passed);
    {
      Workspace workspace = sample.open();
      const std::vector<RemovalRequest> requests = {ForgetSubject{sample.original().graphs[4].node_id(1)}};
      const Result<Forgotten> done = workspace.forget(requests);
      ASSERT_TRUE(done.ok()) << done.error().message;
      EXPECT_TRUE(done->certificate.satisfied);
    }
    {
      // Whoever needs all rows finds and mends what the first removal did not look at.
      Workspace workspace = sample.open();
      ASSERT_TRUE(workspace.session().ok());
      ASSERT_TRUE(forget_in(workspace, ForgetGraph{9u}).ok());
    }
    const Verification verification = sample.verify();
    EXPECT_TRUE(verification.passed) << all_details(verification);
    sample.replace(good);
  }
}

// Every kind of update goes on, whatever of the kept state is damaged and however the graph is named.
TEST(Cold, NoUpdateIsRefusedForDamagedKeptState) {
  const SampleWorkspace sample(sample_setup(1, {}, 60));
  static_cast<void>(sample.create());
  const std::string good = sample.bytes();
  const std::vector<RemovalRequest> by_number = {ForgetGraph{3u}};
  const std::vector<RemovalRequest> by_subject = {ForgetSubject{sample.original().graphs[4].node_id(1)}};
  std::vector<RemovalRequest> many;
  for (std::size_t graph = 20; graph < 40; ++graph) many.emplace_back(ForgetGraph{graph});
  const std::vector<Correction> corrections = {SetFeatures{5u, 0u, std::vector<double>{0.5, 0.25}}};
  const std::vector<std::function<Result<Forgotten>(Workspace&)>> updates = {
      [&](Workspace& workspace) { return workspace.forget(by_number); },
      [&](Workspace& workspace) { return workspace.forget(by_subject); },
      [&](Workspace& workspace) { return workspace.forget(many); },
      [&](Workspace& workspace) { return workspace.correct(corrections); },
      [&](Workspace& workspace) { return workspace.add(sample_setup(2, {}, 2).dataset); }};
  for (const char* damage : {"UPDATE members SET seal = zeroblob(32)", "DELETE FROM members", "DELETE FROM tree",
                             "UPDATE tree SET digests = zeroblob(length(digests))",
                             "DELETE FROM embeddings WHERE slot = 7", "UPDATE curvature SET seal = 1",
                             "DROP TABLE embeddings; DROP TABLE members; DROP TABLE tree; DROP TABLE curvature"}) {
    for (std::size_t i = 0; i < updates.size(); ++i) {
      for (const bool warm : {false, true}) {
        SCOPED_TRACE(std::string(damage) + ", update " + std::to_string(i) + (warm ? ", warm" : ""));
        sample.replace(good);
        sample.edit(std::string(damage));
        {
          Workspace workspace = sample.open();
          if (warm) {
            ASSERT_TRUE(workspace.session().ok());
          }
          const Result<Forgotten> done = updates[i](workspace);
          ASSERT_TRUE(done.ok()) << done.error().message;
          EXPECT_TRUE(done->certificate.satisfied);
        }
        // What this update did not need may still be damaged; one of all graphs mends it.
        {
          Workspace workspace = sample.open();
          ASSERT_TRUE(workspace.session().ok());
          ASSERT_TRUE(forget_in(workspace, ForgetGraph{9u}).ok());
        }
        const Verification verification = sample.verify();
        EXPECT_TRUE(verification.passed) << all_details(verification);
      }
    }
  }
}

// The bytes of a removed graph's row, and of the weights that knew it.
TEST(Cold, NothingOfARemovedRowStays) {
  const SampleWorkspace sample(sample_setup(1, {}, 60));
  std::string row;
  std::string weights;
  {
    Workspace workspace = sample.create();
    const Session& session = *workspace.session().value();
    const std::vector<double>& values = session.embeddings().row(3).values;
    row.assign(reinterpret_cast<const char*>(values.data()), 4 * sizeof(double));
    weights.assign(reinterpret_cast<const char*>(workspace.kept_weights().data()), 4 * sizeof(double));
  }
  ASSERT_NE(sample.bytes().find(row), std::string::npos);
  ASSERT_NE(sample.bytes().find(weights), std::string::npos);
  {
    Workspace workspace = sample.open();
    ASSERT_TRUE(forget_in(workspace, ForgetGraph{3u}).ok());
  }
  EXPECT_EQ(sample.bytes().find(row), std::string::npos);
  // Sixty graphs are few: the weights moved further than kept weights may be from their optimum.
  EXPECT_EQ(sample.bytes().find(weights), std::string::npos);
}

// An anchor that stays is as near to the optimum of what is left as kept weights have to be.
TEST(Cold, AnAnchorStaysOnlyWhereItTellsNoMoreThanWeights) {
  std::size_t stayed = 0;
  std::size_t went = 0;
  for (const double noise : {0.03, 30.0, 100.0, 300.0, 1e3, 3e3, 1e5}) {
    SampleChoice choice;
    choice.options.noise_stddev = noise;
    const SampleWorkspace sample(sample_setup(2, choice, 60));
    static_cast<void>(sample.create());
    for (std::size_t graph = 0; graph < 6; ++graph) {
      Workspace workspace = sample.open();
      const Result<Forgotten> done = forget_in(workspace, ForgetNode{graph, 0u});
      ASSERT_TRUE(done.ok()) << done.error().message;
      const Matrix weights = workspace.kept_weights();
      const WorkspaceInfo info = workspace.info();
      { const Workspace closed = std::move(workspace); }
      const auto width = static_cast<std::size_t>(weights.rows());
      const auto classes = static_cast<std::size_t>(weights.cols());
      sample.edit([&](const Database& database) {
        const auto kept = read_curvature(database, {width, classes}, done->entry.data_after).value();
        if (!kept) {
          ++went;
          return;
        }
        ++stayed;
        const Limit limit = Limit::create(info.options, width * classes, classes).value();
        const double ridge = ridge_of(info.options, info.graphs);
        const double apart = (kept->anchor - weights).norm() + done->certificate.distance_upper_bound;
        EXPECT_LE(apart, 1.01 * limit.residual_limit(ridge, weights.norm(), classes) / ridge);
      });
    }
  }
  EXPECT_GT(stayed, 0u);
  EXPECT_GT(went, 0u);
}

// With the squared loss one matrix is that of all classes, it does not wear out, and it tells nothing of old weights.
// So every removal by a process of its own is fast, whole graphs included, which change the ridge.
TEST(Cold, OneMatrixForAllClassesServesRemovalsWithoutEnd) {
  SampleChoice choice;
  choice.classes = 3;
  choice.options.loss = Loss::squared();
  const SampleWorkspace sample(sample_setup(2, choice, 60));
  static_cast<void>(sample.create());
  for (std::size_t graph = 0; graph < 30; ++graph) {
    SCOPED_TRACE(graph);
    Workspace workspace = sample.open();
    const RemovalRequest request = graph % 3 == 0 ? RemovalRequest(ForgetNode{graph, 0u}) : ForgetGraph{graph};
    const Result<Forgotten> done = forget_in(workspace, request);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->certificate.rung, Rung::kFast);
    EXPECT_TRUE(done->certificate.satisfied);
    const auto width = static_cast<std::size_t>(workspace.kept_weights().rows());
    { const Workspace closed = std::move(workspace); }
    sample.edit([&](const Database& database) {
      EXPECT_EQ(database.integer("SELECT count(*) FROM curvature").value(), 2);
      const auto kept = read_curvature(database, {width, 3, true}, done->entry.data_after).value();
      ASSERT_TRUE(kept.has_value());
      EXPECT_EQ(kept->anchor.norm(), 0);
    });
  }
  const Verification verified = sample.verify({.retrain = true});
  EXPECT_TRUE(verified.passed) << all_details(verified);
  // The same without it: the rows in the file give it anew.
  sample.edit("DELETE FROM curvature");
  Workspace workspace = sample.open();
  const Result<Forgotten> done = forget_in(workspace, ForgetNode{40u, 0u});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->certificate.rung, Rung::kFast);
}

// Without kept curvature, the rows in the file give it anew.  No session of all graphs is made: the graphs themselves
// are not looked at.
TEST(Cold, CurvatureThatIsGoneComesFromTheRows) {
  SampleChoice choice;
  choice.options.noise_stddev = 1e5;
  const SampleWorkspace sample(sample_setup(2, choice, 60));
  static_cast<void>(sample.create());
  const auto damage_graph = [&] {
    sample.edit("UPDATE graphs SET content = CAST(x'41' || substr(content, 2) AS BLOB) WHERE slot = 50");
  };
  sample.edit("DELETE FROM curvature");
  damage_graph();
  Workspace workspace = sample.open();
  const Result<Forgotten> done = forget_in(workspace, ForgetNode{0u, 0u});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->certificate.rung, Rung::kFast);
  EXPECT_TRUE(done->certificate.satisfied);
  const Matrix weights = workspace.kept_weights();
  { const Workspace closed = std::move(workspace); }
  sample.edit([&](const Database& database) {
    const auto kept =
        read_curvature(database, {static_cast<std::size_t>(weights.rows()), static_cast<std::size_t>(weights.cols())},
                       done->entry.data_after);
    EXPECT_TRUE(kept.value().has_value());
  });
}

// A damaged row is noticed on the way, and everything is made anew from the graphs.
TEST(Cold, ARowThatIsDamagedGivesNoCurvature) {
  SampleChoice choice;
  choice.options.noise_stddev = 1e5;
  const SampleWorkspace sample(sample_setup(2, choice, 60));
  static_cast<void>(sample.create());
  sample.edit("DELETE FROM curvature");
  sample.edit(
      "UPDATE embeddings SET content = CAST(substr(content, 1, 30) || x'41' || substr(content, 32) AS BLOB) "
      "WHERE slot = 50");
  Workspace workspace = sample.open();
  const Result<Forgotten> done = forget_in(workspace, ForgetNode{0u, 0u});
  ASSERT_TRUE(done.ok()) << done.error().message;
  { const Workspace closed = std::move(workspace); }
  const Verification verification = sample.verify({.retrain = true});
  EXPECT_TRUE(verification.passed) << all_details(verification);
}

}  // namespace
}  // namespace unscatter
