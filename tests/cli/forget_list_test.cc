// unscatter forget --requests: lists that can be interrupted.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "unscatter/store/request_text.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;
using testing::RunningProgram;

class ForgetList : public testing::CliWorkspaceTest {
 protected:
  // Nodes 0 .. count - 1 of every group, a line each.
  [[nodiscard]] std::string nodes_of_all_groups(std::size_t count) const {
    std::string lines;
    for (std::size_t node = 0; node < count; ++node) {
      for (std::size_t g = 0; g < groups().size(); ++g) lines += request_text(ForgetNode{g, node}) + '\n';
    }
    return lines;
  }
  [[nodiscard]] std::string write(const std::string& lines) const {
    return folder_.write("requests.jsonl", lines).string();
  }
  [[nodiscard]] std::vector<std::string> forgetting(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"forget", "--workspace", workspace(), "--requests", path("requests.jsonl")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] static std::size_t lines_of(const std::string& file) {
    if (!std::filesystem::exists(file)) return 0;
    const std::string text = testing::read_whole_file(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  // Starts the list, one request per update, and returns when a few updates are acknowledged.
  [[nodiscard]] std::unique_ptr<RunningProgram> start_slowly() const {
    auto program = std::make_unique<RunningProgram>(forgetting({"--batch", "1", "--receipts", path("receipts.jsonl")}),
                                                    environment());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (lines_of(path("receipts.jsonl")) < 3 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return program;
  }
};

TEST_F(ForgetList, HonoursAllAndSaysHowFast) {
  static_cast<void>(write(nodes_of_all_groups(1)));
  const nlohmann::json report = document(
      forgetting({"--batch", "25", "--receipts", path("receipts.jsonl"), "--openings", path("openings.jsonl")}));
  EXPECT_EQ(report.at("requests"), 60);
  EXPECT_EQ(report.at("honoured"), 60);
  EXPECT_EQ(report.at("updates"), 3);
  EXPECT_EQ(report.at("done_before"), 0);
  EXPECT_EQ(report.at("refused"), nlohmann::json::array());
  EXPECT_GT(report.at("requests_per_second"), 0.0);
  EXPECT_GT(report.at("stage_seconds").at("update"), 0.0);
  EXPECT_EQ(status().at("updates"), 3);
  EXPECT_EQ(lines_of(path("receipts.jsonl")), 3u);
  EXPECT_EQ(lines_of(path("openings.jsonl")), 60u);
  EXPECT_EQ(run({"verify", "--workspace", workspace(), "--receipt", path("receipts.jsonl")}).exit_code, 0);
  // A whole list that is given again has nothing left to do.
  EXPECT_EQ(document(forgetting({})).at("done_before"), 60);
  EXPECT_EQ(status().at("updates"), 3);
}

TEST_F(ForgetList, StopsAtARefusedLineAndNamesIt) {
  const std::string good = request_text(ForgetNode{std::size_t{0}, std::size_t{1}}) + '\n';
  static_cast<void>(write(good + '\n' + good + request_text(ForgetGraph{std::size_t{4}}) + '\n'));
  const Outcome outcome = run(forgetting({"--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "requests.jsonl, line 3: node 1 of graph 0")) << outcome.err;
  const nlohmann::json report = outcome.json();
  EXPECT_EQ(report.at("honoured"), 1);
  EXPECT_EQ(report.at("error").at("code"), "invalid-argument");
  EXPECT_EQ(status().at("updates"), 1);
  // Given again, it is still the same line that stands in the way.
  const Outcome again = run(forgetting({}));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(has(again.err, "line 3:")) << again.err;
  EXPECT_TRUE(has(again.out, "done before  1 of 3")) << again.out;
  EXPECT_EQ(status().at("graphs"), 60);

  const Outcome dry = run(forgetting({"--dry-run"}));
  EXPECT_EQ(dry.exit_code, 1);
  EXPECT_TRUE(has(dry.err, "requests.jsonl, line 1:")) << dry.err;
}

TEST_F(ForgetList, SkipsRefusedLinesIfTold) {
  const std::string good = request_text(ForgetNode{std::size_t{0}, std::size_t{1}}) + '\n';
  static_cast<void>(write(good + good + request_text(ForgetSubject{"nobody"}) + '\n' +
                          request_text(ForgetGraph{std::size_t{4}}) + '\n'));
  const Outcome outcome = run(forgetting({"--skip-refused", "--openings", path("openings.jsonl"), "--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  const nlohmann::json report = outcome.json();
  EXPECT_EQ(report.at("honoured"), 2);
  ASSERT_EQ(report.at("refused").size(), 2u);
  EXPECT_EQ(report.at("refused")[0].at("line"), 2);
  EXPECT_EQ(report.at("refused")[1].at("line"), 3);
  EXPECT_EQ(report.at("refused")[1].at("code"), "not-found");
  EXPECT_EQ(status().at("graphs"), 59);
  const std::string openings = testing::read_whole_file(path("openings.jsonl"));
  EXPECT_TRUE(has(openings, R"("request":{"forget":"graph","graph":4})")) << openings;
  EXPECT_FALSE(has(openings, "nobody"));
}

TEST_F(ForgetList, AFileThatIsWrongChangesNothing) {
  const nlohmann::json before = status();
  static_cast<void>(write(request_text(ForgetGraph{std::size_t{4}}) + "\n{\"forget\": \"everything\"}\n"));
  const Outcome malformed = run(forgetting({}));
  EXPECT_EQ(malformed.exit_code, 1);
  EXPECT_TRUE(has(malformed.err, "requests.jsonl")) << malformed.err;
  EXPECT_TRUE(has(malformed.err, "line 2")) << malformed.err;
  static_cast<void>(write("\n"));
  EXPECT_TRUE(has(run(forgetting({})).err, "holds no request"));
  EXPECT_EQ(forget({"--requests", path("none.jsonl")}).exit_code, 1);
  EXPECT_EQ(status(), before);
}

TEST_F(ForgetList, AllWrongLinesAreReportedAtOnceAndNothingIsBegun) {
  const nlohmann::json before = status();
  const std::string good = request_text(ForgetNode{std::size_t{0}, std::size_t{1}}) + '\n';
  std::string lines = good + "{}\n" + good + "nonsense\n";
  static_cast<void>(write(lines));
  const Outcome outcome = run(forgetting({"--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "2 wrong lines; nothing was changed.\n  line 2: \"forget\" is missing\n  line 4: "))
      << outcome.err;
  EXPECT_EQ(outcome.json().at("refused").size(), 2u);
  EXPECT_EQ(outcome.json().at("refused")[1].at("line"), 4);
  EXPECT_EQ(outcome.json().at("honoured"), 0);
  EXPECT_EQ(status(), before);

  for (int i = 0; i < 150; ++i) lines += "{}\n";
  static_cast<void>(write(lines));
  const Outcome many = run(forgetting({}));
  EXPECT_TRUE(has(many.err, "152 wrong lines")) << many.err;
  EXPECT_TRUE(has(many.err, "and 52 more; --json names all")) << many.err;
  EXPECT_EQ(std::count(many.err.begin(), many.err.end(), '\n'), 103);
}

TEST_F(ForgetList, WrongLinesAreSkippedWithTheRefusedOnesAndNamed) {
  const std::string good = request_text(ForgetNode{std::size_t{0}, std::size_t{1}}) + '\n';
  static_cast<void>(write(good + "{}\n" + good + request_text(ForgetGraph{std::size_t{4}}) + "\n"));
  const Outcome outcome = run(forgetting({"--skip-refused", "--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  const nlohmann::json report = outcome.json();
  EXPECT_EQ(report.at("requests"), 4);
  EXPECT_EQ(report.at("honoured"), 2);
  ASSERT_EQ(report.at("refused").size(), 2u);
  EXPECT_EQ(report.at("refused")[0].at("line"), 2);
  EXPECT_EQ(report.at("refused")[0].at("code"), "malformed-input");
  EXPECT_EQ(report.at("refused")[1].at("line"), 3);
  EXPECT_TRUE(has(outcome.err, "2 of 4 requests refused")) << outcome.err;
  EXPECT_EQ(status().at("graphs"), 59);
}

TEST_F(ForgetList, ASpreadsheetIsAListToo) {
  const std::string person = groups().graphs[3].node_id(0);
  folder_.write("people.csv", "\xef\xbb\xbfsubject;reason\r\n" + person + ";\"moved; no address\"\r\n");
  const nlohmann::json report =
      document({"forget", "--workspace", workspace(), "--requests", path("people.csv"), "--openings", path("o.jsonl")});
  EXPECT_EQ(report.at("honoured"), 1);
  EXPECT_TRUE(has(testing::read_whole_file(path("o.jsonl")), request_text(ForgetSubject{person})));
}

// A reason may name somebody.  It is nowhere, unless somebody asks for it, and then only in the private file.
TEST_F(ForgetList, FieldsOfOnesOwnAreKeptOnlyInOpeningsAndOnlyIfAsked) {
  const std::string secret = "QZXJ-moved-away";
  std::string lines;
  for (const std::size_t graph : {0u, 1u, 1u, 2u}) {
    lines += "{\"forget\": \"graph\", \"graph\": " + std::to_string(graph) + ", \"reason\": \"" + secret +
             std::to_string(graph) + "\", \"ticket\": 7, \"clerk\": \"QZXJ\"}\n";
  }
  static_cast<void>(write(lines));
  const Outcome outcome = run(forgetting({"--skip-refused", "--batch", "2", "--openings", path("o.jsonl"), "--receipts",
                                          path("r.jsonl"), "--keep-fields", "reason,ticket"}));
  EXPECT_TRUE(has(outcome.err, "1 of 4 requests refused")) << outcome.err;
  const std::string openings = testing::read_whole_file(path("o.jsonl"));
  for (const std::size_t graph : {0u, 1u, 2u}) {
    EXPECT_TRUE(has(openings, R"("fields":{"reason":")" + secret + std::to_string(graph) +
                                  R"(","ticket":7},"request":{"forget":"graph","graph":)" + std::to_string(graph) +
                                  "}"))
        << openings;
  }
  EXPECT_FALSE(has(openings, "clerk"));
  EXPECT_FALSE(has(testing::read_whole_file(path("r.jsonl")), secret));
  EXPECT_FALSE(has(testing::read_whole_file(workspace()), secret));
  EXPECT_FALSE(has(outcome.out, secret));
}

// What was forgotten once can be forgotten again, in a workspace that was trained from raw data.
TEST_F(ForgetList, OpeningsAreRequestsToo) {
  ASSERT_EQ(forget({"--graph", "5", "--openings", path("o.jsonl")}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "6", "--openings", path("o.jsonl")}).exit_code, 0);
  std::vector<std::string> train = {"train", "--data", data(), "--workspace", path("again.unscatter")};
  const std::vector<std::string> quick = testing::SmallWorkspace::quick();
  train.insert(train.end(), quick.begin(), quick.end());
  EXPECT_EQ(document(train).at("graphs"), 60);
  EXPECT_EQ(document({"forget", "--workspace", path("again.unscatter"), "--requests", path("o.jsonl")}).at("honoured"),
            2);
  EXPECT_EQ(document({"status", "--workspace", path("again.unscatter")}).at("graphs"), 58);
}

TEST_F(ForgetList, AFullDiskForReceiptsHidesNoRemoval) {
  static_cast<void>(write(nodes_of_all_groups(1)));
  const Outcome outcome = run(forgetting({"--batch", "20", "--receipts", "/dev/full", "--json"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "stopped after 20 of 60 requests, all of them in force")) << outcome.err;
  EXPECT_EQ(outcome.json().at("honoured"), 20);
  EXPECT_EQ(status().at("updates"), 1);
  EXPECT_EQ(document(forgetting({})).at("done_before"), 20);
}

TEST_F(ForgetList, GoesOnAfterAKill) {
  static_cast<void>(write(nodes_of_all_groups(2)));
  {
    const auto program = start_slowly();
    program->signal(SIGKILL);
    EXPECT_EQ(program->wait().exit_code, -1);
  }
  const std::size_t acknowledged = lines_of(path("receipts.jsonl"));
  const nlohmann::json report = document(forgetting({"--receipts", path("receipts.jsonl")}));
  const auto done_before = report.at("done_before").get<std::size_t>();
  EXPECT_GE(done_before, acknowledged);
  EXPECT_LE(done_before, acknowledged + 1);
  EXPECT_EQ(done_before + report.at("honoured").get<std::size_t>(), 120u);
  // Every update has its receipt in the file, also one whose line the kill cost.
  EXPECT_EQ(report.at("receipts_of_earlier_runs"), done_before - acknowledged);
  EXPECT_EQ(lines_of(path("receipts.jsonl")), status().at("updates"));
  EXPECT_EQ(run({"verify", "--workspace", workspace(), "--receipt", path("receipts.jsonl")}).exit_code, 0);
  Workspace left = open(workspace());
  const Session* session = left.session().value();
  for (std::size_t g = 0; g < groups().size(); ++g) {
    EXPECT_EQ(session->graph(g)->node_count(), groups().graphs[g].node_count() - 2) << g;
  }
}

// Lines that a kill cost, planted: some are cut off the file, and one is half there.
TEST_F(ForgetList, WritesTheReceiptsThatAKillCost) {
  static_cast<void>(write(nodes_of_all_groups(1)));
  ASSERT_EQ(run(forgetting({"--batch", "10", "--receipts", path("receipts.jsonl")})).exit_code, 0);
  const std::string whole = testing::read_whole_file(path("receipts.jsonl"));
  ASSERT_EQ(lines_of(path("receipts.jsonl")), 6u);
  const std::size_t cut = whole.rfind('\n', whole.size() - 2) + 40;
  for (const std::size_t size : {std::size_t{0}, whole.find('\n') + 1, cut, whole.size()}) {
    SCOPED_TRACE(size);
    folder_.write("receipts.jsonl", whole.substr(0, size));
    const nlohmann::json report = document(forgetting({"--receipts", path("receipts.jsonl")}));
    EXPECT_EQ(report.at("done_before"), 60);
    EXPECT_EQ(testing::read_whole_file(path("receipts.jsonl")), whole);
    const auto kept =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(size), '\n'));
    EXPECT_EQ(report.at("receipts_of_earlier_runs"), 6 - kept);
  }
  // Another file gets all of them, and no receipt of another removal.
  ASSERT_EQ(forget({"--graph", "7"}).exit_code, 0);
  ASSERT_EQ(run(forgetting({"--receipts", path("other.jsonl")})).exit_code, 0);
  EXPECT_EQ(testing::read_whole_file(path("other.jsonl")), whole);
}

TEST_F(ForgetList, CtrlCFinishesTheUpdateAndSaysHowToGoOn) {
  static_cast<void>(write(nodes_of_all_groups(3)));
  const auto program = start_slowly();
  program->signal(SIGINT);
  const Outcome outcome = program->wait();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "interrupted after ")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "the same command goes on there")) << outcome.err;
  const std::size_t acknowledged = lines_of(path("receipts.jsonl"));
  EXPECT_LT(acknowledged, 180u);
  EXPECT_EQ(status().at("updates"), acknowledged);
  EXPECT_EQ(document(forgetting({})).at("done_before"), acknowledged);
}

}  // namespace
}  // namespace unscatter
