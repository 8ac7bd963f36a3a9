#include "command_description.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "renamed_options.h"

namespace unscatter::cli {
namespace {

using Words = std::vector<std::string>;

// A small program with an option of every kind.
struct DescribedProgram {
  DescribedProgram() {
    CLI::App& run = *program.add_subcommand("run", "Run it");
    run.add_option("OUT", out, "File to write")->required();
    run.add_option("-s,--scales", scales, "Scales")->check(CLI::Range(1, 32))->capture_default_str();
    run.add_option("--edges", edges, "Edges")->check(CLI::IsMember({"directed", "mixed"}))->group("Kinds");
    run.add_option("--key", key, "A key")->envname("THE_KEY");
    run.add_flag("--force", force, "Overwrite");
    run.add_option("--secret", key, "Not for people")->group("");
    run.add_option(option_names("--distance-limit"), limit, "A limit");
    run.footer("What more there is to say.");
    program.add_subcommand("stand-in", "Somebody else's")->allow_extras();
  }
  CLI::App program{"A program", "prog"};
  std::string out, edges, key;
  unsigned scales = 4;
  double limit = 0;
  bool force = false;
};

const OptionDescription* find_described(const CommandDescription& command, const std::string& name) {
  for (const OptionDescription& option : command.options) {
    for (const std::string& known : option.names) {
      if (known == name) return &option;
    }
  }
  return nullptr;
}

TEST(CommandDescription, NamesCommandsWithoutStandIns) {
  const DescribedProgram p;
  const CommandDescription program = describe(p.program);
  ASSERT_EQ(program.commands.size(), 1u);
  EXPECT_EQ(program.commands[0].path, "prog run");
  EXPECT_EQ(program.commands[0].summary, "Run it");
  EXPECT_EQ(program.commands[0].notes, "What more there is to say.");
  const auto all = flattened(program);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->path, "prog");
}

TEST(CommandDescription, ReadsWhatTheParserKnowsOfAnOption) {
  const DescribedProgram p;
  const CommandDescription run = describe(p.program).commands.at(0);
  const OptionDescription* const scales = find_described(run, "-s");
  ASSERT_NE(scales, nullptr);
  EXPECT_EQ(scales->names, (Words{"-s", "--scales"}));
  EXPECT_EQ(scales->value, "UINT");
  EXPECT_EQ(scales->range, "1 to 32");
  EXPECT_EQ(scales->initial, "4");
  EXPECT_FALSE(scales->may_be_file());
  const OptionDescription* const edges = find_described(run, "--edges");
  ASSERT_NE(edges, nullptr);
  EXPECT_EQ(edges->choices, (Words{"directed", "mixed"}));
  EXPECT_EQ(edges->group, "Kinds");
  EXPECT_FALSE(edges->may_be_file());
  const OptionDescription* const key = find_described(run, "--key");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->environment, "THE_KEY");
  EXPECT_TRUE(key->may_be_file());
  const OptionDescription* const force = find_described(run, "--force");
  ASSERT_NE(force, nullptr);
  EXPECT_FALSE(force->takes_value());
  const OptionDescription* const out = find_described(run, "OUT");
  ASSERT_NE(out, nullptr);
  EXPECT_TRUE(out->positional && out->required && out->may_be_file());
}

TEST(CommandDescription, LeavesOutWhatIsHiddenAndFormerNames) {
  const DescribedProgram p;
  const CommandDescription run = describe(p.program).commands.at(0);
  EXPECT_EQ(find_described(run, "--secret"), nullptr);
  EXPECT_EQ(find_described(run, "--precision"), nullptr);
  EXPECT_NE(find_described(run, "--distance-limit"), nullptr);
}

TEST(CommandDescription, SplitsAndReplaces) {
  EXPECT_EQ(split_at("a,b,,c", ','), (Words{"a", "b", "", "c"}));
  EXPECT_EQ(split_at("", ','), Words{""});
  EXPECT_EQ(split_at("a,", ','), (Words{"a", ""}));
  EXPECT_EQ(replaced("a'b'", "'", "''"), "a''b''");
}

}  // namespace
}  // namespace unscatter::cli
