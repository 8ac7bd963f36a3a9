// Whole runs: what is kept, what is made again, and that it comes to the same.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "small_experiment.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using nlohmann::json;
using testing::SmallExperiment;

const std::string kTables[] = {"table1", "table3"};

// Everything in a summary but times and dates.
json without_times(json document) {
  if (document.is_object()) {
    for (const char* field : {"seconds", "embed_seconds", "train_seconds", "predict_seconds", "made"})
      document.erase(field);
  }
  if (document.is_structured()) {
    for (json& child : document) child = without_times(child);
  }
  return document;
}

json summary_of(const ExperimentReport& report) { return without_times(json::parse(report.json)); }

TEST(Run, StoppedAndContinuedItComesToTheSame) {
  const SmallExperiment small;
  const ExperimentReport whole = run_experiments(kTables, small.options("whole")).value();
  ASSERT_TRUE(whole.complete);
  EXPECT_EQ(whole.made, whole.cells);
  EXPECT_EQ(whole.failed, 0u);

  ExperimentOptions options = small.options("stopped");
  std::size_t asked = 0;
  options.stop = [&asked] { return ++asked > 7; };
  const ExperimentReport stopped = run_experiments(kTables, options).value();
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.made, 7u);
  EXPECT_TRUE(stopped.tables.empty());
  EXPECT_FALSE(std::filesystem::exists(options.out / "table1.json"));

  options.stop = nullptr;
  const ExperimentReport rest = run_experiments(kTables, options).value();
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(rest.made, whole.cells - 7);
  EXPECT_EQ(summary_of(rest), summary_of(whole));

  const ExperimentReport again = run_experiments(kTables, options).value();
  EXPECT_EQ(again.made, 0u);
  EXPECT_EQ(summary_of(again), summary_of(whole));
}

TEST(Run, SeveralCellsAtATimeComeToTheSame) {
  const SmallExperiment small;
  ExperimentOptions options = small.options("two");
  const std::string table[] = {"table3"};
  const ExperimentReport one = run_experiments(table, small.options("one")).value();
  options.threads = 2;
  options.jobs = 2;
  const ExperimentReport two = run_experiments(table, options).value();
  EXPECT_EQ(two.made, two.cells);
  EXPECT_EQ(summary_of(two), summary_of(one));
}

TEST(Run, ADamagedCellIsReportedAndMadeAgain) {
  const SmallExperiment small;
  ExperimentOptions options = small.options();
  const std::string table[] = {"table3"};
  const ExperimentReport first = run_experiments(table, options).value();
  const auto cell = options.out / "cells" / "unlearning" / "groups" / "gst.uu.1.json";
  const std::string text = testing::read_whole_file(cell);
  std::filesystem::resize_file(cell, text.size() / 2);
  std::vector<std::string> notes;
  options.note = [&notes](std::string_view sentence) { notes.emplace_back(sentence); };
  const ExperimentReport second = run_experiments(table, options).value();
  EXPECT_EQ(second.damaged, 1u);
  EXPECT_EQ(second.made, 1u);
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes.front().find("gst.uu.1.json"), std::string::npos) << notes.front();
  EXPECT_EQ(summary_of(second), summary_of(first));
}

TEST(Run, OtherSettingsAreMadeAgain) {
  const SmallExperiment small;
  ExperimentOptions options = small.options();
  const std::string table[] = {"table3"};
  const std::size_t cells = run_experiments(table, options).value().cells;
  options.uu_steps = 3;  // UU only
  EXPECT_EQ(run_experiments(table, options).value().made, 2u * 2);
  options.points = 2;  // everything along a sequence
  EXPECT_EQ(run_experiments(table, options).value().made, cells);
  options.commit = "abc";  // recorded, not a setting
  EXPECT_EQ(run_experiments(table, options).value().made, 0u);
  options.fresh = true;
  EXPECT_EQ(run_experiments(table, options).value().made, cells);
  const json cell =
      json::parse(testing::read_whole_file(options.out / "cells" / "unlearning" / "groups" / "gst.uu.0.json"));
  EXPECT_EQ(cell.at("made").at("commit"), "abc");
  EXPECT_EQ(cell.at("settings").at("seed"), 0);
  EXPECT_EQ(cell.at("settings").at("threads"), 1);
}

