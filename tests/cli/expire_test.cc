// unscatter expire, and due dates in other commands, as a user meets them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "expiry_options.h"
#include "unscatter/graph/read.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Expire : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] Outcome expire(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"expire", "--workspace", workspace()});
    return run(arguments);
  }
  [[nodiscard]] nlohmann::json expired(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"expire", "--workspace", workspace()});
    return document(std::move(arguments));
  }
  void set(const std::string& date, const std::string& option, const std::string& what) const {
    const Outcome outcome = expire({"--set", date, option, what});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  [[nodiscard]] std::string somebody() const { return groups().graphs[3].node_id(0); }
};

TEST_F(Expire, NothingIsDueAndNothingChanges) {
  const auto before = status();
  EXPECT_EQ(before.at("due"), nlohmann::json::parse(R"({"dates": 0, "overdue": 0, "oldest": null, "next": null})"));
  const Outcome outcome = expire({"--receipt", path("r.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "Nothing is due until ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "Nothing else has a due date.")) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(path("r.json")));
  EXPECT_EQ(status().at("hash"), before.at("hash"));
  const nlohmann::json report = expired();
  EXPECT_TRUE(report.at("due").empty() && report.at("entry").is_null() && report.at("next").is_null());
}

TEST_F(Expire, ForgetsWhatIsDueAndNoMore) {
  set("2020-01-01", "--graph", "5");
  set("2021-06-01T12:00:00Z", "--subject", somebody());
  set("2999-01-01", "--graph", groups().graph_ids[6]);
  const nlohmann::json due = status().at("due");
  EXPECT_EQ(due.at("dates"), 3);
  EXPECT_EQ(due.at("overdue"), 2);
  EXPECT_EQ(due.at("oldest"), "2020-01-01T00:00:00Z");
  EXPECT_EQ(due.at("next"), nlohmann::json::parse(R"({"graph": 6, "due": "2999-01-01T00:00:00Z"})"));
  const Outcome words = run({"status", "--workspace", workspace()});
  EXPECT_TRUE(has(words.out, "3 dates; 2 overdue, the oldest since 2020-01-01")) << words.out;
  EXPECT_TRUE(has(words.out, "next: graph 6, on 2999-01-01")) << words.out;

  const nlohmann::json plan = expired({"--dry-run"});
  EXPECT_EQ(plan.at("dry_run"), true);
  EXPECT_EQ(plan.at("requests"), 2);
  ASSERT_EQ(plan.at("due").size(), 2u);
  EXPECT_EQ(plan.at("due")[1].at("subject"), somebody());
  EXPECT_EQ(status().at("entries"), 1);

  const nlohmann::json done = expired({"--receipt", path("r.json"), "--openings", path("o.jsonl")});
  EXPECT_EQ(done.at("entry"), 1);
  EXPECT_EQ(done.at("requests").at("graphs"), 1);
  EXPECT_EQ(done.at("requests").at("subjects"), 1);
  EXPECT_EQ(done.at("due")[0], nlohmann::json::parse(R"({"graph": 5, "due": "2020-01-01T00:00:00Z"})"));
  EXPECT_TRUE(std::filesystem::exists(path("r.json")));
  EXPECT_TRUE(std::filesystem::exists(path("o.jsonl")));
  EXPECT_EQ(run({"verify", "--receipt", path("r.json"), "--workspace", workspace()}).exit_code, 0);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
  EXPECT_EQ(document({"subject", somebody(), "--workspace", workspace()}).at("held"), false);
  EXPECT_EQ(status().at("due").at("dates"), 1);
  EXPECT_EQ(status().at("graphs"), 59);

  const Outcome later = expire();
  EXPECT_EQ(later.exit_code, 0);
  EXPECT_TRUE(has(later.out, "Next: graph 6, on 2999-01-01.")) << later.out;
  EXPECT_EQ(expired({"--until", "2999-01-01"}).at("graphs_removed"), 1);
  EXPECT_EQ(status().at("due").at("dates"), 0);
}

