// Defaults of one's own, in a file.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;

class Config : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] std::string config(const std::string& text) const {
    return folder_.write("config.toml", text).string();
  }
};

TEST_F(Config, FlagsGoBeforeTheFileAndTheFileBeforeDefaults) {
  const std::string file =
      config("# mine\n[datasets.generate]\ngroups = 12\nusers = 300 # enough\nforce = true\n[train]\nlambda = 1\n");
  const auto groups_of = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json().at("graphs").get<int>();
  };
  const std::vector<std::string> generate = {"datasets", "generate", path("g.jsonl"), "--json"};
  std::vector<std::string> with_file = {"--config", file};
  with_file.insert(with_file.end(), generate.begin(), generate.end());
  EXPECT_EQ(groups_of(run_program(with_file)), 12);
  EXPECT_EQ(groups_of(run_program(generate, {{"UNSCATTER_CONFIG", file}})),
            12);  // replaced: force comes from the file too
  std::vector<std::string> with_flag = with_file;
  with_flag.insert(with_flag.end(), {"--groups", "9"});
  EXPECT_EQ(groups_of(run_program(with_flag)), 9);
  // The option goes before the variable.
  EXPECT_EQ(groups_of(run_program(with_file, {{"UNSCATTER_CONFIG", path("none.toml")}})), 12);
}

TEST_F(Config, RequiredOptionsMayStandInTheFile) {
  const Outcome outcome =
      run_program({"--config", config("[status]\nworkspace = \"" + workspace() + "\"\n"), "status", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("graphs"), 60);
}

TEST_F(Config, AVariableGoesBeforeTheFile) {
  const std::string file = config("[key]\nkey = \"" + path("file.key") + "\"\n");
  const std::vector<std::string> arguments = {"--config", file, "key", "--json"};
  EXPECT_EQ(run_program(arguments, {{"XDG_CONFIG_HOME", path("c")}}).json().at("path"), path("file.key"));
  EXPECT_EQ(run_program(arguments, {{"UNSCATTER_KEY", path("variable.key")}}).json().at("path"), path("variable.key"));
  std::vector<std::string> flag = arguments;
  flag.insert(flag.end(), {"--key", path("flag.key")});
  EXPECT_EQ(run_program(flag, {{"UNSCATTER_KEY", path("variable.key")}}).json().at("path"), path("flag.key"));
}

TEST_F(Config, TextWithCommasAndSpacesStaysWhole) {
  const std::string file = config(
      "[embed]\ntransform = \"custom\"\nfeatures = \"product(log-degree,constant)+constant\"\n"
      "kernel = \"0..1: 1 -1 | 0..1: 0 1; 1..2: 1\"\n");
  const Outcome outcome = run_program({"--config", file, "embed", "--data", data(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("features"), "product(log-degree,constant)+constant");
}

TEST_F(Config, MistakesNameFileAndKey) {
  const std::vector<std::pair<std::string, const char*>> mistakes = {
      {"[train]\nlamda = 1\n", "'lamda' is no option of 'train'"},
      {"[trian]\nlambda = 1\n", "no command for section [trian]"},
      {"[datasets.train]\nlambda = 1\n", "[datasets.train]"},
      {"lambda = 1\n", "'lambda' stands outside of a command's section"},
      {"[train]\nlambda = much\n", "--lambda"},
      {"[train]\nlambda = 1\nbias = true\nlambda = 2\n", "'train.lambda' has two values"},
      {"[train]\nlambda = [1, 2]\n", "'train.lambda' has two values"},
      {"[train]\nbias = perhaps\n", "'train.bias' is true or false"},
      {"[train]\noptimizer = \"luck\"\n", "luck"},
      {"[train]\nhelp = true\n", "'help'"},
      {"config = \"other.toml\"\n", "'config'"},
  };
  bool by_option = false;
  for (const auto& [text, says] : mistakes) {
    SCOPED_TRACE(text);
    const std::string file = config(text);
    by_option = !by_option;  // one way or the other, it is the same file
    std::vector<std::string> arguments = {"status", "--workspace", workspace()};
    if (by_option) arguments.insert(arguments.begin(), {"--config", file});
    const Outcome outcome = run_program(arguments, {{"UNSCATTER_CONFIG", by_option ? "" : file}});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_TRUE(has(outcome.err, "config.toml")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, says)) << outcome.err;
  }
}

TEST_F(Config, AFileThatIsNamedMustBeThere) {
  const std::vector<std::string> arguments = {"status", "--workspace", workspace()};
  std::vector<std::string> named = arguments;
  named.insert(named.begin(), {"--config", path("none.toml")});
  for (const Outcome& outcome :
       {run_program(named), run_program(arguments, {{"UNSCATTER_CONFIG", path("none.toml")}})}) {
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(has(outcome.err, "none.toml")) << outcome.err;
  }
}

TEST_F(Config, HelpNeedsNoGoodFile) {
  EXPECT_EQ(run_program({"--config", config("[trian]\n"), "train", "--help"}).exit_code, 0);
}

TEST_F(Config, AMistakeOnTheCommandLineIsNotBlamedOnTheFile) {
  const Outcome outcome = run_program({"--config", config("[train]\nlambda = 1\n"), "train", "--data", data(),
                                       "--workspace", path("new"), "--epsilon", "much"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(has(outcome.err, "--epsilon")) << outcome.err;
  EXPECT_FALSE(has(outcome.err, "config.toml")) << outcome.err;
}

}  // namespace
}  // namespace unscatter
