// The paper's statements, in a reduced version on its own data: orderings, not digits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "experiment/experiment.h"
#include "support/data_folder.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using nlohmann::json;

class Orderings : public ::testing::Test {
 protected:
  [[nodiscard]] json run(const std::filesystem::path& data, const std::string& name) {
    ExperimentOptions options;
    options.data = data;
    options.out = folder_.path() / "out";
    options.data_sets = {"PROTEINS", "MUTAG"};
    options.splits = 2;
    // The same arithmetic takes long under sanitizers; errors of memory show on small data too.
    if (testing::kSanitized && name == "figure6") options.data_sets = {"MUTAG"};
    return json::parse(run_experiments(std::span(&name, 1), options).value().json).at(name);
  }

  [[nodiscard]] static json row_of(const json& rows, const char* data_set, const char* backbone, const char* method) {
    for (const json& row : rows) {
      if (row.at("data_set") == data_set && row.at("backbone") == backbone && row.at("method") == method) return row;
    }
    throw std::runtime_error("no such row");
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Orderings, OfTheBackbones) {
  UNSCATTER_REQUIRE_DATA(data);
  const json rows = run(data, "table1").at("rows");
  const auto accuracy = [&](const char* backbone, const char* method) {
    return row_of(rows, "PROTEINS", backbone, method).at("accuracy").at("mean").get<double>();
  };
  EXPECT_GT(accuracy("gst", "noise-free"), accuracy("linear-gst", "noise-free")) << "the nonlinearity pays on PROTEINS";
  EXPECT_GT(accuracy("gst", "noise-free"), accuracy("gft", "noise-free") + 5) << "GFT is far below";
  EXPECT_NEAR(accuracy("gst", "release"), accuracy("gst", "noise-free"), 0.5) << "publishing costs no accuracy";
}

TEST_F(Orderings, OfTheUnlearningMethods) {
  UNSCATTER_REQUIRE_DATA(data);
  const json rows = run(data, "table3").at("retrains");
  for (const char* data_set : {"PROTEINS", "MUTAG"}) {
    for (const char* backbone : {"gst", "linear-gst"}) {
      const auto row = [&](const char* method) { return row_of(rows, data_set, backbone, method); };
      const auto retrains = [&](const char* method) { return row(method).at("retrains").at("mean").get<double>(); };
      EXPECT_LE(retrains("ours-paper"), retrains("uu")) << data_set << backbone;
      EXPECT_EQ(retrains("retrain"), row("retrain").at("removals").get<double>());
      EXPECT_EQ(retrains("release"), 0) << data_set << backbone;
      for (const char* method : {"ours-paper", "uu", "retrain", "release"})
        EXPECT_EQ(row(method).at("always_satisfied"), true);
    }
  }
  const auto strictly = [&](const char* method) {
    return row_of(rows, "PROTEINS", "gst", method).at("retrains").at("mean").get<double>();
  };
  EXPECT_LT(strictly("ours-paper"), strictly("uu"));
}

TEST_F(Orderings, OfTheBounds) {
  UNSCATTER_REQUIRE_DATA(data);
  const json summary = run(data, "figure6");
  for (const json& series : summary.at("series")) {
    for (const char* reading : {"step", "cumulated"}) {
      for (std::size_t i = 0; i < series.at("removals"); ++i) {
        const auto bound = [&](const char* which) { return series.at(reading).at(which).at("mean")[i].get<double>(); };
        ASSERT_LE(series.at("residual").at("mean")[i].get<double>(), bound("tight")) << series.at("data_set") << i;
        ASSERT_LE(bound("tight"), bound("data"));
        ASSERT_LE(bound("data"), bound("worst"));
      }
    }
  }
}

}  // namespace
}  // namespace unscatter
