// unscatter train, as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "unscatter/embedding/make_embedder.h"
#include "unscatter/graph/read.h"
#include "unscatter/graph/split.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::has;
using testing::Outcome;
using testing::run_program;
using testing::SmallWorkspace;

class Train : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] std::vector<std::string> training(const std::string& target,
                                                  const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"train", "--data", data(), "--workspace", target};
    for (const auto& part : {SmallWorkspace::quick(), more})
      arguments.insert(arguments.end(), part.begin(), part.end());
    return arguments;
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
};

TEST_F(Train, SaysWhatItLearned) {
  const nlohmann::json report = document(training(path("new"), {"--lambda", "0.01"}));
  EXPECT_EQ(report.at("graphs"), 60);
  EXPECT_EQ(report.at("classes"), nlohmann::json({"channel", "club"}));
  EXPECT_EQ(report.at("features"), "log-degree");
  EXPECT_EQ(report.at("lambda"), 0.01);
  EXPECT_TRUE(report.at("certificate").at("satisfied"));
  EXPECT_TRUE(report.at("holdout").is_null());
  for (const char* stage : {"read", "train"}) EXPECT_GT(report.at("seconds").at(stage), 0.0) << stage;

  const nlohmann::json status = document({"status", "--workspace", path("new")});
  for (const char* field : {"id", "signer", "coordinates"}) EXPECT_EQ(status.at(field), report.at(field)) << field;
}

// Ordinary data: directed, with attributes of all scales.  No option is needed, and the program says what it used.
TEST_F(Train, OrdinaryDataNeedNoOption) {
  ASSERT_EQ(run_program({"datasets", "generate", path("fraud"), "--kind", "fraud", "--graphs", "60", "--edges", "mixed",
                         "--without-attributes", "0.5"})
                .exit_code,
            0);
  const nlohmann::json report = document({"train", "--data", path("fraud"), "--workspace", path("w")});
  EXPECT_EQ(report.at("features"), "soft-degree:16+wide-attributes:4");
  EXPECT_EQ(report.at("lambda"), kDefaultRegularisation);
  ASSERT_EQ(report.at("uses").size(), 3u);
  EXPECT_EQ(report.at("uses")[0], "size and structure");
  EXPECT_TRUE(has(report.at("uses")[1], "directions ("));
  EXPECT_TRUE(has(report.at("uses")[2], "4 attributes ("));
  EXPECT_TRUE(report.at("left_out").empty());
  // Nobody has to repeat an option to predict.
  const nlohmann::json predicted = document({"predict", "--workspace", path("w"), "--data", path("fraud")});
  EXPECT_GT(predicted.at("accuracy"), 0.6);
}

// Taking directions away is part of the model.  Forgotten by `predict`, it would cost accuracy without a word.
TEST_F(Train, TheModelRemembersThatItSymmetrises) {
  ASSERT_EQ(run_program({"datasets", "generate", path("fraud"), "--kind", "fraud", "--graphs", "40"}).exit_code, 0);
  ASSERT_EQ(
      run_program({"datasets", "generate", path("same"), "--kind", "fraud", "--graphs", "40", "--edges", "undirected"})
          .exit_code,
      0);
  const nlohmann::json report = document({"train", "--data", path("fraud"), "--workspace", path("w"), "--symmetrise"});
  ASSERT_EQ(report.at("left_out").size(), 1u);
  EXPECT_TRUE(has(report.at("left_out")[0], "directions: --symmetrise"));
  EXPECT_TRUE(has(document({"status", "--workspace", path("w")}).at("transform"), "undirected"));
  // The same payments without directions look the same to this model.
  const auto scores = [&](const char* of) {
    const Outcome predicted =
        run({"predict", "--workspace", path("w"), "--data", path(of), "--out", path("p.csv"), "--force"});
    EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
    return testing::read_whole_file(path("p.csv"));
  };
  EXPECT_EQ(scores("fraud"), scores("same"));
}

