// unscatter export, renew and retrain: ways on, as a user meets them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "unscatter/graph/read.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class WaysOn : public testing::CliWorkspaceTest {
 protected:
  // A workspace that covers so many models.
  void train(const std::string& releases, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"train",     "--data",  data(),       "--workspace",
                                          workspace(), "--force", "--releases", releases};
    const std::vector<std::string> quick = testing::SmallWorkspace::quick();
    arguments.insert(arguments.end(), quick.begin(), quick.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  [[nodiscard]] Outcome release(const char* name) const {
    return run({"release", "--workspace", workspace(), "--out", path(name), "--fresh"});
  }
};

TEST_F(WaysOn, ExportReadsBackToTheSameContent) {
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "7", "--node", "2", "--features-only"}).exit_code, 0);
  ASSERT_EQ(forget({"--graph", "9", "--node", "1"}).exit_code, 0);
  const std::string out = path("left.jsonl");
  const nlohmann::json told = document({"export", "--workspace", workspace(), "--out", out});
  EXPECT_EQ(told.at("graphs"), 59);
  EXPECT_EQ(told.at("featureless_nodes"), 1);
  const Dataset left = read_dataset(out).value();
  EXPECT_EQ(content_digest(left).hex(), told.at("digest"));
  Workspace workspace_now = open(workspace());
  EXPECT_EQ(content_digest(left), content_digest(workspace_now.session().value()->remaining()));
  struct stat file {};
  ASSERT_EQ(::stat(out.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
  // Nothing that was removed is in it.
  EXPECT_FALSE(has(testing::read_whole_file(out), "\"" + groups().graph_ids[5] + "\""));
  { const Workspace closed = std::move(workspace_now); }

  const Outcome again = run({"export", "--workspace", workspace(), "--out", out});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(has(again.err, "--force"));
  EXPECT_EQ(run({"export", "--workspace", workspace(), "--out", out, "--force"}).exit_code, 0);
  EXPECT_EQ(run({"train", "--data", out, "--workspace", path("w2"), "--features", "log-degree"}).exit_code, 0);
}

TEST_F(WaysOn, TombstonesSurviveTheExport) {
  train("5", {"--removal", "tombstone"});
  ASSERT_EQ(forget({"--graph", "9", "--node", "1"}).exit_code, 0);
  const nlohmann::json told = document({"export", "--workspace", workspace(), "--out", path("left.jsonl")});
  EXPECT_EQ(told.at("tombstones"), 1);
  const Dataset left = read_dataset(path("left.jsonl")).value();
  EXPECT_EQ(left.graphs[9].state(1), NodeState::kTombstone);
  EXPECT_EQ(content_digest(left).hex(), told.at("digest"));
}

TEST_F(WaysOn, AnOldCopyIsNotExported) {
  std::filesystem::copy_file(workspace(), path("copy"));
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  const Outcome outcome = run({"export", "--workspace", path("copy"), "--out", path("left.jsonl")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("left.jsonl")));
  EXPECT_EQ(run({"retrain", "--workspace", path("copy")}).exit_code, 1);
}

TEST_F(WaysOn, RenewGoesOnWhereReleasesRanOut) {
  train("2");
  ASSERT_EQ(release("1.json").exit_code, 0);
  // Not before the count is used up, because both counts are charged in full.
  const Outcome early = run({"renew", "--workspace", workspace()});
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_TRUE(has(early.err, "1 model left of 2")) << early.err;
  ASSERT_EQ(release("2.json").exit_code, 0);
  const Outcome out = release("3.json");
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_TRUE(has(out.err, "unscatter renew")) << out.err;

  const nlohmann::json told = document({"renew", "--workspace", workspace()});
  EXPECT_EQ(told.at("published"), 2);
  const double together = told.at("certificate").at("together").at("epsilon");
  EXPECT_GT(together, 1.0);
  EXPECT_LT(together, 2.0);
  ASSERT_EQ(release("3.json").exit_code, 0);
  const nlohmann::json model = nlohmann::json::parse(testing::read_whole_file(path("3.json")));
  EXPECT_EQ(model.at("release_number"), 3);
  EXPECT_EQ(model.at("together").at("epsilon"), together);
  EXPECT_EQ(status().at("published_in_count"), 1);
  const Outcome words = run({"status", "--workspace", workspace()});
  EXPECT_TRUE(has(words.out, "all together") && has(words.out, "for all 2 counts")) << words.out;
  EXPECT_TRUE(has(run({"certificate", "--workspace", workspace(), "--id", "3"}).out, "began another count"));
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
  // The receipt of a later removal says so too.
  ASSERT_EQ(forget({"--graph", "5", "--receipt", path("r.json")}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(testing::read_whole_file(path("r.json"))).at("together").at("epsilon"), together);
}

TEST_F(WaysOn, RetrainLearnsFromWhatIsLeftAndGoesOnCounting) {
  train("2");
  ASSERT_EQ(release("1.json").exit_code, 0);
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  const std::string head = status().at("hash");
  const nlohmann::json told = document({"retrain", "--workspace", workspace(), "--lambda", "0.01"});
  const std::string beside = path("w-2.unscatter");
  EXPECT_EQ(told.at("workspace"), beside);
  EXPECT_EQ(told.at("continues"), head);
  EXPECT_EQ(told.at("graphs"), 59);
  EXPECT_EQ(told.at("lambda"), 0.01);
  const nlohmann::json now = document({"status", "--workspace", beside});
  EXPECT_EQ(now.at("published"), 1);
  EXPECT_EQ(now.at("options").at("releases"), 2);  // what was not given stays
  EXPECT_EQ(now.at("transform"), status().at("transform"));
  EXPECT_EQ(now.at("certificate").at("earlier").size(), 1u);
  EXPECT_EQ(run({"verify", "--workspace", beside, "--retrain"}).exit_code, 0);
  const Outcome gone = run({"forget", "--workspace", beside, "--graph", "5"});
  EXPECT_EQ(gone.exit_code, 1);
  // The old one is as it was.
  EXPECT_EQ(status().at("hash"), head);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
  EXPECT_TRUE(has(run({"certificate", "--workspace", beside, "--id", "0"}).out, head));
}

TEST_F(WaysOn, RetrainReplacesTheWorkspaceOnlyIfTold) {
  const Outcome refused = run({"retrain", "--workspace", workspace(), "--out", workspace()});
  EXPECT_EQ(refused.exit_code, 1);
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  const std::string before = status().at("id");
  const Outcome done = run({"retrain", "--workspace", workspace(), "--out", workspace(), "--force"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(status().at("id"), before);
  EXPECT_EQ(status().at("graphs"), 59);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
}

// The guarantee stays the one that was chosen, unless an option says otherwise.
TEST_F(WaysOn, RetrainKeepsTheLevelOfProtection) {
  train("1", {"--protect", "everyone", "--per-subject", "1", "--ridge", "50", "--classes", "club,channel"});
  const nlohmann::json told = document({"retrain", "--workspace", workspace(), "--epsilon", "0.5"});
  EXPECT_EQ(told.at("protection"), "everyone");
  EXPECT_EQ(told.at("ridge"), 50);
  EXPECT_EQ(told.at("epsilon"), 0.5);
  EXPECT_TRUE(told.at("certificate").at("together").is_object());
}

}  // namespace
}  // namespace unscatter
