// The commands of the laboratory, where it lies beside the program.
#include <gtest/gtest.h>

#include "laboratory.h"
#include "subprocess.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;
using testing::TemporaryFolder;

TEST(Laboratory, HelpNamesItsCommands) {
  const Outcome help = run_program({"--help"});
  for (const auto& command : cli::kLaboratoryCommands) EXPECT_TRUE(has(help.out, command.summary)) << help.out;
}

TEST(Laboratory, ReadsItsSectionsOfTheConfigurationFile) {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.toml", "[experiment]\ndatasets = \"nowhere\"\n").string();
  const Outcome nowhere = run_program({"--config", good, "experiment", "table1", "--data", folder.path().string()});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_TRUE(has(nowhere.err, "no data set nowhere")) << nowhere.err;
  const std::string bad = folder.write("bad.toml", "[experiment]\ncolour = 1\n").string();
  const Outcome wrong = run_program({"--config=" + bad, "experiment", "table1"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(has(wrong.err, "'colour' is no option of 'experiment'")) << wrong.err;
}

TEST(Laboratory, HelpOfItsCommandsHasExamplesAndPresentNames) {
  const Outcome bench = run_program({"bench", "--help"});
  EXPECT_EQ(bench.exit_code, 0);
  EXPECT_TRUE(has(bench.out, "Examples:\n  unscatter ")) << bench.out;
  EXPECT_TRUE(bench.err.empty()) << bench.err;
  EXPECT_TRUE(has(bench.out, "--distance-limit FLOAT")) << bench.out;
  EXPECT_FALSE(has(bench.out, "--precision")) << bench.out;
}

}  // namespace
}  // namespace unscatter
