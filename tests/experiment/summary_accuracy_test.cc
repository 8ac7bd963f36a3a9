#include <gtest/gtest.h>

#include <map>

#include "experiment/plan.h"
#include "experiment/summary.h"

namespace unscatter::experiment {
namespace {

Json built_in_result(double plain, double noisy) { return {{"accuracy", plain}, {"noisy_accuracy", noisy}}; }

TEST(SummaryOfAccuracy, KnownAndFreshSplitsStandApart) {
  const Json tuned = {
      {"removed", {{"noisy_accuracy", 71.0}, {"recipe", "size"}, {"loss", "squared"}}},
      {"everyone", {{"noisy_accuracy", 55.0}, {"recipe", "size"}, {"loss", "logistic"}}},
  };
  const CellKey built_in{"accuracy", "MNIST", "auto", "built-in", "", 0};
  CellKey fresh = built_in;
  fresh.split = kFirstFreshSplit;
  CellKey drawn = fresh;
  drawn.backbone = "drawing";
  const Summary summary = summarise_experiment(
      "accuracy", {{built_in, {built_in_result(70, 69), built_in_result(72, 71)}, 0},
                   {fresh, {built_in_result(60, 59)}, 0},
                   {{"accuracy", "MNIST", "auto", "tuned", "", kFirstFreshSplit}, {tuned, tuned}, 0},
                   {drawn, {built_in_result(40, 39)}, 0}});
  ASSERT_EQ(summary.tables.size(), 2u);
  EXPECT_EQ(summary.tables[0].columns.size(), 9u);
  ASSERT_EQ(summary.tables[0].rows.size(), 1u);
  EXPECT_EQ(summary.tables[0].rows[0][3], "71.0 ± 1.4");
  ASSERT_EQ(summary.tables[1].rows.size(), 2u);
  EXPECT_EQ(summary.tables[1].rows[0],
            (std::vector<std::string>{"MNIST", "-", "-", "60.0", "59.0", "-", "71.0 ± 0.0", "55.0 ± 0.0", "-"}));
  EXPECT_EQ(summary.tables[1].rows[1][0], "MNIST, no positions");
  std::size_t chosen = 0;
  for (const Json& row : summary.json.at("rows")) {
    if (row.contains("chosen")) {
      ++chosen;
      EXPECT_EQ(row.at("chosen").begin().value(), 2);
    }
  }
  EXPECT_EQ(chosen, 2u);
}

// Each network stands on the line of the recipe that sees the same.  GST has a column of its own.
TEST(SummaryOfAccuracy, NetworksStandBesideTheRecipes) {
  const auto group = [](const char* data_set, const char* backbone, double accuracy, std::size_t epochs) {
    Json result = {{"accuracy", accuracy}};
    if (epochs > 0) result["epochs"] = epochs;
    return CellGroup{{"classification", data_set, backbone, "noise-free", "", kFirstFreshSplit}, {result}, 0};
  };
  const Summary summary = summarise_experiment(
      "accuracy", {group("MUTAG", "gst", 71, 0), group("MUTAG", "gin", 80, 500), group("NCI1", "gst", 55, 0),
                   group("MNIST", "gin", 35, 20), group("MNIST", "gin-positions", 75, 20)});
  const SummaryTable& table = summary.tables.back();
  ASSERT_EQ(table.rows.size(), 4u);
  const auto start_of = [&](std::size_t row) {
    return std::vector<std::string>(table.rows[row].begin(), table.rows[row].begin() + 3);
  };
  EXPECT_EQ(start_of(0), (std::vector<std::string>{"MUTAG", "71.0", "80.0"}));
  EXPECT_EQ(start_of(1), (std::vector<std::string>{"NCI1", "55.0", "-"}));
  EXPECT_EQ(start_of(2), (std::vector<std::string>{"MNIST, no positions", "-", "35.0"}));
  EXPECT_EQ(start_of(3), (std::vector<std::string>{"MNIST", "-", "75.0"}));
  EXPECT_EQ(table.remarks, (std::vector<std::string>{"GIN on MNIST: 20 epochs, not 500"}));
  std::map<std::string, Json> networks;
  for (const Json& row : summary.json.at("rows")) {
    EXPECT_EQ(row.contains("epochs"), row.at("what") == "GIN");
    if (row.at("what") == "GIN") networks[row.at("embedding").get<std::string>()] = row;
  }
  EXPECT_EQ(networks.at("gin-positions").at("epochs"), 20);
}

TEST(SummaryOfAccuracy, CurvesHaveAColumnPerShare) {
  const auto group = [](const char* variant, double accuracy) {
    return CellGroup{{"accuracy-curves", "MUTAG", "auto", "built-in", variant, 0}, {built_in_result(0, accuracy)}, 0};
  };
  const Summary summary = summarise_experiment("accuracy-curves", {group("share-0.01", 60), group("share-0.8", 80)});
  EXPECT_EQ(summary.tables[0].columns, (std::vector<std::string>{"data set", "1 %", "80 %"}));
  EXPECT_EQ(summary.tables[0].rows[0], (std::vector<std::string>{"MUTAG", "60.0", "80.0"}));
}

TEST(SummaryOfAccuracy, PartsAreComparedOnTheSameSplit) {
  const auto group = [](const char* variant, double one, double two) {
    return CellGroup{{"accuracy-parts", "MUTAG", "auto", "built-in", variant, 0},
                     {built_in_result(0, one), built_in_result(0, two)},
                     0};
  };
  const Summary summary =
      summarise_experiment("accuracy-parts", {group("whole", 80, 70), group("without-1-size", 79, 68)});
  ASSERT_EQ(summary.tables[0].rows.size(), 2u);
  EXPECT_EQ(summary.tables[0].rows[1][1], "1-size");
  EXPECT_EQ(summary.tables[0].rows[1][3], "-1.5");
}

}  // namespace
}  // namespace unscatter::experiment
