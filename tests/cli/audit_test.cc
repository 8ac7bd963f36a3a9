// unscatter audit, as a user meets it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workspace_fixture.h"

namespace unscatter {
namespace {

using testing::has;
using testing::Outcome;

class Audit : public testing::CliWorkspaceTest {
 protected:
  // Confident enough that chance does not decide: wrong in fewer than one of 10^6 runs.
  [[nodiscard]] Outcome audit(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"audit", "--draws", "4000", "--removals", "5", "--confidence", "0.999999"});
    return run(arguments);
  }
};

TEST_F(Audit, OfAWorkspacePassesAndWritesNothingToIt) {
  const std::string before = testing::read_whole_file(workspace());
  const Outcome outcome = audit({"--workspace", workspace(), "--faults", "--plot", path("a.svg")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(has(outcome.out, "game removed")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "nothing exceeds the promise")) << outcome.out;
  for (const char* line : {"control: null", "control: planted shift", "fault: stale-model", "noise: repeats"}) {
    EXPECT_TRUE(has(outcome.out, line)) << line;
  }
  EXPECT_TRUE(testing::read_whole_file(path("a.svg")).starts_with("<svg "));
  EXPECT_EQ(testing::read_whole_file(workspace()), before);
  EXPECT_EQ(status().at("published"), 0);
}

TEST_F(Audit, SaysTheSameAsADocument) {
  const Outcome outcome = audit({"--workspace", workspace(), "--games", "removed,everyone", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json document = outcome.json();
  EXPECT_TRUE(document.at("passed"));
  EXPECT_EQ(document.at("confidence"), 0.999999);
  ASSERT_EQ(document.at("games").size(), 2u);
  const nlohmann::json& removed = document.at("games").at(0);
  EXPECT_EQ(removed.at("game"), "removed");
  EXPECT_EQ(removed.at("removals"), 5);
  EXPECT_EQ(removed.at("draws"), 4000);
  EXPECT_FALSE(removed.at("exceeded"));
  EXPECT_LE(removed.at("shift_lower_bound"), removed.at("promised_shift"));
  EXPECT_EQ(removed.at("looks").at(0).at("name"), "all weights");
  EXPECT_EQ(removed.at("noise").size(), 7u);
  EXPECT_TRUE(document.at("games").at(1).at("promised_shift").is_null());
  EXPECT_EQ(document.at("controls").size(), 4u);
  EXPECT_GE(document.at("faults").size(), 6u);
  for (const nlohmann::json& fault : document.at("faults")) {
    EXPECT_TRUE(fault.at("flagged") || !fault.at("visible")) << fault;
  }
}

TEST_F(Audit, OfADataSetTrainsOneInMemory) {
  std::vector<std::string> arguments = {"--data", data(), "--noise", "1e-3", "--json"};
  const std::vector<std::string> quick = testing::SmallWorkspace::quick();
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const Outcome outcome = audit(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("games").at(0).at("noise_stddev"), 1e-3);
}

// So few draws cannot show a shift of 1 with so much confidence.  An audit whose control fails has shown nothing, and
// must not pass.
TEST_F(Audit, AFailedControlIsExitCodeOne) {
  const Outcome outcome =
      run({"audit", "--workspace", workspace(), "--draws", "1000", "--confidence", "0.999999999999", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_FALSE(outcome.json().at("passed"));
  EXPECT_TRUE(outcome.json().contains("error"));
  EXPECT_TRUE(has(outcome.err, "planted shift")) << outcome.err;
}

TEST_F(Audit, WrongUsageIsSaidAtOnce) {
  EXPECT_EQ(audit({}).exit_code, 2);
  EXPECT_EQ(audit({"--workspace", workspace(), "--data", data()}).exit_code, 2);
  EXPECT_EQ(audit({"--workspace", workspace(), "--games", "chess"}).exit_code, 2);
  // It would not be what is audited.
  const Outcome misplaced = audit({"--workspace", workspace(), "--noise", "1"});
  EXPECT_EQ(misplaced.exit_code, 2);
  EXPECT_TRUE(has(misplaced.err, "--noise")) << misplaced.err;
  EXPECT_EQ(run({"audit", "--workspace", workspace(), "--draws", "10"}).exit_code, 1);
  EXPECT_EQ(audit({"--workspace", path("none.unscatter")}).exit_code, 1);
}

}  // namespace
}  // namespace unscatter
