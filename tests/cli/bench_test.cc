// unscatter bench, as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "subprocess.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::run_program;
using testing::TemporaryFolder;

#ifdef UNSCATTER_HAS_BENCH

TEST(Bench, ListsItsWorkloads) {
  const Outcome text = run_program({"bench", "--list"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  const Outcome listed = run_program({"bench", "--list", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  std::set<std::string> names;
  const nlohmann::json document = listed.json();
  for (const nlohmann::json& workload : document.at("workloads")) {
    names.insert(workload.at("name").get<std::string>());
    EXPECT_TRUE(has(text.out, workload.at("name").get<std::string>()));
    EXPECT_FALSE(workload.at("what").get<std::string>().empty());
  }
  std::set<std::string> expected = {"forget-scale", "batch",  "cold",         "load",
                                    "workspace",    "memory", "recipe-mnist", "recipe-cifar10"};
  for (const std::string kind : {"embed-", "train-", "forget-", "preview-"}) {
    for (const char* data : {"imdb", "proteins", "collab", "mnist", "cifar10"}) expected.insert(kind + data);
  }
  EXPECT_EQ(names, expected);
}

TEST(Bench, AnUnknownWorkloadIsOneSentence) {
  const Outcome outcome = run_program({"bench", "batch", "forget-me-not"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "unknown workload 'forget-me-not'")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(Bench, NumbersOutsideTheirRangesAreRefused) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{"--repeat", "0"},
                                                                                     {"--removals", "0"},
                                                                                     {"--noise", "-1"},
                                                                                     {"--tolerance", "-1"},
                                                                                     {"--scale-rows", "500,5"}}) {
    std::vector<std::string> arguments = {"bench", "batch"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << wrong[0];
    EXPECT_TRUE(has(outcome.err, wrong[0] + " must be")) << outcome.err;
  }
}

void expect_removal_fields(const nlohmann::json& result) {
  SCOPED_TRACE(result.dump(1));
  const double best = result.at("best_seconds").get<double>();
  const double p50 = result.at("p50_seconds").get<double>();
  const double p95 = result.at("p95_seconds").get<double>();
  const double p99 = result.at("p99_seconds").get<double>();
  EXPECT_GT(best, 0);
  EXPECT_LE(best, p50);
  EXPECT_LE(p50, p95);
  EXPECT_LE(p95, p99);
  EXPECT_GT(result.at("per_second").get<double>(), 0);
  EXPECT_GE(result.at("mean_seconds").get<double>(), best);
  EXPECT_GT(result.at("allocations_per_removal").get<double>(), 0);
  EXPECT_GT(result.at("peak_bytes").get<double>(), 1e6);
  EXPECT_EQ(result.at("threads"), 1);
  std::size_t rungs = 0;
  for (const auto& [rung, count] : result.at("rungs").items()) rungs += count.get<std::size_t>();
  EXPECT_EQ(result.at("updates"), rungs);
}

TEST(Bench, RemovalsAreMeasuredWithAllTheirFields) {
  const Outcome outcome = run_program({"bench", "batch", "workspace", "forget-scale", "--groups", "40", "--removals",
                                       "12", "--scale-rows", "500", "--threads", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json document = outcome.json();
  EXPECT_EQ(document.at("settings").at("removals"), 12);
  std::vector<std::string> names;
  for (const nlohmann::json& result : document.at("results")) {
    names.push_back(result.at("name").get<std::string>());
    expect_removal_fields(result);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"batch m=1", "batch m=10", "workspace m=1", "forget-scale n=500 d=124",
                                             "forget-scale n=500 d=372"}));
  EXPECT_GT(document.at("results").back().at("amortised_seconds").get<double>(), 0);
}

TEST(Bench, MissingDataIsSkippedVisibly) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {"bench", "forget-imdb", "load", "--data", folder.path().string()};
  const Outcome text = run_program(arguments);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(has(text.out, "skipped: no file '")) << text.out;
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const nlohmann::json document = run_program(as_json).json();
  EXPECT_EQ(document.at("results").size(), 7u);
  for (const nlohmann::json& result : document.at("results")) EXPECT_TRUE(result.contains("skipped")) << result;
}

TEST(Bench, AFailureNamesTheWorkload) {
  // So little noise that double precision cannot show the guarantee.
  const Outcome outcome = run_program({"bench", "batch", "--groups", "40", "--removals", "1", "--noise", "1e-18"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "batch: ")) << outcome.err;
}

#else

TEST(Bench, SaysWhereTheProgramShouldBe) {
  const Outcome outcome = run_program({"bench", "--list"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "the benchmark program is not at")) << outcome.err;
}

#endif

}  // namespace
}  // namespace unscatter
