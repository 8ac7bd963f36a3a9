#include "experiment/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace unscatter::experiment {
namespace {

std::set<CellKey> keys_of(std::string_view name, const ExperimentOptions& options = {}) {
  std::set<CellKey> keys;
  for (const CellPlan& plan : plan_experiment(name, options)) {
    EXPECT_TRUE(keys.insert(plan.key).second) << name << ": two cells in one place";
    EXPECT_EQ(plan.seed, options.seed + plan.key.split);
  }
  return keys;
}

TEST(Plan, EveryExperimentHasCells) {
  for (const ExperimentName& entry : experiment_names()) EXPECT_FALSE(keys_of(entry.name).empty()) << entry.name;
}

TEST(Plan, TablesAndFiguresShareCells) {
  EXPECT_EQ(keys_of("table1"), keys_of("table2"));
  EXPECT_EQ(keys_of("table3"), keys_of("figure3"));
}

// Two experiments may name the same cell only if they mean the same by it.
TEST(Plan, ACellMeansOneThing) {
  std::map<CellKey, std::string> settings;
  ExperimentOptions options;
  options.gin = true;
  for (const ExperimentName& entry : experiment_names()) {
    for (const CellPlan& plan : plan_experiment(entry.name, options)) {
      const std::string text = settings_json(plan, 1, 1).dump();
      EXPECT_EQ(settings.try_emplace(plan.key, text).first->second, text) << entry.name;
    }
  }
}

TEST(Plan, NamesAreSpelledOutOnce) {
  const std::string all[] = {"table2", "all", "table1"};
  const auto names = expand_names(all).value();
  EXPECT_EQ(names.front(), "table2");
  EXPECT_EQ(names.size(), 7u);
  const std::string extras[] = {"extras"};
  EXPECT_EQ(expand_names(extras).value().size(), 10u);
}

TEST(Plan, AnUnknownNameIsOneClearError) {
  const std::string names[] = {"table1", "tabel2"};
  const auto expanded = expand_names(names);
  ASSERT_FALSE(expanded.ok());
  EXPECT_EQ(expanded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(expanded.error().message.find("'tabel2'"), std::string::npos);
  EXPECT_NE(expanded.error().message.find("figure6"), std::string::npos) << "the message lists what there is";
}

TEST(Plan, GinIsAskedForOrNotThere) {
  ExperimentOptions options;
  const auto without = keys_of("table1", options);
  options.gin = true;
  options.gin_splits = 3;
  const auto with = keys_of("table1", options);
  EXPECT_EQ(with.size(), without.size() + std::size_t{5} * 3);
  for (const CellKey& key : with) EXPECT_EQ(without.contains(key), key.backbone != "gin");
}

TEST(Plan, ThePresetsDifferOnCollabOnly) {
  ExperimentOptions printed;
  ExperimentOptions program;
  program.preset = PaperPreset::kProgram;
  const auto first = plan_experiment("table3", printed);
  const auto second = plan_experiment("table3", program);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(settings_json(first[i], 1, 1) == settings_json(second[i], 1, 1), first[i].key.data_set != "COLLAB");
  }
}

// What a certificate needs, also where the paper's table says lambda = 0.
TEST(Plan, OurDefaultIsAlwaysRegularised) {
  for (const CellPlan& plan : plan_experiment("table1", {})) {
    if (plan.key.method == "release") {
      EXPECT_GT(std::get<ClassificationTask>(plan.task).parameters.regularisation, 0) << plan.key.data_set;
    }
  }
}

TEST(Plan, LongSequencesMayHaveFewerSplits) {
  ExperimentOptions options;
  options.long_splits = 2;
  for (const char* name : {"table1", "table3"}) {
    std::map<std::string, std::size_t> splits;
    for (const CellPlan& plan : plan_experiment(name, options)) {
      splits[plan.key.data_set] = std::max(splits[plan.key.data_set], plan.key.split + 1);
    }
    EXPECT_EQ(splits.at("MNIST"), std::string_view(name) == "table3" ? 2u : 10u);
    EXPECT_EQ(splits.at("PROTEINS"), 10u);
  }
}

TEST(Plan, AccuracyHasTenDataSetsOnKnownAndFreshSplits) {
  ExperimentOptions options;
  options.splits = 2;
  options.fresh_splits = 3;
  std::map<std::string, std::set<std::size_t>> splits;
  for (const CellPlan& plan : plan_experiment("accuracy", options)) {
    splits[plan.key.data_set + " " + plan.key.backbone + " " + plan.key.method].insert(plan.key.split);
  }
  // Three rows per data set, and two more without positions for either set of images.
  EXPECT_EQ(splits.size(), 34u);
  for (const auto& [row, numbers] : splits) EXPECT_EQ(numbers, (std::set<std::size_t>{0, 1, 300, 301, 302})) << row;
}

// The same splits as the other rows, and a second network where there are positions.
TEST(Plan, AccuracyHasNetworksOnSplitsOfTheOthers) {
  ExperimentOptions options;
  options.splits = 3;
  options.fresh_splits = 4;
  options.gin_splits = 2;
  const std::set<CellKey> without = keys_of("accuracy", options);
  options.gin = true;
  const std::set<CellKey> with = keys_of("accuracy", options);
  std::map<std::string, std::set<std::size_t>> splits;
  for (const CellKey& key : with) {
    EXPECT_EQ(without.contains(key), !is_gin(key));
    if (is_gin(key)) splits[key.data_set + " " + key.backbone].insert(key.split);
  }
  EXPECT_EQ(with.size(), without.size() + std::size_t{12} * 4);
  EXPECT_EQ(splits.size(), 12u);
  EXPECT_TRUE(splits.contains("MNIST gin-positions") && splits.contains("CIFAR10 gin-positions"));
  for (const auto& [row, numbers] : splits) EXPECT_EQ(numbers, (std::set<std::size_t>{0, 1, 300, 301})) << row;
}

// A cell states its epochs and whether positions are seen.  So other epochs are made again.
TEST(Plan, NetworksLearnFromTheTenthOfTheOthersAndSayHow) {
  ExperimentOptions options;
  options.gin = true;
  options.gin_options.epochs = 7;
  for (const CellPlan& plan : plan_experiment("accuracy", options)) {
    const Json settings = settings_json(plan, 1, 1);
    EXPECT_EQ(settings.at("shares"), (Json{{"train", 0.1}, {"validation", 0.1}, {"test", 0.8}}));
    EXPECT_EQ(settings.contains("gin"), is_gin(plan.key));
    if (!is_gin(plan.key)) continue;
    EXPECT_EQ(settings.at("gin").at("epochs"), 7);
    EXPECT_EQ(settings.at("gin").contains("positions"), plan.key.backbone == "gin-positions");
  }
}

TEST(Plan, GinAloneIsWhatGinAdds) {
  ExperimentOptions with;
  with.gin = true;
  ExperimentOptions alone;
  alone.gin_only = true;
  for (const char* name : {"table1", "figure4", "accuracy", "kinds"}) {
    std::set<CellKey> added = keys_of(name, with);
    for (const CellKey& key : keys_of(name)) added.erase(key);
    EXPECT_EQ(keys_of(name, alone), added) << name;
  }
}

TEST(Plan, CurvesLookAtTheSameGraphsForEveryShare) {
  for (const CellPlan& plan : plan_experiment("accuracy-curves", {})) {
    const SplitShares& shares = std::get<RecipeTask>(plan.task).shares;
    EXPECT_NEAR(shares.train + shares.validation, 0.8, 1e-12);
    EXPECT_EQ(shares.test, 0.2);
  }
}

// Every part is left out once, and nothing else changes.
TEST(Plan, PartsAreLeftOutOneByOne) {
  ExperimentOptions options;
  options.splits = 1;
  options.data_sets = {"IMDB-BINARY"};
  std::map<std::string, std::string> recipes;
  for (const CellPlan& plan : plan_experiment("accuracy-parts", options)) {
    recipes[plan.key.variant] = std::get<RecipeTask>(plan.task).recipe;
  }
  ASSERT_EQ(recipes.size(), 9u);
  const std::string before = "size*1.2 + kinds:4096*1.5";
  const std::string behind = " + shapes:11*2.5 + cliques*1.5 + clustering + overlaps*0.7";
  const std::string steps = " > fourier:4096:0.6:1 > scale:0.3:65";
  EXPECT_EQ(recipes.at("whole"), before + " + shapes:7*3.6" + behind + steps);
  EXPECT_EQ(recipes.at("without-3-shapes"), before + behind + steps);
  EXPECT_EQ(recipes.at("without-fourier"), before + " + shapes:7*3.6" + behind + " > scale:0.3:65");
}

// Curves and parts of images have three splits at most; fewer if fewer are asked for.
TEST(Plan, CurvesAndPartsOfImagesHaveFewSplits) {
  const auto splits = [](std::string_view name, const char* data_set, std::size_t asked) {
    ExperimentOptions options;
    options.data_sets = {data_set};
    options.long_splits = asked;
    std::set<std::size_t> numbers;
    for (const CellPlan& plan : plan_experiment(name, options)) numbers.insert(plan.key.split);
    return numbers.size();
  };
  for (const char* name : {"accuracy-curves", "accuracy-parts"}) {
    EXPECT_EQ(splits(name, "MNIST", 10), 3u);
    EXPECT_EQ(splits(name, "CIFAR10", 2), 2u);
    EXPECT_EQ(splits(name, "COLLAB", 2), 10u);
  }
  EXPECT_EQ(splits("accuracy", "CIFAR10", 10), 20u);
}

// The removals of Table 3, with nothing of the paper's but the splits and the amounts.
TEST(Plan, RecipeRemovalsAreThoseOfTheTable) {
  ExperimentOptions options;
  options.data_sets = {"PROTEINS"};
  const std::vector<CellPlan> plans = plan_experiment("recipe-removals", options);
  ASSERT_EQ(plans.size(), 10u);
  const std::vector<CellPlan> table = plan_experiment("table3", options);
  for (const CellPlan& plan : plans) {
    EXPECT_EQ(plan.key.backbone, "auto");
    EXPECT_EQ(plan.key.method, "release");
    EXPECT_EQ(std::get<UnlearningTask>(plan.task).amount.of(111),
              std::get<UnlearningTask>(table[0].task).amount.of(111));
    const Json settings = settings_json(plan, 1, 1);
    EXPECT_EQ(settings.at("loss"), "squared");
    EXPECT_EQ(settings.at("recipe"), "auto@3");
    EXPECT_FALSE(settings.contains("parameters"));
  }
}

TEST(Plan, AmountsAreThoseOfThePaper) {
  const auto removals = [](std::string_view name, const char* data_set, std::size_t train_graphs) {
    for (const CellPlan& plan : plan_experiment(name, {})) {
      if (plan.key.data_set == data_set) return std::get<UnlearningTask>(plan.task).amount.of(train_graphs);
    }
    return std::size_t{0};
  };
  EXPECT_EQ(removals("table3", "PROTEINS", 111), 11u);
  EXPECT_EQ(removals("table3", "MNIST", 5500), 550u);
  EXPECT_EQ(removals("figure4", "COLLAB", 500), 450u);
  EXPECT_EQ(removals("figure5", "IMDB-BINARY", 600), 500u);
}

}  // namespace
}  // namespace unscatter::experiment
