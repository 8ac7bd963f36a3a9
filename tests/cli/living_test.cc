// unscatter add and unscatter correct, as a user meets them.
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/utc_time.h"
#include "support/temporary_folder.h"
#include "unscatter/store/request_text.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Living : public testing::CliWorkspaceTest {
 protected:
  // Two more groups, in the form of the data that the workspace learned from.
  [[nodiscard]] std::string more() const {
    const std::string name = path("more.jsonl");
    std::ofstream file(name);
    for (const int g : {0, 1}) {
      file << R"({"id": "new-)" << g << R"(", "label": ")" << groups().class_names[0]
           << R"(", "nodes": ["n1", "n2", "n3", "n)" << 4 + g << R"("], "edges": [[0, 1], [1, 2], [2, 3]]})"
           << "\n";
    }
    return name;
  }
};

TEST_F(Living, AddsGraphsThatCanBeForgottenAgain) {
  const auto before = status();
  const std::string digest = state_digest(workspace());
  const Outcome dry = run({"add", "--workspace", workspace(), "--data", more(), "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_TRUE(has(dry.out, "would add")) << dry.out;
  EXPECT_TRUE(has(dry.out, "Nothing was changed.")) << dry.out;
  EXPECT_EQ(state_digest(workspace()), digest);

  const auto added = document({"add", "--workspace", workspace(), "--data", more(), "--receipt", path("r.json"),
                               "--openings", path("o.jsonl")});
  EXPECT_EQ(added.at("edits").at("graphs_added"), 2);
  EXPECT_EQ(added.at("edits").at("nodes_added"), 8);
  EXPECT_EQ(added.at("requests").at("graphs"), 2);
  EXPECT_EQ(added.at("receipt").at("kind"), "added");
  EXPECT_TRUE(added.at("certificate").at("satisfied").get<bool>());
  EXPECT_NE(added.at("certificate").at("rung"), "retrain");
  EXPECT_EQ(status().at("graphs").get<std::size_t>(), before.at("graphs").get<std::size_t>() + 2);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
  EXPECT_EQ(run({"verify", "--receipt", path("r.json"), "--workspace", workspace()}).exit_code, 0);
  const Outcome entry = run({"certificate", "--workspace", workspace()});
  EXPECT_TRUE(has(entry.out, "added 2 graphs")) << entry.out;

  const Outcome again = run({"add", "--workspace", workspace(), "--data", more()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(has(again.err, "'new-0' already")) << again.err;
  EXPECT_EQ(forget({"--graph", "new-0"}).exit_code, 0);
  EXPECT_EQ(forget({"--subject", "n5"}).exit_code, 0);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
}

TEST_F(Living, EveryCorrectionDoesWhatTheLibraryDoes) {
  const Graph& graph = groups().graphs[5];
  NodeIndex from = 0;
  while (graph.degree(from) == 0) ++from;
  const std::string edge = std::to_string(from) + "," + std::to_string(graph.neighbours(from)[0]);
  const std::string other = groups().class_names[1 - groups().labels[6]];
  for (const std::vector<std::string>& what : {std::vector<std::string>{"--graph", "5", "--drop-edge", edge},
                                               {"--graph", "5", "--add-edge", edge},
                                               {"--graph", groups().graph_ids[6], "--label", other}}) {
    std::vector<std::string> words = {"correct", "--workspace", workspace()};
    words.insert(words.end(), what.begin(), what.end());
    const auto done = document(words);
    EXPECT_EQ(done.at("receipt").at("kind"), "corrected");
    EXPECT_EQ(done.at("edits").at("graphs_edited"), 1);
  }
  Workspace opened = open(workspace());
  const Dataset left = opened.session().value()->remaining();
  EXPECT_EQ(left.graphs[5], graph);
  EXPECT_EQ(left.class_names[left.labels[6]], other);
}

TEST_F(Living, AListOfCorrectionsIsOneUpdateAndItsOpeningsCanBeChecked) {
  const std::string other = groups().class_names[1 - groups().labels[3]];
  const std::string line = request_text(Correction(SetLabel{3u, other}));
  const std::string list = path("list.jsonl");
  std::ofstream(list) << line << "\n" << request_text(Correction(AddEdge{0u, 0u, 0u})) << "\n";
  const Outcome refused = run({"correct", "--workspace", workspace(), "--requests", list});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "list.jsonl:2")) << refused.err;
  EXPECT_EQ(status().at("updates"), 0);

  std::ofstream(list, std::ios::trunc) << line << "\n";
  const auto done = document({"correct", "--workspace", workspace(), "--requests", list, "--openings", path("o.jsonl"),
                              "--receipt", path("r.json")});
  EXPECT_EQ(done.at("entry"), 1);
  const auto opening = nlohmann::json::parse(testing::read_whole_file(path("o.jsonl")));
  const auto verify = [&](const std::string& request) {
    return run({"verify", "--receipt", path("r.json"), "--workspace", workspace(), "--request", request, "--salt",
                opening.at("salt").get<std::string>()})
        .exit_code;
  };
  EXPECT_EQ(verify(line), 0);
  EXPECT_EQ(verify(request_text(Correction(SetLabel{4u, other}))), 1);
}

// A date by option, by the data, or none: the earlier of two counts, and only new graphs get one.
TEST_F(Living, NewGraphsAreKeptNoLongerThanAsked) {
  const std::string name = path("dated.jsonl");
  std::ofstream(name) << R"({"id": "early", "label": ")" << groups().class_names[0]
                      << R"(", "nodes": ["n1", "n2"], "edges": [[0, 1]], "expires": "2027-03-01"})"
                      << "\n"
                      << R"({"id": "late", "label": ")" << groups().class_names[0]
                      << R"(", "nodes": ["n1", "n3"], "edges": [[0, 1]], "expires": "2099-03-01"})"
                      << "\n";
  static_cast<void>(document({"add", "--workspace", workspace(), "--data", name, "--expires", "2040-01-01"}));
  const auto dates = [&] {
    std::map<std::string, std::string> found;
    const auto until = document({"expire", "--workspace", workspace(), "--until", "2100-01-01", "--dry-run"});
    for (const auto& date : until.at("due")) found[date.at("graph").dump()] = date.at("due");
    return found;
  };
  EXPECT_EQ(dates(),
            (std::map<std::string, std::string>{{"60", "2027-03-01T00:00:00Z"}, {"61", "2040-01-01T00:00:00Z"}}));
  EXPECT_EQ(status().at("due").at("dates"), 2);

  // Counted from now: before the first date of the others.
  const auto before = std::time(nullptr);
  static_cast<void>(document({"add", "--workspace", workspace(), "--data", more(), "--keep-for", "36h"}));
  const auto after = std::time(nullptr);
  ASSERT_EQ(dates().size(), 4u);
  EXPECT_EQ(dates().at("62"), dates().at("63"));
  EXPECT_GE(dates().at("62"), utc_text(before + std::int64_t{36} * 3600));
  EXPECT_LE(dates().at("62"), utc_text(after + std::int64_t{36} * 3600));

  // What is due goes, with its date.
  static_cast<void>(document({"expire", "--workspace", workspace(), "--until", "2030-01-01"}));
  EXPECT_EQ(status().at("graphs"), 61);
  EXPECT_EQ(dates(), (std::map<std::string, std::string>{{"61", "2040-01-01T00:00:00Z"}}));
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
}