TEST_F(Train, OptionsOfScatteringAskForIt) {
  const nlohmann::json report = document({"train", "--data", data(), "--workspace", path("w"), "--scales", "2"});
  EXPECT_TRUE(has(document({"status", "--workspace", path("w")}).at("transform"), "walk scattering"));
  EXPECT_EQ(report.at("lambda"), SessionOptions{}.regularisation);
  const Outcome refused =
      run({"train", "--data", data(), "--workspace", path("v"), "--transform", "portrait", "--scales", "2"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_TRUE(has(refused.err, "do not go with --transform portrait"));
}

TEST_F(Train, OneClassIsToldApartFromNothing) {
  ASSERT_EQ(
      run_program({"datasets", "generate", path("honest"), "--kind", "fraud", "--graphs", "20", "--fraud-share", "0"})
          .exit_code,
      0);
  const Outcome trained = run({"train", "--data", path("honest"), "--workspace", path("w")});
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(has(trained.err, "all graphs have the class 'normal'"));
}

TEST_F(Train, LearnsWhatTheLibraryLearns) {
  WorkspaceSetup setup;
  setup.dataset = groups();
  setup.features = "log-degree";
  setup.transform.scales = 2;
  setup.transform.layers = 2;
  WorkspaceOptions options;
  options.key = std::make_shared<const SigningKey>(SigningKey::load(key()).value());
  Workspace made = Workspace::create(path("library"), std::move(setup), options).value();
  EXPECT_EQ(made.state_digest().value().hex(), state_digest(workspace()));
}

TEST_F(Train, TheResultDoesNotDependOnTheThreads) {
  std::vector<std::string> digests;
  for (const char* threads : {"1", "2"}) {
    const std::string target = path(threads);
    ASSERT_EQ(run(training(target, {"--threads", threads})).exit_code, 0);
    for (const char* graph : {"3", "20"}) {
      ASSERT_EQ(run({"forget", "--workspace", target, "--graph", graph, "--node", "1", "--threads", threads}).exit_code,
                0);
    }
    digests.push_back(state_digest(target));
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST_F(Train, GraphsOfAPartKeepTheirNumbers) {
  // The length of so small an embedding tells most of what there is to tell.
  const nlohmann::json report =
      document(training(path("half"), {"--train-share", "0.5", "--seed", "7", "--row-norm", "none"}));
  EXPECT_EQ(report.at("graphs"), 30);
  EXPECT_EQ(report.at("holdout").at("graphs"), 30);
  EXPECT_GT(report.at("holdout").at("accuracy"), 0.5);

  const Split split = random_split(60, {.train = 0.5, .validation = 0, .test = 0.5}, 7).value();
  const auto forget_graph = [this](std::size_t number) {
    return run({"forget", "--workspace", path("half"), "--graph", std::to_string(number)});
  };
  EXPECT_EQ(forget_graph(*std::max_element(split.train.begin(), split.train.end())).exit_code, 0);
  const Outcome refused = forget_graph(split.test.front());
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "graph " + std::to_string(split.test.front()))) << refused.err;
}

TEST_F(Train, MakesAKeyOnFirstUseAndSaysSo) {
  const testing::Environment fresh = {{"XDG_CONFIG_HOME", path("config")}};
  const Outcome first = run_program(training(path("one"), {}), fresh);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const fs::path made = folder_.path() / "config" / "unscatter" / "signing.key";
  EXPECT_TRUE(has(first.err, made.string())) << first.err;
  EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const std::string half = read_public_key((made.parent_path() / "signing.pub").string()).value().hex();
  EXPECT_TRUE(has(first.out, half)) << first.out;
  const Outcome second = run_program(training(path("two"), {}), fresh);
  EXPECT_TRUE(second.err.empty()) << second.err;
}

TEST_F(Train, ReplacesOnlyWithForce) {
  const std::string before = testing::read_whole_file(workspace());
  const Outcome refused = run(training(workspace(), {}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "--force")) << refused.err;
  // A failure after the check leaves the old one and nothing else.
  EXPECT_EQ(run(training(workspace(), {"--force", "--lambda", "1e-300"})).exit_code, 1);
  EXPECT_EQ(testing::read_whole_file(workspace()), before);
  EXPECT_EQ(files(), 1u);

  const nlohmann::json old = status();
  ASSERT_EQ(run(training(workspace(), {"--force"})).exit_code, 0);
  EXPECT_NE(status().at("id"), old.at("id"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Train, DoesNotReplaceAWorkspaceInUse) {
  const nlohmann::json before = status();
  {
    const Workspace held = open(workspace());
    const Outcome refused = run(training(workspace(), {"--force", "--wait", "0.1", "--json"}));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_EQ(refused.json().at("error").at("code"), "unavailable");
  }
  EXPECT_EQ(status(), before);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Train, APresetIsWhereOptionsStart) {
  ASSERT_EQ(run(training(path("paper"), {"--preset", "paper", "--bound", "exact", "--epsilon", "2"})).exit_code, 0);
  const nlohmann::json options = document({"status", "--workspace", path("paper")}).at("options");
  EXPECT_EQ(options.at("mechanism"), "objective");
  EXPECT_EQ(options.at("rule"), "paper");
  EXPECT_EQ(options.at("removal"), "tombstone");
  EXPECT_EQ(options.at("noise_stddev"), paper_options(1, 2).noise_stddev);
  EXPECT_EQ(options.at("bound"), "exact");
  EXPECT_EQ(options.at("epsilon"), 2.0);
}

// The name decides, whatever the file holds.
TEST_F(Train, ThePaperPresetKnowsThePapersDataSets) {
  const std::string named = path("PROTEINS.jsonl");
  std::filesystem::copy_file(data(), named);
  const auto trained = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"train",    "--data", named,     "--workspace", workspace(),
                                          "--preset", "paper",  "--force", "--features",  "log-degree"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments).exit_code, 0);
    const Workspace opened = open(workspace());
    return opened.info();
  };
  const WorkspaceInfo preset = trained({});
  EXPECT_EQ(preset.transform.scales, 5u);
  EXPECT_EQ(preset.transform.moments, 4u);
  EXPECT_EQ(preset.transform.layers, 3u);
  EXPECT_EQ(preset.options.regularisation, 1e-4);
  EXPECT_EQ(preset.options.row_norm, paper_options(1e-4, 3).row_norm);
  const WorkspaceInfo given = trained({"--scales", "2", "--layers", "2", "--lambda", "0.01"});
  EXPECT_EQ(given.transform.scales, 2u);
  EXPECT_EQ(given.transform.moments, 4u);
  EXPECT_EQ(given.options.regularisation, 0.01);
  EXPECT_EQ(given.options.row_norm, paper_options(0.01, 2).row_norm);
}

struct TrainMistake {
  std::vector<std::string> arguments;
  int exit_code;
  const char* says;
};

TEST_F(Train, MistakesAreNamedAndLeaveNothingBehind) {
  const std::vector<TrainMistake> mistakes = {
      {{"--alpha", "0.1"}, 2, "--alpha belongs to --mechanism objective"},
      {{"--mechanism", "objective", "--noise", "0.1"}, 2, "--noise belongs to --mechanism release"},
      {{"--preset", "paper", "--releases", "3"}, 2, "--releases belongs to --mechanism release"},
      {{"--mechanism", "hope"}, 2, "hope"},
      {{"--train-share", "1.5"}, 1, "--train-share 1.5 is outside its range"},
      {{"--epsilon", "1e300"}, 1, "--epsilon 1e300 is outside its range"},
      {{"--train-share", "0"}, 1, "graph"},
      {{"--epsilon", "-1"}, 1, "epsilon"},
      {{"--lambda", "0"}, 1, "lambda"},
      {{"--loss", "hinge"}, 1, "hinge"},
      {{"--preset", "paper", "--mechanism", "release"}, 1, "objective"},
  };
  for (const TrainMistake& mistake : mistakes) {
    const Outcome outcome = run(training(path("new"), mistake.arguments));
    EXPECT_EQ(outcome.exit_code, mistake.exit_code) << mistake.says << ": " << outcome.err;
    EXPECT_TRUE(has(outcome.err, mistake.says)) << outcome.err;
    EXPECT_EQ(files(), 1u) << mistake.says;
  }
}

TEST_F(Train, ProtectsEveryoneWithNoiseThatFollowsFromThePromise) {
  const nlohmann::json report =
      document(training(path("all"), {"--protect", "everyone", "--classes", "channel,club", "--per-subject", "2",
                                      "--ridge", "5", "--epsilon", "2"}));
  EXPECT_EQ(report.at("protection"), "everyone");
  EXPECT_EQ(report.at("per_subject"), 2);
  EXPECT_EQ(report.at("ridge"), 5.0);
  const nlohmann::json& certificate = report.at("certificate");
  EXPECT_EQ(certificate.at("protection"), "everyone");
  EXPECT_NEAR(certificate.at("sensitivity").get<double>(), 2 * 2 / 5.0, 1e-6);
  EXPECT_EQ(report.at("noise_stddev"), certificate.at("noise_stddev"));
  EXPECT_NEAR(certificate.at("shift_upper_bound").get<double>() / certificate.at("shift_limit").get<double>(), 1, 1e-4);
  EXPECT_GT(report.at("bounded").at("memberships"), 0);
  // One model, unless more were asked for.
  ASSERT_EQ(run({"release", "--workspace", path("all"), "--out", path("1.json")}).exit_code, 0);
  const Outcome second = run({"release", "--workspace", path("all"), "--out", path("2.json"), "--fresh"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(has(run(training(path("more"), {"--protect", "everyone", "--classes", "channel,club", "--per-subject",
                                              "2", "--ridge", "5"}))
                      .out,
                  "for every subject"));
}

TEST_F(Train, RefusesWhatDoesNotGoWithTheLevel) {
  const auto refused = [&](const std::vector<std::string>& more, const char* says) {
    const Outcome outcome = run(training(path("no"), more));
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_TRUE(has(outcome.err, says)) << outcome.err;
    EXPECT_FALSE(fs::exists(path("no")));
  };
  refused({"--protect", "everyone", "--per-subject", "2"}, "--ridge");
  refused({"--protect", "everyone", "--classes", "channel,club", "--ridge", "5"}, "node ids");
  refused({"--protect", "everyone", "--ridge", "5", "--per-subject", "2"}, "classes has to be stated");
  refused({"--protect", "everyone", "--ridge", "5", "--per-subject", "2", "--noise", "0.1"}, "--noise");
  refused({"--protect", "everyone", "--ridge", "5", "--per-subject", "2", "--loss", "squared"}, "slope");
  refused({"--per-subject", "2"}, "--protect everyone");
  refused({"--compare-levels"}, "--train-share");
}

TEST_F(Train, SaysWhatEachLevelCosts) {
  const nlohmann::json report =
      document(training(path("levels"), {"--train-share", "0.5", "--compare-levels", "--per-subject", "3"}));
  const nlohmann::json& levels = report.at("levels");
  ASSERT_GE(levels.size(), 3u);
  EXPECT_EQ(levels.at(0).at("protection"), "removed");
  for (std::size_t i = 1; i < levels.size(); ++i) {
    EXPECT_EQ(levels.at(i).at("protection"), "everyone");
    EXPECT_GT(levels.at(i).at("noise_stddev"), levels.at(0).at("noise_stddev"));
    EXPECT_LE(levels.at(i).at("accuracy"), 1.0);
  }
}

}  // namespace
}  // namespace unscatter
