// The audit as a whole: honest workspaces are never above their promise, and planted faults always are.
#include "unscatter/audit/audit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "unlearn/random_session.h"
#include "unscatter/graph/generate.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

using testing::random_data;
using testing::RandomData;
using testing::RandomDataOptions;

std::string complaints(const AuditReport& report) {
  std::string text;
  for (const GameReport& game : report.games) {
    for (const AuditLook& look : game.looks) {
      text += look.shift_lower_bound > game.promised_shift.value_or(1e9) ? look.name + "; " : "";
    }
    for (const NoiseCheck& check : game.noise) text += check.passed ? "" : check.name + ": " + check.detail + "; ";
  }
  for (const AuditControl& control : report.controls) text += control.passed ? "" : control.name + "; ";
  for (const AuditFault& fault : report.faults) text += fault.flagged || !fault.visible ? "" : fault.name + "; ";
  return text;
}

struct HonestCase {
  std::string name;
  WorkspaceSetup setup;
  std::size_t draws = 4000;
  double error = 1e-6;
};

HonestCase small_case(std::string name, std::uint64_t seed, const RandomDataOptions& data,
                      const SessionOptions& options) {
  TransformSpec spec;
  spec.scales = data.scales;
  spec.moments = data.moments;
  spec.layers = 2;
  const std::string features =
      data.attributes > 0 ? fmt::format("attributes:{}+degree-onehot:6", data.attributes) : "degree-onehot:6";
  return {std::move(name), {random_data(seed, data).dataset, features, spec, options}};
}

std::vector<HonestCase> honest_cases() {
  std::vector<HonestCase> cases;
  SessionOptions options;
  cases.push_back(small_case("defaults", 1, {}, options));
  cases.push_back(small_case("more graphs than coordinates", 2, {.graphs = 120}, options));
  options.bias = true;
  options.noise_stddev = 1e-2;
  cases.push_back(small_case("bias, much noise", 3, {.graphs = 30, .classes = 3}, options));
  options = {};
  options.loss = Loss::squared();
  options.removal = NodeRemoval::kTombstone;
  cases.push_back(small_case("squared loss, tombstones", 4, {.graphs = 40, .moments = 2}, options));
  options = {};
  options.releases = 1;
  options.guarantee = {0.5, 1e-6};
  cases.push_back(small_case("one release", 5, {.graphs = 25, .classes = 4}, options));
  options = {};
  options.distance_limit = 1e-2;
  options.regularisation = 1e-2;
  cases.push_back(small_case("as far from retraining as it may be", 6, {.graphs = 80}, options));
  options = {};
  options.bound = ResidualBound::kTight;
  options.noise_stddev = 1e-3;
  cases.push_back(small_case("tight bound", 7, {.graphs = 40, .attributes = 0}, options));
  options = {};
  options.method = Method::kWholeGraph;
  cases.push_back(small_case("whole graphs", 8, {.graphs = 60}, options));
  options = {};
  options.mechanism = Mechanism::kObjective;
  options.noise_stddev = 0.1;
  cases.push_back(small_case("objective mechanism", 9, {.graphs = 12, .attributes = 1, .scales = 1}, options));
  cases.back().draws = 2000;
  cases.back().error = 2e-5;

  TransformSpec spec;
  spec.scales = 3;
  spec.layers = 2;
  Dataset groups = generate_interest_groups({.groups = 150, .users = 400, .max_size = 15}).value();
  cases.push_back({"interest groups", {std::move(groups), "log-degree", spec, {}}});
  return cases;
}

