#include "experiment/summary.h"

#include <gtest/gtest.h>

namespace unscatter::experiment {
namespace {

TEST(Summary, MeanAndSampleDeviation) {
  const Spread spread = spread_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(spread.mean, 5);
  EXPECT_NEAR(spread.stddev, 2.13809, 1e-5);
  EXPECT_EQ(spread_of(std::vector<double>{3}).stddev, 0);
  EXPECT_EQ(spread_words(spread_of(std::vector<double>{}), 2), "-");
  EXPECT_EQ(spread_words(spread_of(std::vector<double>{1, 3}), 1), "2.0 ± 1.4");
}

CellGroup classified(const std::string& data_set, const std::string& method, double accuracy) {
  const Json result = {
      {"accuracy", accuracy}, {"embed_seconds", 1.0}, {"train_seconds", 0.5}, {"predict_seconds", 0.25}};
  return {{"classification", data_set, "gst", method, "", 0}, {result, result}, 0};
}

TEST(Summary, ThePaperStandsBelowUs) {
  const Summary summary =
      summarise_experiment("table1", {classified("PROTEINS", "noise-free", 68), classified("MUTAG", "noise-free", 80),
                                      classified("PROTEINS", "release", 67)});
  ASSERT_EQ(summary.tables.size(), 1u);
  const SummaryTable& table = summary.tables.front();
  EXPECT_EQ(table.columns, (std::vector<std::string>{"", "PROTEINS", "MUTAG"}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][1], "68.00 ± 0.00");
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"  in the paper", "68.26 ± 2.28", "-"}));
  EXPECT_EQ(table.rows[2], (std::vector<std::string>{"GST, ours (release)", "67.00 ± 0.00", "-"}));
  EXPECT_EQ(summary.json.at("rows")[0].at("paper_accuracy").at("mean"), 68.26);
  EXPECT_TRUE(summary.json.at("rows")[1].at("paper_accuracy").is_null());
  const Summary times = summarise_experiment("table2", {classified("PROTEINS", "noise-free", 68)});
  EXPECT_EQ(times.tables.front().rows[0][1], "1.750 ± 0.000");
  EXPECT_EQ(times.tables.front().rows[1][1], "7.57 ± 1.79");
}

Json course(double last_accuracy, double last_seconds, bool sampled) {
  return {{"train_graphs", 100},
          {"removals", 10},
          {"sampled", sampled},
          {"single_removals", sampled ? 4 : 10},
          {"updates", 10},
          {"seconds", last_seconds},
          {"retrains", 3},
          {"retrains_of", sampled ? 4 : 10},
          {"always_satisfied", true},
          {"points",
           {{{"removed", 0}, {"accuracy", 70.0}, {"seconds", 0.0}, {"retrains", 0}, {"residual", 1e-9}},
            {{"removed", 10},
             {"accuracy", last_accuracy},
             {"seconds", last_seconds},
             {"retrains", 3},
             {"residual", nullptr}}}}};
}

TEST(Summary, CurvesAreMeansPlaceByPlace) {
  const CellGroup group{{"unlearning", "PROTEINS", "gst", "uu", "", 0}, {course(60, 2, true), course(64, 4, true)}, 1};
  const Summary summary = summarise_experiment("figure3", {group});
  const Json& curve = summary.json.at("curves")[0];
  EXPECT_EQ(curve.at("removed"), (Json{0, 10}));
  EXPECT_EQ(curve.at("accuracy").at("mean"), (Json{70.0, 62.0}));
  EXPECT_NEAR(curve.at("accuracy").at("stddev")[1].get<double>(), 2.828, 1e-3);
  EXPECT_EQ(curve.at("seconds").at("mean")[1], 3.0);
  EXPECT_TRUE(curve.at("residual").at("mean")[1].is_null());
  EXPECT_EQ(curve.at("sampled"), true);
  const SummaryTable& table = summary.tables.front();
  EXPECT_EQ(table.rows[0][7], "3 *") << "an estimated time is marked";
  EXPECT_EQ(table.rows[0][8], "3.0 of first 4");
  EXPECT_EQ(summary.json.at("failed_cells"), 1);
  ASSERT_EQ(table.remarks.size(), 2u);
}

TEST(Summary, RetrainsStandBesideThoseOfThePaper) {
  const CellGroup group{{"unlearning", "PROTEINS", "gst", "ours-paper", "", 0}, {course(60, 2, false)}, 0};
  const Summary summary = summarise_experiment("table3", {group});
  EXPECT_EQ(summary.tables.front().rows[0][1], "3.0 of 10");
  EXPECT_EQ(summary.tables.front().rows[1][1], "7.2");
  EXPECT_EQ(summary.json.at("retrains")[0].at("paper").at("mean"), 7.2);
}

}  // namespace
}  // namespace unscatter::experiment
