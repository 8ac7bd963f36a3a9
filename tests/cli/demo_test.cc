// unscatter demo, as a newcomer meets it.
#include <gtest/gtest.h>

#include "subprocess.h"

namespace unscatter {
namespace {

using testing::Outcome;
using testing::run_program;

TEST(Demo, ForgetsAUserAndChecksThatNothingIsLeft) {
  const Outcome outcome = run_program({"demo", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json document = outcome.json();
  EXPECT_EQ(document.at("groups"), 1000);
  const nlohmann::json& forgotten = document.at("forgotten");
  EXPECT_GT(forgotten.at("groups"), 1);
  EXPECT_EQ(forgotten.at("identical"), forgotten.at("groups"));
  EXPECT_GT(forgotten.at("largest_change"), 0.0);  // the user did matter before
}

TEST(Demo, TellsAStory) {
  const Outcome outcome = run_program({"demo"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* word : {"generate", "embed", "forget", "bit for bit"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << outcome.out;
  }
  EXPECT_TRUE(outcome.err.empty()) << outcome.err;
}

}  // namespace
}  // namespace unscatter
