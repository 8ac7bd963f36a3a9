// The commands of the laboratory, where it is not beside the program.
#include "laboratory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "subprocess.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;
using testing::run_program_at;
using testing::TemporaryFolder;

// The program as it is after an installation: alone.
class WithoutLaboratory : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::copy_file(UNSCATTER_PROGRAM, program_); }

  TemporaryFolder folder_;
  std::string program_ = (folder_.path() / "unscatter").string();
};

TEST_F(WithoutLaboratory, ItsCommandsAreAnsweredInOneSentence) {
  for (const std::string command : {"experiment", "bench"}) {
    const Outcome outcome = run_program_at(program_, {command, "--list"});
    SCOPED_TRACE(outcome.err);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    EXPECT_TRUE(has(outcome.err, "unscatter: '" + command + "' is a command of the laboratory"));
    EXPECT_TRUE(has(outcome.err, "`make "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  }
  const Outcome json = run_program_at(program_, {"--config", "experiment", "bench", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(json.json().at("error").at("code"), "not-found");
}

TEST_F(WithoutLaboratory, HelpDoesNotNameItsCommands) {
  const Outcome help = run_program_at(program_, {"--help"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_TRUE(has(help.out, "forget"));
  for (const auto& command : cli::kLaboratoryCommands) EXPECT_FALSE(has(help.out, command.summary)) << help.out;
}

TEST_F(WithoutLaboratory, AConfigurationFileMayHaveItsSections) {
  const std::string file = folder_.write("config.toml", "[experiment]\nsplits = 2\n[bench]\nrepeat = 1\n").string();
  const Outcome outcome = run_program_at(program_, {"--config", file, "datasets", "list"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

// Other words that look like its commands are not taken for them.
TEST(Laboratory, OnlyACommandStartsIt) {
  const Outcome outcome = run_program({"datasets", "info", "experiment"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "'experiment' is neither a file or folder nor the name of a data set")) << outcome.err;
}

}  // namespace
}  // namespace unscatter
