// Where constants come from, as a user meets it (docs/constants.md).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "constant_words.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class ConstantOptions : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] std::vector<std::string> training(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"train",   "--data",   data(), "--workspace", path("new"),
                                          "--force", "--scales", "2",    "--layers",    "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] nlohmann::json kinds(const std::vector<std::string>& more) const {
    return document(training(more)).at("constants");
  }
};

TEST_F(ConstantOptions, TheDefaultFitsNothingThatItDoesNotFollow) {
  const nlohmann::json report = document(training({}));
  EXPECT_EQ(report.at("features"), "soft-degree:16");
  const nlohmann::json expected = {{"soft-degree", "built-in"},
                                   {"form", "private-fit"},
                                   {"classes", "private-fit"},
                                   {"lambda", "built-in"},
                                   {"transform", "stated"}};
  EXPECT_EQ(report.at("constants"), expected);
  for (const char* command : {"status", "certificate"}) {
    const Outcome shown = run({command, "--workspace", path("new")});
    EXPECT_TRUE(has(shown.out, "form and classes: computed from the data, and again after every removal")) << shown.out;
  }
}

TEST_F(ConstantOptions, EverySourceIsNamed) {
  const Outcome refused = run(training({"--features", "degree-onehot"}));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "--public-data")) << refused.err;
  EXPECT_TRUE(has(refused.err, "--fit private")) << refused.err;

  const auto kind = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--features", "degree-onehot"});
    return kinds(more).at("degree-onehot");
  };
  EXPECT_EQ(kind({"--fit", "private"}), "private-fit");
  EXPECT_EQ(kind({"--fit", "once"}), "fitted-once");
  EXPECT_EQ(kind({"--public-data", data()}), "public-data");
  EXPECT_EQ(kinds({"--features", "degree-onehot:20"}).at("degree-onehot"), "stated");
}

TEST_F(ConstantOptions, APublicShareIsNotLearnedFrom) {
  const nlohmann::json report =
      document(training({"--features", "degree-onehot", "--public-share", "0.25", "--classes", "public"}));
  EXPECT_EQ(report.at("graphs"), 45);
  EXPECT_EQ(report.at("constants").at("degree-onehot"), "public-data");
  EXPECT_EQ(report.at("constants").at("classes"), "public-data");
  EXPECT_TRUE(report.at("holdout").is_null());
  const nlohmann::json both = document(training({"--train-share", "0.5", "--public-share", "0.25"}));
  EXPECT_EQ(both.at("graphs"), 30);
  EXPECT_EQ(both.at("holdout").at("graphs"), 15);
}

TEST_F(ConstantOptions, ClassesCanBeStated) {
  const nlohmann::json report = document(training({"--classes", "guild,club,channel"}));
  EXPECT_EQ(report.at("classes"), nlohmann::json({"guild", "club", "channel"}));
  EXPECT_EQ(report.at("constants").at("classes"), "stated");
  const Outcome unknown = run(training({"--classes", "club"}));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(has(unknown.err, "'channel'")) << unknown.err;
}

TEST_F(ConstantOptions, ThePaperPresetSaysThatItFitsOnce) {
  const nlohmann::json report = document(training({"--preset", "paper"}));
  EXPECT_EQ(report.at("features").get<std::string>().find("degree-onehot:"), 0u);
  EXPECT_EQ(report.at("constants").at("degree-onehot"), "fitted-once");
  EXPECT_EQ(report.at("constants").at("classes"), "fitted-once");
  EXPECT_TRUE(has(report.at("certificate").at("assumptions").dump(), "fitted once, on data that may be removed later"));
  EXPECT_FALSE(has(document({"status", "--workspace", path("new")}).at("transform").dump(), "clipped"));
}

TEST_F(ConstantOptions, ContradictionsAreRefused) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--fit", "once", "--public-share", "0.2"},
        std::vector<std::string>{"--public-data", data(), "--public-share", "0.2"},
        std::vector<std::string>{"--classes", "public"}}) {
    EXPECT_EQ(run(training(more)).exit_code, 1) << more.front();
  }
}

TEST_F(ConstantOptions, ADeltaThatIsTooLargeIsSaid) {
  EXPECT_TRUE(has(run(training({"--delta", "0.05"})).err, "not below 1 /"));
  EXPECT_FALSE(has(run(training({"--delta", "1e-9"})).err, "not below 1 /"));
}

TEST(ConstantWords, GroupNamesByKind) {
  const std::vector<ConstantOrigin> origins = {{"a", ConstantKind::kBuiltIn},
                                               {"b", ConstantKind::kFittedOnce},
                                               {"c", ConstantKind::kBuiltIn},
                                               {"d", ConstantKind::kBuiltIn}};
  EXPECT_EQ(cli::constants_words(origins),
            "a, c and d: built into the program; b: computed ONCE from data that may be removed, which they may give "
            "away");
  EXPECT_EQ(cli::constants_words({}), "");
}

}  // namespace
}  // namespace unscatter