// Every line of the openings file shows, with its own salt, what it is about, and with no other one.
TEST_F(Living, OpeningsOfAnAdditionCanBeChecked) {
  static_cast<void>(document({"add", "--workspace", workspace(), "--data", more(), "--receipt", path("r.json"),
                              "--openings", path("o.jsonl")}));
  std::istringstream lines(testing::read_whole_file(path("o.jsonl")));
  std::vector<nlohmann::json> openings;
  for (std::string line; std::getline(lines, line);) openings.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(openings.size(), 2u);
  const auto verify = [&](const nlohmann::json& request, const nlohmann::json& salt) {
    return run({"verify", "--receipt", path("r.json"), "--workspace", workspace(), "--request", request.dump(),
                "--salt", salt.get<std::string>()});
  };
  for (std::size_t i = 0; i < openings.size(); ++i) {
    const Outcome shown = verify(openings[i].at("request"), openings[i].at("salt"));
    EXPECT_EQ(shown.exit_code, 0) << shown.out << shown.err;
    EXPECT_TRUE(has(shown.out, "the addition of graph 'new-")) << shown.out;
    EXPECT_EQ(verify(openings[i].at("request"), openings[1 - i].at("salt")).exit_code, 1);
    nlohmann::json other = openings[i].at("request");
    other["content"] = std::string(64, '0');
    EXPECT_EQ(verify(other, openings[i].at("salt")).exit_code, 1);
    other["content"] = "no digest";
    EXPECT_EQ(verify(other, openings[i].at("salt")).exit_code, 1);
  }
}

}  // namespace
}  // namespace unscatter
