#include "manual_page.h"

#include <gtest/gtest.h>

#include <string>

#include "help_notes.h"
#include "roff.h"

namespace unscatter::cli {
namespace {

TEST(HelpNotes, TakesExamplesAndParagraphsApart) {
  const HelpNotes notes = read_help_notes(
      "First sentence that is short.\nSecond paragraph goes\non here.\n\nExamples:\n  prog run\n  prog walk\n"
      "After the examples.\n  a table\n    of two lines\n");
  EXPECT_EQ(notes.examples, (std::vector<std::string>{"prog run", "prog walk"}));
  ASSERT_EQ(notes.blocks.size(), 4u);
  EXPECT_EQ(notes.blocks[0].lines.size(), 1u);
  EXPECT_EQ(notes.blocks[1].lines.size(), 2u);
  EXPECT_FALSE(notes.blocks[2].as_it_is);
  EXPECT_TRUE(notes.blocks[3].as_it_is);
  EXPECT_EQ(notes.blocks[3].lines.size(), 2u);
}

// A line that is full ends because the next word did not fit, and not because a paragraph ends.
TEST(HelpNotes, AFullLineGoesOn) {
  const std::string full(119, 'x');
  EXPECT_EQ(read_help_notes(full + ".\nnext line.").blocks.size(), 1u);
  EXPECT_EQ(read_help_notes("short.\nnext line.").blocks.size(), 2u);
}

TEST(Roff, ShowsWhatIsWrittenAndObeysNothing) {
  EXPECT_EQ(roff::plain("--a"), "\\-\\-a");
  EXPECT_EQ(roff::plain(".SH NAME"), "\\&.SH NAME");
  EXPECT_EQ(roff::plain("a\n.b"), "a\n\\&.b");
  EXPECT_EQ(roff::plain("'x\\y"), "\\(aqx\\ey");
}

TEST(ManualPage, HasItsSectionsInOrder) {
  CommandDescription program;
  program.name = program.path = "prog";
  program.summary = "Does things";
  CommandDescription run;
  run.name = "run";
  run.path = "prog run";
  run.summary = "Runs";
  run.notes = "Examples:\n  prog run --fast";
  OptionDescription fast;
  fast.names = {"--fast"};
  fast.summary = "Quickly";
  fast.group = "Options";
  run.options = {fast};
  program.commands = {run};
  EXPECT_EQ(manual_name(program.commands[0]), "prog-run");
  const std::string page = manual_page(program.commands[0], program);
  std::size_t at = 0;
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "FILES"}) {
    const std::size_t found = page.find(std::string(".SH ") + section + '\n');
    ASSERT_NE(found, std::string::npos) << section;
    EXPECT_GE(found, at) << section;
    at = found;
  }
  EXPECT_NE(page.find("\\fB\\-\\-fast\\fR\nQuickly.\n"), std::string::npos);
  EXPECT_NE(page.find("\\fBprog\\fR(1)"), std::string::npos);
  EXPECT_EQ(page.find("ENVIRONMENT"), std::string::npos);
}

}  // namespace
}  // namespace unscatter::cli
