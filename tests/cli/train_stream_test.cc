// unscatter train on files that need not fit memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/sanitized.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::has;
using testing::Outcome;
using testing::SmallWorkspace;

class TrainStream : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] static std::vector<std::string> training(const std::string& data, const std::string& target,
                                                         const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train", "--data", data, "--workspace", target};
    for (const auto& part : {SmallWorkspace::quick(), more})
      arguments.insert(arguments.end(), part.begin(), part.end());
    return arguments;
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
};

TEST_F(TrainStream, GivesTheSameWorkspaceAndTheSameReport) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--classes", "club,channel,else", "--bias"}}) {
    fs::remove(path("whole"));
    fs::remove(path("streamed"));
    std::vector<std::string> with_flag = more;
    with_flag.emplace_back("--stream");
    nlohmann::json whole = document(training(data(), path("whole"), more));
    nlohmann::json streamed = document(training(data(), path("streamed"), with_flag));
    EXPECT_FALSE(whole.at("streamed"));
    EXPECT_TRUE(streamed.at("streamed"));
    for (nlohmann::json* report : {&whole, &streamed}) {
      for (const char* differs : {"id", "workspace", "seconds", "streamed"}) report->erase(differs);
    }
    EXPECT_EQ(streamed, whole);
    EXPECT_EQ(state_digest(path("streamed")), state_digest(path("whole")));
    EXPECT_EQ(run({"verify", "--workspace", path("streamed")}).exit_code, 0);
  }
}

TEST_F(TrainStream, SaysWhyItCannotBe) {
  const std::size_t before = files();
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"--train-share", "0.5"}, "--train-share"},
      {{"--public-share", "0.5"}, "--public-share"},
      {{"--protect", "everyone", "--per-subject", "1", "--ridge", "50"}, "everyone"},
      {{"--preset", "paper"}, "paper"}};
  for (const auto& [more, names] : cases) {
    SCOPED_TRACE(names);
    std::vector<std::string> options = more;
    options.emplace_back("--stream");
    const Outcome outcome = run(training(data(), path("new"), options));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(has(outcome.err, "--stream")) << outcome.err;
    EXPECT_TRUE(has(outcome.err, names)) << outcome.err;
  }
  EXPECT_EQ(files(), before);
}

TEST_F(TrainStream, ABrokenLineIsNamedAndNothingIsLeft) {
  std::ifstream in(data());
  std::ofstream out(path("broken.jsonl"));
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    out << (number == 31 ? line.substr(0, line.size() / 2) : line) << '\n';
  }
  out.close();
  const std::size_t before = files();
  const Outcome outcome = run(training(path("broken.jsonl"), path("new"), {"--stream"}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "line 31")) << outcome.err;
  EXPECT_EQ(files(), before);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Peak memory of the program, in bytes.
std::size_t peak_of(const std::vector<std::string>& arguments, const std::string& key) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("UNSCATTER_KEY", key.c_str(), 1);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    std::vector<std::string> texts = {UNSCATTER_PROGRAM};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    ::execv(UNSCATTER_PROGRAM, pointers.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage {};
  EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

// Graphs are large and rows are small.  With all graphs in memory the same bound does not hold, so it can fail.
TEST_F(TrainStream, MemoryIsThatOfRowsAndNotOfGraphs) {
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers keep freed memory";
  const fs::path data = path("large.jsonl");
  constexpr std::size_t kGraphs = 50;
  constexpr std::size_t kNodes = 30000;
  {
    std::ofstream out(data);
    for (std::size_t g = 0; g < kGraphs; ++g) {
      out << R"({"label":)" << g % 2 << R"(,"nodes":)" << kNodes << R"(,"edges":[[0,1]],"features":[)";
      for (std::size_t i = 0; i < kNodes; ++i) out << (i > 0 ? "," : "") << '[' << (i + g) % 9 << ",1,2,3,4,5,6,7]";
      out << "]}\n";
    }
  }
  // Eight numbers of eight bytes per node.
  constexpr std::size_t kGraphBytes = kGraphs * kNodes * 64;
  const std::vector<std::string> quick = {"--features", "attributes:8", "--transform", "geometric", "--scales",
                                          "1",          "--layers",     "1",           "--threads", "1"};
  std::vector<std::string> arguments = {"train", "--data", data.string(), "--workspace", path("whole")};
  arguments.insert(arguments.end(), quick.begin(), quick.end());
  const std::size_t whole = peak_of(arguments, key());
  arguments[4] = path("streamed");
  arguments.emplace_back("--stream");
  const std::size_t streamed = peak_of(arguments, key());
  EXPECT_LT(streamed, kGraphBytes * 6 / 10) << whole;
  RecordProperty("whole", static_cast<int>(whole >> 20));
  RecordProperty("streamed", static_cast<int>(streamed >> 20));
  EXPECT_GT(whole, kGraphBytes);
}

#endif

}  // namespace
}  // namespace unscatter