// The auditor's choices have fixed seeds; the noise is secure noise.  Nine audits are wrong with probability at most
// 1e-6 in their bounds, one with 2e-5, and each with 1e-8 in its checks of the noise.  The planted shift is missed in
// fewer than one of 10^5 runs.  Together this is below 1e-4 per run.
TEST(Audit, TenHonestWorkspacesAreNeverAboveTheirPromise) {
  if (testing::kSanitized) GTEST_SKIP() << testing::kStatistics;
  const std::vector<HonestCase> cases = honest_cases();
  ASSERT_EQ(cases.size(), 10u);
  const testing::TemporaryFolder folder;
  for (const HonestCase& honest : cases) {
    SCOPED_TRACE(honest.name);
    const std::filesystem::path path = folder.path() / (honest.name + ".unscatter");
    WorkspaceOptions how;
    SecureRandom random;
    how.key = std::make_shared<const SigningKey>(SigningKey::generate(random));
    {
      Workspace workspace = Workspace::create(path, honest.setup, how).value();
      const std::vector<RemovalRequest> requests{ForgetNode{std::size_t{3}, std::size_t{1}}};
      ASSERT_TRUE(workspace.forget(requests).ok());
    }
    // What is audited comes from the file.
    Workspace workspace = Workspace::open(path, how).value();
    const Session& session = *workspace.session().value();
    const std::shared_ptr<const Embedder> embedder(std::shared_ptr<void>(), &workspace.embedder());
    AuditOptions options;
    options.draws = honest.draws;
    options.removals = 6;
    options.confidence = 1 - honest.error;
    const auto report = audit(session, embedder, options);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_TRUE(report->passed()) << complaints(*report);
    EXPECT_FALSE(report->games.front().exceeded);
    EXPECT_EQ(report->games.front().requests.total(), 6u);
    EXPECT_EQ(session.releases(), 0u);
  }
}

TEST(Audit, EveryPlantedFaultIsNoticed) {
  const RandomData data = random_data(1, {.graphs = 30});
  const Session session = Session::create(data.dataset, data.embedder, {}).value();
  AuditOptions options;
  options.draws = 4000;
  options.confidence = 1 - 1e-6;
  const AuditReport report = audit(session, data.embedder, options).value();
  std::set<std::string> noticed;
  for (const AuditFault& fault : report.faults) {
    EXPECT_TRUE(fault.visible) << fault.name;
    EXPECT_TRUE(fault.flagged) << fault.name;
    if (fault.flagged) noticed.insert(fault.name);
    // Wrong weights are shown by a bound above the promise, and not by the noise.
    if (fault.shift) {
      EXPECT_NE(fault.flagged_by.find("shift at least"), std::string::npos) << fault.flagged_by;
    }
  }
  EXPECT_EQ(noticed,
            (std::set<std::string>{"graph-kept", "noise-halved", "rounded-weights", "seeded-noise", "silent-class",
                                   "silent-coordinates", "stale-constants", "stale-model", "wrong-sign"}));
}

// What the noise hides anyway is no failure of the audit, and the report says so.
TEST(Audit, FaultsThatTheNoiseHidesAreSaidToBeTooSmall) {
  const RandomData data = random_data(1, {.graphs = 30});
  SessionOptions drowned;
  drowned.noise_stddev = 1e6;
  const Session session = Session::create(data.dataset, data.embedder, drowned).value();
  AuditOptions options;
  options.draws = 4000;
  options.confidence = 1 - 1e-6;
  const AuditReport report = audit(session, data.embedder, options).value();
  EXPECT_TRUE(report.passed()) << complaints(report);
  for (const AuditFault& fault : report.faults) EXPECT_EQ(fault.visible, !fault.shift.has_value()) << fault.name;
}

TEST(Audit, TheNullControlIsZeroForManySeeds) {
  const RandomData data = random_data(2, {.graphs = 10, .attributes = 0, .scales = 1});
  const Session session = Session::create(data.dataset, data.embedder, {}).value();
  AuditOptions options;
  options.draws = 1000;
  options.removals = 2;
  options.faults = false;
  options.confidence = 1 - 1e-6;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    const AuditReport report = audit(session, data.embedder, options).value();
    ASSERT_EQ(report.controls.size(), 2u);
    EXPECT_EQ(report.controls[0].name, "null");
    EXPECT_EQ(report.controls[0].shift_lower_bound, 0);
    EXPECT_EQ(report.controls[0].epsilon_lower_bound, 0);
    EXPECT_TRUE(report.faults.empty());
  }
}

TEST(Audit, LeavesTheSessionAsItWas) {
  const RandomData data = random_data(3);
  Session session = Session::create(data.dataset, data.embedder, {}).value();
  ASSERT_TRUE(session.release().ok());
  const Matrix weights = session.weights();
  AuditOptions options;
  options.draws = 1000;
  options.games = {AuditGame::kRemoved, AuditGame::kEveryone};
  const AuditReport report = audit(session, data.embedder, options).value();
  EXPECT_EQ(session.weights(), weights);
  EXPECT_EQ(session.releases(), 1u);
  EXPECT_EQ(session.updates(), 0u);
  EXPECT_EQ(session.graph_count(), data.dataset.size());
  ASSERT_EQ(report.games.size(), 2u);
  // No promise is made about who is in a model, so none can be broken.
  EXPECT_FALSE(report.games[1].promised_shift.has_value());
  EXPECT_FALSE(report.games[1].exceeded);
  EXPECT_GT(report.games[1].shift_lower_bound, 0);
}

