// A sharded workspace whose process is killed anywhere between the first write of an update and its end.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "crash/kill_points.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter::testing {
namespace {

namespace fs = std::filesystem;

using FolderContent = std::map<std::string, std::string>;

FolderContent content_of(const fs::path& folder) {
  FolderContent content;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    content[entry.path().filename().string()] = std::move(text).str();
  }
  return content;
}

void put_back(const fs::path& folder, const FolderContent& content) {
  fs::remove_all(folder);
  fs::create_directory(folder);
  for (const auto& [name, text] : content) std::ofstream(folder / name, std::ios::binary) << text;
}

// 14 graphs in shards of 4 slots.
WorkspaceSetup small_shards() {
  WorkspaceSetup setup = small_setup();
  setup.shards.slots_per_shard = 4;
  return setup;
}

class ShardedKill : public ::testing::Test {
 protected:
  ShardedKill() {
    // A workspace in one file says what every step leads to.
    references_ = undisturbed_run(folder_.path() / "one.unscatter", [] {});
    static_cast<void>(Workspace::create(path(), small_shards(), small_options()).value());
    before_.push_back(content_of(path()));
    for (const Step& step : small_steps()) {
      {
        Workspace workspace = Workspace::open(path(), small_options()).value();
        static_cast<void>(carry_out(workspace, step).value());
      }
      before_.push_back(content_of(path()));
    }
  }

  [[nodiscard]] fs::path path() const { return folder_.path() / "w"; }

  TemporaryFolder folder_;
  References references_;
  std::vector<FolderContent> before_;  // the i-th: before step i
};

TEST_F(ShardedKill, EveryStepLeadsWhereASingleFileGets) {
  for (std::size_t step = 0; step < before_.size(); ++step) {
    SCOPED_TRACE(step);
    put_back(path(), before_[step]);
    ASSERT_EQ(before_[step].size(), 5u) << "a manifest and four shards, and no log";
    const Inspection found = inspect(path(), references_, step);
    EXPECT_EQ(found.fault, "");
    EXPECT_EQ(found.steps, step);
    EXPECT_EQ(verification_fault(path()), "");
  }
}

TEST_F(ShardedKill, AfterEveryKillAllOfAnUpdateIsThereOrNothing) {
  std::size_t kills = 0;
  std::size_t finished_later = 0;  // decided, and a shard had to follow at the next opening
  std::size_t undone = 0;          // prepared in a shard, and not decided
  for (std::size_t step = 0; step < small_steps().size(); ++step) {
    for (const bool half : {false, true}) {
      // Another phase in every step, so that every kind of call is met.
      for (std::size_t at = (step + (half ? 1 : 0)) % 3;; at += kSanitized ? 21 : half ? 9 : 3) {
        SCOPED_TRACE(::testing::Message() << "step " << step << ", call " << at << (half ? ", half" : ""));
        put_back(path(), before_[step]);
        const KilledRun run = run_and_kill({at, half}, [&](const Acknowledge& acknowledge) -> Status {
          UNSCATTER_TRY(workspace, Workspace::open(path(), small_options()));
          UNSCATTER_CHECK_OK(carry_out(workspace, small_steps()[step]));
          acknowledge();
          return ok_status();
        });
        ASSERT_FALSE(run.failed);
        if (!run.killed) break;
        ++kills;
        std::size_t logs = 0;
        for (const auto& [name, text] : content_of(path())) {
          logs += name.starts_with("shard") && name.ends_with("-wal") && !text.empty();
        }
        const Inspection found = inspect(path(), references_, step + run.acknowledged);
        ASSERT_EQ(found.fault, "");
        if (logs > 0 && run.acknowledged == 0) ++(found.steps > step ? finished_later : undone);
        if (kills % 4 == 0) {
          ASSERT_EQ(verification_fault(path()), "");
          ASSERT_EQ(continuation_fault(path(), references_, found.steps, 1), "");
        }
        for (const auto& [name, text] : content_of(path())) {
          ASSERT_TRUE(!name.ends_with("-wal") || text.empty()) << name;
        }
      }
    }
  }
  RecordProperty("kills", std::to_string(kills));
  std::printf("%zu kills: %zu updates were finished and %zu undone by the next opening\n", kills, finished_later,
              undone);
  EXPECT_GE(kills, kSanitized ? 60u : 300u);
  EXPECT_GT(finished_later, 0u);
  EXPECT_GT(undone, 0u);
}

}  // namespace
}  // namespace unscatter::testing