// As if an earlier run had ended in an error: a full disk, say.
TEST(Run, AFailedCellIsTriedAgain) {
  const SmallExperiment small;
  ExperimentOptions options = small.options();
  options.splits = 1;
  const std::string table[] = {"table3"};
  const ExperimentReport good = run_experiments(table, options).value();
  const experiment::CellKey key{"unlearning", "groups", "gst", "uu", "", 0};
  const auto cell = experiment::Json::parse(testing::read_whole_file(cell_path(options.out, key)));
  ASSERT_TRUE(write_cell(options.out, key, cell["settings"], cell["made"], {{"error", {{"code", "io"}}}}).ok());
  const ExperimentReport again = run_experiments(table, options).value();
  EXPECT_EQ(again.made, 1u);
  EXPECT_EQ(again.failed, 0u);
  EXPECT_EQ(summary_of(again), summary_of(good));
}

TEST(Run, WrongOptionsAreOneClearError) {
  const SmallExperiment small;
  const auto message = [&](const std::string& experiment_name, auto change) {
    ExperimentOptions options = small.options("never");
    change(options);
    const auto report = run_experiments(std::span(&experiment_name, 1), options);
    return report.ok() ? std::string() : report.error().message;
  };
  EXPECT_NE(message("table9", [](ExperimentOptions&) {}).find("'table9'"), std::string::npos);
  EXPECT_NE(message("table1",
                    [](ExperimentOptions& o) {
                      o.data_sets = {"groups", "grops"};
                    })
                .find("grops"),
            std::string::npos);
  EXPECT_NE(message("table1", [](ExperimentOptions& o) { o.splits = 0; }).find("splits"), std::string::npos);
  EXPECT_NE(message("table1", [](ExperimentOptions& o) { o.jobs = 0; }).find("jobs"), std::string::npos);
  if (!gin_available()) {
    EXPECT_NE(message("table1", [](ExperimentOptions& o) { o.gin = true; }).find("UNSCATTER_GIN"), std::string::npos);
    EXPECT_NE(message("accuracy", [](ExperimentOptions& o) { o.gin_only = true; }).find("UNSCATTER_GIN"),
              std::string::npos);
  } else {
    EXPECT_NE(message("kinds", [](ExperimentOptions& o) { o.gin_only = true; }).find("'kinds' trains no GIN"),
              std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(small.out("never"))) << "nothing is written for a run that cannot be";
}

// Reduced: the real epochs take minutes.
TEST(Run, NetworksAreTrainedOnceForTheSettingsAskedFor) {
  if (!gin_available()) GTEST_SKIP() << "this build has no libtorch";
  const SmallExperiment small;
  ExperimentOptions options = small.options();
  options.gin_only = true;
  options.gin_options.epochs = 2;
  options.gin_splits = 1;
  const std::string accuracy[] = {"accuracy"};
  const ExperimentReport first = run_experiments(accuracy, options).value();
  EXPECT_EQ(first.made, 2u) << "a known split and a fresh one";
  EXPECT_EQ(first.failed, 0u);
  ASSERT_EQ(first.tables.back().rows.size(), 1u);
  EXPECT_EQ(run_experiments(accuracy, options).value().made, 0u);
  options.gin_splits = 2;
  EXPECT_EQ(run_experiments(accuracy, options).value().made, 2u);
  options.gin_options.epochs = 3;
  EXPECT_EQ(run_experiments(accuracy, options).value().made, 4u);
}

TEST(Run, EveryExperimentRunsOnSmallData) {
  const SmallExperiment small;
  ExperimentOptions options = small.options();
  options.splits = 1;
  const std::string everything[] = {"all", "extras"};
  const ExperimentReport report = run_experiments(everything, options).value();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.failed, 0u);
  EXPECT_EQ(report.files.size(), experiment_names().size());
  for (const std::filesystem::path& file : report.files) {
    EXPECT_FALSE(json::parse(testing::read_whole_file(file)).empty()) << file;
  }
  for (const SummaryTable& table : report.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
  }
}

}  // namespace
}  // namespace unscatter
