// Options whose name has changed: the former one works, and says so.
#include "renamed_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

constexpr const char* kNote = "--precision is called --distance-limit now";

class RenamedOptions : public testing::CliWorkspaceTest {
 protected:
  // Trains anew with these words, after those of `before`.
  [[nodiscard]] Outcome train(const std::vector<std::string>& words, std::vector<std::string> before = {}) const {
    const std::vector<std::string> training = {"train", "--data", data(), "--workspace", workspace(), "--force"};
    const std::vector<std::string> quick = testing::SmallWorkspace::quick();
    for (const auto& part : {training, quick, words}) before.insert(before.end(), part.begin(), part.end());
    return run(before);
  }
  [[nodiscard]] double limit() const {
    const nlohmann::json options = status().at("options");
    EXPECT_EQ(options.at("precision"), options.at("distance_limit"));  // both, for one version
    return options.at("distance_limit").get<double>();
  }
  [[nodiscard]] std::vector<std::string> with_config(const std::string& text) const {
    return {"--config", folder_.write("config.toml", text).string()};
  }
};

TEST_F(RenamedOptions, TheFormerNameWorksWithANote) {
  const std::vector<std::vector<std::string>> former = {{"--precision", "1e-6"}, {"--precision=1e-6"}};
  for (const auto& words : former) {
    const Outcome outcome = train(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find(kNote), outcome.err.rfind(kNote));
    EXPECT_TRUE(has(outcome.err, kNote)) << outcome.err;
    EXPECT_EQ(limit(), 1e-6);
  }
  const Outcome now = train({"--distance-limit", "1e-7"});
  ASSERT_EQ(now.exit_code, 0) << now.err;
  EXPECT_FALSE(has(now.err, kNote)) << now.err;
  EXPECT_EQ(limit(), 1e-7);
  EXPECT_EQ(train({"--precision", "1e-6", "--distance-limit", "1e-7"}).exit_code, 2);
}

TEST_F(RenamedOptions, AConfigurationFileMayUseIt) {
  const auto former = with_config("[train]\nprecision = 1e-5\n");
  const Outcome outcome = train({}, former);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.err, kNote)) << outcome.err;
  EXPECT_EQ(limit(), 1e-5);
  // A flag goes before the file, whichever of the two names it has.
  ASSERT_EQ(train({"--distance-limit", "1e-6"}, former).exit_code, 0);
  EXPECT_EQ(limit(), 1e-6);
  ASSERT_EQ(train({"--precision", "1e-7"}, with_config("[train]\ndistance-limit = 1e-5\n")).exit_code, 0);
  EXPECT_EQ(limit(), 1e-7);
  // Nobody is bothered by the section of another command.
  std::vector<std::string> other = with_config("[train]\nprecision = 1e-5\n");
  other.insert(other.end(), {"status", "--workspace", workspace()});
  EXPECT_EQ(run(other).err, "");
  const Outcome twice = train({}, with_config("[train]\ndistance-limit = 1\nprecision = 2\n"));
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_TRUE(has(twice.err, "'train.precision' has two values")) << twice.err;
}

TEST_F(RenamedOptions, HelpShowsTheNewName) {
  const Outcome outcome = run({"train", "--help"});
  EXPECT_TRUE(has(outcome.out, "--distance-limit FLOAT")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "--precision")) << outcome.out;
  const Outcome misplaced = train({"--mechanism", "objective", "--precision", "1"});
  EXPECT_EQ(misplaced.exit_code, 2);
  EXPECT_TRUE(has(misplaced.err, "--distance-limit belongs to --mechanism release")) << misplaced.err;
}

TEST(RenameNote, IsAboutFormerNamesOnly) {
  EXPECT_TRUE(cli::rename_note("--precision").has_value());
  EXPECT_TRUE(cli::rename_note("--precision=3").has_value());
  for (const char* word : {"", "--", "precision", "--precisions", "--distance-limit", "--distance-limit=--precision"}) {
    EXPECT_FALSE(cli::rename_note(word).has_value()) << word;
  }
  EXPECT_EQ(cli::option_names("--distance-limit"), "--distance-limit,--precision");
  EXPECT_EQ(cli::option_names("--lambda"), "--lambda");
}

}  // namespace
}  // namespace unscatter
