// The fuzz target's workspaces through the same check, where no fuzzer is at hand.  When the file format changes, make
// them anew:
//
//   UNSCATTER_WRITE_CORPUS=1 build/release/tests/store/store_tests --gtest_filter='WorkspaceCorpus.*'
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/testing/seeded_random.h"
#include "fuzz/check_workspace.h"
#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

std::filesystem::path workspace_corpus() { return std::filesystem::path(UNSCATTER_CORPUS) / "workspace"; }

// Four graphs and four entries; the same bytes whenever it is made by the same versions of this program and of SQLite.
std::string tiny_workspace() {
  WorkspaceSetup setup = testing::sample_setup(1, {}, 4);
  setup.transform.layers = 1;
  SampleWorkspace sample(std::move(setup));
  sample.how.clock = [] { return std::int64_t{1769903999}; };
  sample.how.random = [sources = std::uint64_t{0}]() mutable {
    return std::make_unique<testing::SeededRandom>(++sources);
  };
  {
    Workspace workspace = sample.create();
    const std::vector<RemovalRequest> list = {ForgetNode{0u, 1u}, ForgetGraph{1u}};
    Workspace::ListOptions one_by_one;
    one_by_one.batch = 1;
    static_cast<void>(workspace.forget_list(list, one_by_one).value());
    static_cast<void>(workspace.release().value());
  }
  return sample.bytes();
}

void write_corpus(const std::string& tiny) {
  std::filesystem::create_directories(workspace_corpus());
  const auto write = [](const char* name, std::string_view bytes) {
    std::ofstream(workspace_corpus() / name, std::ios::binary) << bytes;
  };
  write("good-tiny", tiny);
  write("bad-truncated", std::string_view(tiny).substr(0, 9000));
  write("bad-empty", "");
}

std::string check_scratch(std::string_view bytes) {
  const testing::TemporaryFolder folder(testing::memory_folder());
  std::string finding = fuzz::check_workspace(bytes, folder.path() / "scratch");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  return finding;
}

TEST(WorkspaceCorpus, IsAcceptedAsItsNamesSay) {
  if (std::getenv("UNSCATTER_WRITE_CORPUS") != nullptr) write_corpus(tiny_workspace());
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(workspace_corpus())) {
    SCOPED_TRACE(entry.path().filename());
    const std::string bytes = testing::read_whole_file(entry.path());
    EXPECT_EQ(check_scratch(bytes), "");
    const SampleWorkspace sample;
    sample.replace(bytes);
    const bool good = entry.path().filename().string().starts_with("good-");
    const Verification verification = sample.verify({.retrain = true});
    EXPECT_EQ(verification.passed, good) << testing::all_details(verification);
    EXPECT_EQ(Workspace::open(sample.path(), sample.how).ok(), good);
    EXPECT_LT(bytes.size(), 100000u);
    ++files;
  }
  EXPECT_EQ(files, 3u);
}

// A workspace that an earlier version of the program wrote stays usable.
TEST(WorkspaceCorpus, TheTinyOneGoesOn) {
  const SampleWorkspace sample;
  sample.replace(testing::read_whole_file(workspace_corpus() / "good-tiny"));
  Workspace workspace = sample.open();
  EXPECT_EQ(workspace.info().entries, 5u);  // it had four, and the upgrade is one more
  const std::vector<RemovalRequest> next = {ForgetGraph{2u}};
  EXPECT_TRUE(workspace.forget(next).ok());
}

TEST(WorkspaceCorpus, TheCheckTellsWhatCannotBeRead) {
  const SampleWorkspace sample;
  sample.fill();
  Workspace workspace = sample.open();
  EXPECT_TRUE(fuzz::read_everything(workspace));
  { const Workspace closed = std::move(workspace); }
  // A receipt that cannot be parsed is found by reading it, and by verification, which is why the check is silent.
  sample.edit("UPDATE receipts SET body = 'x' WHERE sequence = 1");
  Workspace damaged = sample.open();
  EXPECT_FALSE(fuzz::read_everything(damaged));
  { const Workspace closed = std::move(damaged); }
  EXPECT_EQ(check_scratch(sample.bytes()), "");
}

}  // namespace
}  // namespace unscatter
