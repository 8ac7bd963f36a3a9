// What the program tells about itself.  tests/package looks at the pages and drives the shells.
#include "self_description.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "subprocess.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;

TEST(SelfDescription, CompletionNamesCommandsAndNoLaboratory) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = run_program({"--completion", shell});
    SCOPED_TRACE(shell);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "datasets")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "workspace")) << outcome.out;
    EXPECT_FALSE(has(outcome.out, "experiment")) << outcome.out;
    EXPECT_TRUE(outcome.err.empty()) << outcome.err;
  }
}

TEST(SelfDescription, AnUnknownShellIsNamed) {
  const Outcome outcome = run_program({"--completion", "tcsh"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(has(outcome.err, "--completion 'tcsh' is not known; it is one of bash, zsh, fish")) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
}

TEST(SelfDescription, PagesAreWrittenIntoAFolder) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path pages = folder.path() / "new" / "man1";
  EXPECT_EQ(run_program({"--manuals", pages.string()}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(pages / "unscatter.1"));
  EXPECT_TRUE(std::filesystem::exists(pages / "unscatter-datasets-fetch.1"));
  EXPECT_FALSE(std::filesystem::exists(pages / "unscatter-bench.1"));
}

TEST(SelfDescription, AFolderThatCannotBeMadeIsNamed) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("file", "").string();
  for (const std::string& target : {file, file + "/below", std::string()}) {
    const Outcome outcome = run_program({"--manuals", target});
    EXPECT_EQ(outcome.exit_code, 1) << target;
    EXPECT_TRUE(has(outcome.err, "'" + target)) << outcome.err;
  }
}

// A file of defaults must not make every command print a script instead of doing its work.
TEST(SelfDescription, IsNotAskedForByAConfigurationFile) {
  const testing::TemporaryFolder folder;
  const std::string config = folder.write("config.toml", "completion = \"bash\"\n").string();
  const Outcome outcome = run_program({"--config", config, "datasets", "list"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(has(outcome.err, "'completion' stands outside of a command's section")) << outcome.err;
}

}  // namespace
}  // namespace unscatter
