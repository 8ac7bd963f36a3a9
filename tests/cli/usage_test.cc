#include "usage.h"

#include <gtest/gtest.h>

#include "subprocess.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;

TEST(Usage, EveryHelpTextTeachesByExample) {
  const std::vector<std::vector<std::string>> commands = {{},
                                                          {"demo"},
                                                          {"embed"},
                                                          {"tune"},
                                                          {"train"},
                                                          {"predict"},
                                                          {"forget"},
                                                          {"add"},
                                                          {"correct"},
                                                          {"status"},
                                                          {"certificate"},
                                                          {"verify"},
                                                          {"release"},
                                                          {"key"},
                                                          {"datasets"},
                                                          {"datasets", "list"},
                                                          {"datasets", "info"},
                                                          {"datasets", "generate"},
                                                          {"datasets", "fetch"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    const Outcome outcome = run_program(command);
    SCOPED_TRACE(outcome.out);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(has(outcome.out, "Examples:\n  unscatter "));
    EXPECT_TRUE(outcome.err.empty());
  }
}

TEST(Usage, DefaultsAreShown) {
  const Outcome outcome = run_program({"datasets", "generate", "--help"});
  for (const char* value : {"1000", "5000", "0.15"}) EXPECT_TRUE(has(outcome.out, value)) << outcome.out;
  const Outcome train = run_program({"train", "--help"});
  for (const char* value : {"--lambda FLOAT=2e-05", "--epsilon FLOAT=1", "=release", "=exact", "--wait FLOAT"}) {
    EXPECT_TRUE(has(train.out, value)) << value << train.out;
  }
}

TEST(Usage, Version) {
  const Outcome outcome = run_program({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "unscatter " UNSCATTER_VERSION "\n");
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string says;
};

TEST(Usage, MistakesExitWith2AndAHint) {
  const std::vector<Mistake> mistakes = {
      {{}, "'unscatter' needs a command"},
      {{"datasets"}, "'unscatter datasets' needs a command"},
      {{"dataset"}, "did you mean 'datasets'?"},
      {{"datasets", "lst"}, "did you mean 'list'?"},
      {{"nonsense"}, "'nonsense' is not a command of 'unscatter'"},
      {{"datasets", "list", "--colour"}, "no option '--colour'"},
      {{"train", "--epsilom", "1"}, "did you mean '--epsilon'?"},
      {{"datasets", "info"}, "PATH is missing; 'unscatter datasets info' needs it."},
      {{"datasets", "generate", "out.jsonl", "--groups", "many"}, "--groups: 'many' is not a whole number from 0."},
      {{"datasets", "generate", "out.jsonl", "--groups", "-1"}, "--groups: '-1' is not a whole number from 0."},
      {{"datasets", "generate", "out.jsonl", "--groups", "010"}, "--groups: '010' has a zero in front"},
      {{"datasets", "generate", "out.jsonl", "--groups", "99999999999999999999"}, "too large"},
      {{"datasets", "generate", "out.jsonl", "--noise", "nan"}, "--noise: 'nan' is not a number."},
      {{"status", "--workspace"}, "--workspace needs a value behind it."},
      {{"status", "--workspace", "a", "--workspace", "b"}, "--workspace is given more than once"},
      {{"train", "--preset", "papers"}, "--preset 'papers' is not known; it is one of sound, paper."},
      {{"embed", "--data", "x", "--threads", "-1"}, "--threads: '-1' is not a whole number from 0."},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = run_program(mistake.arguments);
    SCOPED_TRACE(outcome.err);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(has(outcome.err, mistake.says)) << mistake.says;
    EXPECT_TRUE(has(outcome.err, "Try 'unscatter"));
    EXPECT_TRUE(has(outcome.err, "--help'."));
    EXPECT_TRUE(outcome.out.empty());
  }
}

// docs/cli.md: a number that can be read is never wrong usage.
TEST(Usage, ANumberOutsideItsRangeIsARefusedRequest) {
  const std::vector<Mistake> mistakes = {
      {{"train", "--scales", "99", "--json"}, "--scales 99 is outside its range, 1 to 32"},
      {{"status", "--wait", "-1", "--json"}, "--wait -1 is outside its range, 0 to 1e+06"},
      {{"embed", "--data", "x", "--threads", "100000", "--json"}, "--threads 100000 is outside its range, 0 to 1024"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = run_program(mistake.arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(has(outcome.err, mistake.says)) << outcome.err;
    EXPECT_EQ(outcome.json().at("error").at("code"), "invalid-argument");
  }
}

}  // namespace
}  // namespace unscatter
