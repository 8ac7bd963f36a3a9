// unscatter experiment, as a user meets it.
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "subprocess.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;
using testing::TemporaryFolder;

class Experiment : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() / "data" / "groups");
    const std::string file = (folder_.path() / "data" / "groups" / "groups.jsonl").string();
    ASSERT_EQ(run_program({"datasets", "generate", file, "--groups", "150", "--users", "300"}).exit_code, 0);
  }
  [[nodiscard]] std::string out() const { return (folder_.path() / "out").string(); }
  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"experiment", "--data", (folder_.path() / "data").string(), "--out", out(),
                                          "--datasets", "groups"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(Experiment, PrintsTheTableAndKeepsTheCells) {
  const Outcome first = run_program(command({"table3", "--splits", "2", "--commit", "0123abc"}));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(has(first.out, "trainings from scratch")) << first.out;
  EXPECT_TRUE(has(first.out, "GST, ours (release)")) << first.out;
  EXPECT_TRUE(has(first.out, "16 cells, 16 of them made now")) << first.out;
  EXPECT_TRUE(has(first.err, "groups: 16 cells in")) << first.err;

  const Outcome again = run_program(command({"table3", "figure3", "--splits", "2", "--json", "--quiet"}));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(again.err.empty()) << again.err;
  const nlohmann::json document = again.json();
  EXPECT_EQ(document.at("cells"), 16);
  EXPECT_EQ(document.at("made"), 0) << "figure3 has the cells of table3";
  EXPECT_EQ(document.at("complete"), true);
  EXPECT_EQ(document.at("summaries").at("table3").at("retrains").size(), 8u);
  EXPECT_EQ(document.at("summaries").at("figure3").at("curves").size(), 8u);
  const auto cell = nlohmann::json::parse(
      testing::read_whole_file(folder_.path() / "out" / "cells" / "unlearning" / "groups" / "gst.release.1.json"));
  EXPECT_EQ(cell.at("made").at("commit"), "0123abc");
  for (const nlohmann::json& file : document.at("files")) EXPECT_TRUE(std::filesystem::exists(file.get<std::string>()));
}

TEST_F(Experiment, GoesOnAfterAnInterrupt) {
  testing::RunningProgram running(command({"all", "--splits", "20"}));
  const auto cells = folder_.path() / "out" / "cells";
  const auto has_a_cell = [&] {
    std::error_code none;
    for (std::filesystem::recursive_directory_iterator at(cells, none), end; at != end; at.increment(none)) {
      if (at->path().extension() == ".json") return true;
    }
    return false;
  };
  for (int wait = 0; wait < 12'000 && !has_a_cell(); ++wait) ::usleep(10'000);
  running.signal(SIGINT);
  const Outcome stopped = running.wait();
  EXPECT_EQ(stopped.exit_code, 1) << stopped.out;
  EXPECT_TRUE(has(stopped.err, "the same command goes on from here")) << stopped.err;
  std::size_t kept = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cells)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(entry.path().extension(), ".json") << "a file that is not whole";
    ++kept;
  }
  EXPECT_GT(kept, 0u);
}

TEST_F(Experiment, WrongNamesGetOneSentence) {
  const Outcome experiment = run_program(command({"table9"}));
  EXPECT_EQ(experiment.exit_code, 1);
  EXPECT_TRUE(has(experiment.err, "unknown experiment 'table9'")) << experiment.err;
  const Outcome data_set =
      run_program({"experiment", "table1", "--data", (folder_.path() / "data").string(), "--out", out()});
  EXPECT_EQ(data_set.exit_code, 1);
  EXPECT_TRUE(has(data_set.err, "no data set IMDB-BINARY")) << data_set.err;
  EXPECT_EQ(run_program(command({"table1", "--preset", "mine"})).exit_code, 2);
  EXPECT_EQ(run_program({"experiment"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(Experiment, HelpNamesTheExperiments) {
  const Outcome help = run_program({"experiment", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* name : {"table1", "figure6", "epsilon", "extras"}) EXPECT_TRUE(has(help.out, name)) << name;
}

}  // namespace
}  // namespace unscatter