// Two mirrored classes, and four that are not; one model, and a pair.
TEST(Audit, LevelEveryoneIsHeldToItsPromise) {
  if (testing::kSanitized) GTEST_SKIP() << testing::kStatistics;
  for (const std::size_t releases : {1u, 2u}) {
    for (const std::size_t classes : {2u, 4u}) {
      SCOPED_TRACE(releases * 10 + classes);
      const RandomData data = random_data(5 + classes, {.graphs = 30, .classes = classes});
      SessionOptions promised;
      promised.protection = Protection::kEveryone;
      promised.classes = ConstantKind::kStated;
      promised.per_subject = 2;
      promised.ridge = 0.5;
      promised.releases = releases;
      const Session session = Session::create(data.dataset, data.embedder, promised).value();
      AuditOptions options;
      options.draws = 1000;
      options.removals = 3;
      options.faults = false;
      options.games = {AuditGame::kRemoved, AuditGame::kEveryone};
      options.confidence = 1 - 1e-6;
      const AuditReport report = audit(session, data.embedder, options).value();
      for (const GameReport& game : report.games) {
        EXPECT_FALSE(game.exceeded) << name(game.game);
        for (const NoiseCheck& check : game.noise) EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
      }
      const GameReport& everyone = report.games.at(1);
      ASSERT_TRUE(everyone.promised_shift.has_value());
      EXPECT_DOUBLE_EQ(*everyone.promised_shift,
                       session.certificate().promise.shift_limit * std::sqrt(static_cast<double>(releases)));
      // The subject that was chosen moves the weights, and by less than what is promised.
      EXPECT_GT(everyone.looks.front().known_shift, 0);
      EXPECT_LE(everyone.looks.front().known_shift, *everyone.promised_shift);
    }
  }
}

TEST(Audit, RefusesOptionsThatMakeNoSense) {
  const RandomData data = random_data(3);
  const Session session = Session::create(data.dataset, data.embedder, {}).value();
  const auto refused = [&](const AuditOptions& options) {
    const auto report = audit(session, data.embedder, options);
    return !report.ok() && report.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused({.games = {}}));
  EXPECT_TRUE(refused({.games = {AuditGame::kRemoved, AuditGame::kRemoved}}));
  EXPECT_TRUE(refused({.draws = 999}));
  EXPECT_TRUE(refused({.removals = 0}));
  EXPECT_TRUE(refused({.confidence = 1}));
  EXPECT_TRUE(refused({.removals = 100000}));  // too little data
  for (const AuditGame game : {AuditGame::kRemoved, AuditGame::kEveryone}) {
    EXPECT_EQ(parse_audit_game(name(game)).value(), game);
  }
  EXPECT_FALSE(parse_audit_game("nobody").ok());
}

TEST(Audit, AReportStartsAsAFailure) {
  EXPECT_FALSE(AuditReport().passed());
  EXPECT_FALSE(GameReport().passed());
  EXPECT_EQ(first_failure({}), "nothing was audited");
}

TEST(Audit, TheFirstThingThatIsWrongIsNamed) {
  AuditReport report;
  report.faults.push_back({AuditGame::kRemoved, "small-fault", "", 0.1, false, false, ""});
  report.faults.push_back({AuditGame::kRemoved, "wrong-sign", "", 1.0, true, false, ""});
  EXPECT_EQ(first_failure(report), "the planted fault 'wrong-sign' was not noticed");
  report.controls.push_back({AuditGame::kRemoved, "null", 0, 0.5, 0, false});
  EXPECT_NE(first_failure(report).find("the control 'null'"), std::string::npos);
  report.games.emplace_back();
  report.games.front().noise.push_back({"grid", false, "half a step off"});
  EXPECT_EQ(first_failure(report), "game removed: noise, grid: half a step off");
  report.games.front().exceeded = true;
  report.games.front().promised_shift = 0.25;
  report.games.front().shift_lower_bound = 0.5;
  EXPECT_EQ(first_failure(report), "game removed: the shift is at least 0.5, and at most 0.25 was promised");
}

}  // namespace
}  // namespace unscatter
