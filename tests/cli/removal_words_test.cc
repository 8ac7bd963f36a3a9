// What a removal takes out, and who still knows, as a user is told.
#include "removal_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

TEST(RemovalWords, CountsAreSentences) {
  EXPECT_EQ(cli::edits_words({.graphs_edited = 2, .nodes = 2, .edges = 5}), "2 nodes, 5 edges, in 2 graphs");
  EXPECT_EQ(cli::edits_words({.graphs_edited = 1, .features = 1}), "1 node's features, in 1 graph");
  EXPECT_EQ(cli::edits_words({.graphs_removed = 1, .nodes = 9, .edges = 12}),
            "9 nodes, 12 edges, in 1 graph; 1 graph goes whole");
}

class Removals : public testing::CliWorkspaceTest {};

TEST_F(Removals, ADryRunSaysWhatWouldBeEdited) {
  const std::string subject = groups().graphs[3].node_id(0);
  std::size_t memberships = 0;
  for (const Graph& graph : groups().graphs) {
    for (std::size_t i = 0; i < graph.node_count(); ++i) memberships += graph.node_id(i) == subject ? 1U : 0U;
  }
  const std::string before = testing::read_whole_file(workspace());
  const nlohmann::json told = document({"forget", "--workspace", workspace(), "--subject", subject, "--dry-run"});
  EXPECT_EQ(told.at("edits").at("nodes"), memberships);
  EXPECT_EQ(told.at("graphs_edited"), memberships);
  EXPECT_EQ(told.at("edits_per_request").size(), 1u);
  EXPECT_EQ(testing::read_whole_file(workspace()), before);
  const Outcome done = forget({"--subject", subject, "--json"});
  EXPECT_EQ(done.json().at("graphs_edited"), memberships);

  // A list: request by request, and in sum.
  const std::string list =
      folder_.write("list.jsonl",
                    "{\"forget\":\"graph\",\"graph\":7}\n{\"forget\":\"features\",\"graph\":8,\"node\":1}\n"
                    "{\"forget\":\"node\",\"graph\":8,\"node\":2}\n");
  const std::vector<std::string> command = {"forget", "--workspace", workspace(), "--requests", list, "--dry-run"};
  const nlohmann::json sum = document(command);
  EXPECT_EQ(sum.at("edits").at("graphs_removed"), 1);
  EXPECT_EQ(sum.at("edits").at("graphs_edited"), 1);
  EXPECT_EQ(sum.at("edits").at("features"), 1);
  ASSERT_EQ(sum.at("edits_per_request").size(), 3u);
  EXPECT_EQ(sum.at("edits_per_request")[0].at("graphs_removed"), 1);
  EXPECT_EQ(sum.at("edits_per_request")[2].at("nodes"), 1);
  const Outcome words = run(command);
  EXPECT_TRUE(has(words.out, "1 would be edited, 1 would be removed")) << words.out;
  EXPECT_TRUE(has(words.out, "one by one")) << words.out;
}

TEST_F(Removals, TellWhichPublishedModelsStillKnow) {
  EXPECT_TRUE(document({"forget", "--workspace", workspace(), "--graph", "5", "--dry-run"})
                  .at("known_to")
                  .at("models")
                  .empty());
  ASSERT_EQ(run({"release", "--workspace", workspace(), "--out", path("1.json")}).exit_code, 0);
  ASSERT_EQ(run({"release", "--workspace", workspace(), "--out", path("2.json"), "--fresh"}).exit_code, 0);
  const nlohmann::json preview = document({"forget", "--workspace", workspace(), "--graph", "5", "--dry-run"});
  const Outcome words = run({"forget", "--workspace", workspace(), "--graph", "5", "--dry-run"});
  EXPECT_TRUE(has(words.out, "model 2 of ") && has(words.out, "published before this removal")) << words.out;
  const nlohmann::json told = document({"forget", "--workspace", workspace(), "--graph", "5"});
  const nlohmann::json& models = told.at("known_to").at("models");
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[1].at("model"), 2);
  EXPECT_EQ(models[1].at("entry"), 2);
  EXPECT_EQ(models, preview.at("known_to").at("models"));
  EXPECT_NEAR(models[0].at("shift").get<double>() * std::sqrt(2.0), told.at("exposure").at("shift"), 1e-6);
  // Not for outsiders.
  EXPECT_FALSE(told.at("receipt").contains("known_to"));
}

// --bound and its numbers are in the text as well.
TEST_F(Removals, TheBoundIsToldInWords) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"status"}, {"certificate"}, {"forget", "--graph", "6", "--dry-run"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--workspace", workspace()});
    const Outcome outcome = run(arguments);
    EXPECT_TRUE(has(outcome.out, "bound") && has(outcome.out, "residual at most")) << outcome.out << outcome.err;
  }
}

}  // namespace
}  // namespace unscatter
