// unscatter tune, as a user meets it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "subprocess.h"
#include "support/temporary_folder.h"
#include "unscatter/graph/split.h"

namespace unscatter {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::TemporaryFolder;

class TuneCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_program({"datasets", "generate", data(), "--groups", "80", "--users", "200"}).exit_code, 0);
  }
  [[nodiscard]] std::string data() const { return (folder_.path() / "groups.jsonl").string(); }
  // What makes it quick.
  [[nodiscard]] static std::vector<std::string> few() {
    return {"--recipes", "size + shapes > scale:0.1,size", "--lambdas", "1e-6,1e-5", "--folds", "3", "--json"};
  }
  [[nodiscard]] static Outcome tune(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "tune");
    const std::vector<std::string> more = few();
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(TuneCommand, PublicDataAloneIsEnough) {
  const Outcome outcome = tune({"--public-data", data()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json document = outcome.json();
  EXPECT_EQ(document.at("public_graphs"), 80);
  EXPECT_EQ(document.at("held_out"), 80);
  EXPECT_EQ(document.at("lines").size(), 2u);
  EXPECT_EQ(document.at("lines")[0].at("recipe"), "size + shapes > scale:0.1");
  EXPECT_NE(document.at("command").get<std::string>().find("--data PRIVATE"), std::string::npos);
}

TEST_F(TuneCommand, AShareIsTheOneThatTrainingLeavesOut) {
  const Outcome outcome = tune({"--data", data(), "--public-share", "0.4", "--seed", "5"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json document = outcome.json();
  EXPECT_EQ(document.at("public_graphs"), 32);
  // The command that it prints works, in a shell, and learns from the others.
  std::string command = document.at("command").get<std::string>();
  const std::string workspace = (folder_.path() / "tuned.unscatter").string();
  EXPECT_NE(command.find("--public-share 0.4 --seed 5"), std::string::npos) << command;
  const nlohmann::json& chosen = document.at("chosen");
  const Outcome trained = run_program({"train",
                                       "--data",
                                       data(),
                                       "--workspace",
                                       workspace,
                                       "--public-share",
                                       "0.4",
                                       "--seed",
                                       "5",
                                       "--embedding",
                                       chosen.at("recipe"),
                                       "--loss",
                                       chosen.at("loss"),
                                       "--lambda",
                                       fmt::format("{:g}", chosen.at("lambda").get<double>()),
                                       "--noise",
                                       fmt::format("{:g}", chosen.at("noise_stddev").get<double>()),
                                       "--key",
                                       (folder_.path() / "signing.key").string(),
                                       "--json"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  for (const char* word : {"--embedding '", "--loss ", "--lambda ", "--noise 0.03"}) {
    EXPECT_NE(command.find(word), std::string::npos) << command;
  }
}

// Private graphs are not looked at: others in their place change nothing.
TEST_F(TuneCommand, PrivateGraphsChangeNothing) {
  const std::vector<std::string> share = {"--data", data(), "--public-share", "0.4", "--seed", "5"};
  const nlohmann::json before = tune(share).json();
  std::vector<nlohmann::json> graphs;
  std::ifstream in(data());
  for (std::string line; std::getline(in, line);) graphs.push_back(nlohmann::json::parse(line));
  in.close();
  ASSERT_EQ(graphs.size(), 80u);
  const auto write = [&] {
    std::ofstream out(data(), std::ios::trunc);
    for (const nlohmann::json& graph : graphs) out << graph.dump() << "\n";
  };
  const Split split = random_split(graphs.size(), {.train = 0.6, .validation = 0.4, .test = 0}, 5).value();
  for (const std::size_t i : split.train) graphs[i]["edges"] = nlohmann::json::array();
  write();
  EXPECT_EQ(tune(share).json().at("lines"), before.at("lines"));
  // The planted change: public graphs are looked at.
  for (std::size_t i = 0; i < 8; ++i) graphs[split.validation[i]]["edges"] = nlohmann::json::array();
  write();
  EXPECT_NE(tune(share).json().at("lines"), before.at("lines"));
}

TEST_F(TuneCommand, LevelEveryoneIsToldItsRidge) {
  const Outcome outcome =
      run_program({"tune", "--public-data", data(), "--recipes", "size + shapes", "--protect", "everyone",
                   "--per-subject", "1", "--graphs", "1000", "--folds", "2", "--lambdas", "0.01", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto command = outcome.json().at("command").get<std::string>();
  EXPECT_NE(command.find("--protect everyone --ridge 10 --per-subject 1"), std::string::npos) << command;
  EXPECT_EQ(command.find("--lambda"), std::string::npos) << command;
}

TEST_F(TuneCommand, ATableForPeople) {
  const Outcome outcome =
      run_program({"tune", "--public-data", data(), "--recipes", "size", "--lambdas", "1e-4", "--hold-out", "0.5"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("recipe"), std::string::npos);
  EXPECT_NE(outcome.out.find("40 public graphs"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("unscatter train"), std::string::npos);
}

}  // namespace
}  // namespace unscatter
