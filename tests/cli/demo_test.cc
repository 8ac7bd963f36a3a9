// unscatter demo, as a newcomer meets it.
#include <gtest/gtest.h>

#include <filesystem>

#include "subprocess.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::Outcome;
using testing::run_program;

TEST(Demo, ForgetsAndAgreesWithTrainingFromScratch) {
  const Outcome outcome = run_program({"demo", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json document = outcome.json();
  EXPECT_EQ(document.at("groups"), 1000);
  EXPECT_GT(document.at("forgotten_user").at("groups"), 1);
  ASSERT_EQ(document.at("removals").size(), 3u);
  for (const nlohmann::json& removal : document.at("removals")) {
    EXPECT_TRUE(removal.at("satisfied"));
    EXPECT_NE(removal.at("rung"), "retrain");
    EXPECT_LE(removal.at("shift_upper_bound").get<double>(), removal.at("shift_limit").get<double>());
    EXPECT_LT(removal.at("distance").get<double>(), 1e-4);
  }
  EXPECT_TRUE(document.at("verified"));
  EXPECT_GT(document.at("accuracy_before").get<double>(), 0.7);
  EXPECT_NEAR(document.at("accuracy_published").get<double>(), document.at("accuracy_before").get<double>(), 0.05);
}

TEST(Demo, TellsAStoryAndLeavesNothingBehind) {
  const testing::TemporaryFolder folder;
  const Outcome outcome =
      run_program({"demo"}, {{"TMPDIR", folder.path().string()}, {"XDG_CONFIG_HOME", folder.path().string()}});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* word : {"generate", "train", "forget a user", "forget a batch", "forget a group", "certificate",
                           "from training from scratch", "receipt signed", "verify", "Accuracy"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << '\n' << outcome.out;
  }
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Demo, SaysWhereItCannotWork) {
  const Outcome outcome = run_program({"demo", "--json"}, {{"TMPDIR", "/proc"}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.json().at("error").at("code"), "io");
}

}  // namespace
}  // namespace unscatter