TEST_F(Expire, ADateIsTakenAway) {
  set("2020-01-01", "--graph", "5");
  const nlohmann::json cleared = expired({"--clear", "--graph", "5"});
  EXPECT_EQ(cleared.at("graph"), 5);
  EXPECT_TRUE(cleared.at("due").is_null());
  EXPECT_TRUE(has(expire().out, "Nothing is due"));
  const Outcome again = expire({"--clear", "--graph", "5"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(has(again.err, "graph 5 has no due date")) << again.err;
  const Outcome past = expire({"--set", "2020-01-01", "--subject", somebody()});
  EXPECT_TRUE(has(past.out, "That is in the past")) << past.out;
}

TEST_F(Expire, ForgettingTakesDatesAlong) {
  set("2999-01-01", "--graph", "5");
  set("2999-01-01", "--subject", somebody());
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  EXPECT_EQ(status().at("due").at("dates"), 1);
  ASSERT_EQ(forget({"--subject", somebody()}).exit_code, 0);
  EXPECT_EQ(status().at("due").at("dates"), 0);
}

// From the data, through training, retraining and export, and never later than any of them says.
TEST_F(Expire, DatesComeWithTheDataAndStayWithIt) {
  Dataset dated = groups();
  dated.due.graphs.resize(dated.size());
  dated.due.graphs[1] = 4'000'000'000;  // 2096-10-02
  dated.due.graphs[2] = 2'000'000'000;  // 2033-05-18
  dated.due.subjects = {{somebody(), 1'000'000'000}};
  ASSERT_TRUE(write_jsonl(dated, path("dated.jsonl")).ok());
  std::vector<std::string> train = {"train",       "--data",    path("dated.jsonl"), "--workspace",
                                    path("dated"), "--expires", "2090-01-01",        "--json"};
  for (const std::string& option : testing::SmallWorkspace::quick()) train.push_back(option);
  const Outcome trained = run(train);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(has(trained.err, "0 graphs and 1 subject of the data are overdue already")) << trained.err;
  const auto check = [&](const std::string& where) {
    ASSERT_EQ(run({"export", "--workspace", where, "--out", where + "-left.jsonl"}).exit_code, 0);
    const Dataset left = read_jsonl(where + "-left.jsonl").value();
    ASSERT_EQ(left.due.graphs.size(), 60u);
    EXPECT_EQ(left.due.graphs[0], 3'786'912'000);  // 2090-01-01
    EXPECT_EQ(left.due.graphs[1], 3'786'912'000);
    EXPECT_EQ(left.due.graphs[2], 2'000'000'000);
    EXPECT_EQ(left.due.subjects, dated.due.subjects);
  };
  check(path("dated"));
  const Outcome again = run({"retrain", "--workspace", path("dated"), "--out", path("again"), "--lambda", "0.01"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  check(path("again"));
}

TEST_F(Expire, GraphsAreKeptForASpan) {
  std::vector<std::string> train = {"train", "--data", data(), "--workspace", path("new"), "--keep-for", "90d"};
  for (const std::string& option : testing::SmallWorkspace::quick()) train.push_back(option);
  const std::int64_t before = cli::seconds_now();
  ASSERT_EQ(run(train).exit_code, 0);
  const std::int64_t after = cli::seconds_now();
  const std::vector<DueDate> dates = open(path("new")).due(after + std::int64_t{90} * 86400).value();
  ASSERT_EQ(dates.size(), 60u);
  for (const DueDate& date : dates) EXPECT_GE(date.due, before + std::int64_t{90} * 86400);
}

TEST_F(Expire, WrongUsageIsNamed) {
  struct Case {
    std::vector<std::string> arguments;
    const char* part;
  };
  for (const Case& c : std::vector<Case>{
           {{"--until", "tomorrow"}, "--until: 'tomorrow' is no date; write 2027-03-01"},
           {{"--set", "01.03.2027", "--graph", "5"}, "--set: '01.03.2027' is no date"},
           {{"--set", "2027-03-01"}, "--set is about one graph or one subject"},
           {{"--clear"}, "--clear is about one graph or one subject"},
           {{"--set", "2027-03-01", "--clear", "--graph", "5"}, "--set and --clear exclude one another"},
           {{"--set", "2027-03-01", "--graph", "5", "--subject", "x"}, "--set is about one graph or one subject"},
           {{"--set", "2027-03-01", "--graph", "5", "--dry-run"}, "--set changes a due date and forgets nothing"},
           {{"--clear", "--graph", "5", "--until", "2027-03-01"}, "--clear changes a due date and forgets nothing"},
           {{"--graph", "5"}, "--graph and --subject go with --set DATE or --clear"},
           {{"--set", "2027-03-01", "--graph", "007"}, "007"},
           {{"--shred", "--keep-salts"}, "--keep-salts keeps the salts"}}) {
    const Outcome outcome = expire(c.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << c.part;
    EXPECT_TRUE(has(outcome.err, c.part)) << outcome.err;
  }
  const Outcome both =
      run({"train", "--data", data(), "--workspace", path("n"), "--expires", "2027-03-01", "--keep-for", "90d"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_TRUE(has(both.err, "--expires and --keep-for exclude one another")) << both.err;
  EXPECT_TRUE(has(run({"train", "--data", data(), "--workspace", path("n"), "--keep-for", "3m"}).err,
                  "--keep-for: '3m' is no span of time"));
  EXPECT_EQ(status().at("entries"), 1);
}

TEST_F(Expire, WithoutTheKeyThereIsOnlyAPreview) {
  set("2020-01-01", "--graph", "5");
  const testing::Environment nobody = {{"XDG_CONFIG_HOME", path("empty")}};
  const std::vector<std::string> command = {"expire", "--workspace", workspace()};
  EXPECT_EQ(testing::run_program(command, nobody).exit_code, 1);
  std::vector<std::string> preview = command;
  preview.emplace_back("--dry-run");
  EXPECT_EQ(testing::run_program(preview, nobody).exit_code, 0);
}

TEST(ExpiryOptions, TheEarlierDateCounts) {
  DueDates due;
  due.graphs = {100, 5'000'000'000, std::nullopt};
  cli::ExpiryArguments arguments;
  ASSERT_TRUE(arguments.apply(due, 3, 50).ok());
  EXPECT_FALSE(due.graphs[2].has_value());
  arguments.keep_for = "1h";
  ASSERT_TRUE(arguments.apply(due, 3, 50).ok());
  EXPECT_EQ(due.graphs, (std::vector<std::optional<std::int64_t>>{100, 3650, 3650}));
}

}  // namespace
}  // namespace unscatter
