// unscatter check, backup, compact and upgrade, and disks that are full or read-only, as a user meets them.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "workspace_fixture.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;
using testing::has;
using testing::Outcome;
using testing::read_whole_file;

class Care : public testing::CliWorkspaceTest {
 protected:
  [[nodiscard]] std::string copy() const { return path("copy.unscatter"); }
  [[nodiscard]] Outcome back_up(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"backup", "--workspace", workspace(), "--to", copy()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void damage(const std::string& file) const {
    std::string bytes = read_whole_file(file);
    const std::size_t place = bytes.find(groups().graph_ids[7]);
    ASSERT_NE(place, std::string::npos);
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
  }
};

TEST_F(Care, CheckSaysWhatItLookedAt) {
  const nlohmann::json told = document({"check", "--workspace", workspace()});
  EXPECT_EQ(told.at("sound"), true);
  EXPECT_EQ(told.at("checks").size(), 12u);  // the record among them
  EXPECT_EQ(told.at("not_checked"), nlohmann::json({"signatures", "budget", "residual"}));
  const Outcome words = run({"check", "--workspace", workspace()});
  EXPECT_EQ(words.exit_code, 0);
  EXPECT_TRUE(has(words.out, "sound\n") && has(words.out, "Not looked at") && has(words.out, "unscatter verify"));
  damage(workspace());
  const Outcome damaged = run({"check", "--workspace", workspace(), "--json"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_EQ(damaged.json().at("sound"), false);
  EXPECT_TRUE(has(damaged.err, "not sound: data")) << damaged.err;
}

TEST_F(Care, ABackupTellsItsAge) {
  const std::string head = status().at("hash");
  const nlohmann::json told = document({"backup", "--workspace", workspace(), "--to", copy()});
  EXPECT_EQ(told.at("hash"), head);
  EXPECT_EQ(told.at("entries"), 1);
  EXPECT_EQ(told.at("bytes"), fs::file_size(copy()));
  struct stat file = {};
  ASSERT_EQ(::stat(copy().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
  EXPECT_EQ(run({"verify", "--workspace", copy(), "--expect-head", head}).exit_code, 0);
  const Outcome again = back_up();
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(has(again.err, "--force")) << again.err;
  // After a removal the copy is an old one, and is told to be.
  ASSERT_EQ(forget({"--graph", "5", "--openings", path("o.jsonl")}).exit_code, 0);
  const std::string later = status().at("hash");
  EXPECT_EQ(run({"verify", "--workspace", copy(), "--expect-head", later}).exit_code, 1);
  EXPECT_EQ(run({"check", "--workspace", copy()}).exit_code, 1);
  const Outcome old = run({"forget", "--workspace", copy(), "--graph", "6"});
  EXPECT_EQ(old.exit_code, 1);
  EXPECT_TRUE(has(old.err, "--replay")) << old.err;
  const Outcome of_old = run({"backup", "--workspace", copy(), "--to", path("second")});
  EXPECT_EQ(of_old.exit_code, 1);
  EXPECT_FALSE(fs::exists(path("second")));
  ASSERT_EQ(run({"forget", "--workspace", copy(), "--replay", path("o.jsonl")}).exit_code, 0);
  EXPECT_EQ(run({"check", "--workspace", copy()}).exit_code, 0);
  EXPECT_FALSE(has(read_whole_file(copy()), groups().graph_ids[5]));
  EXPECT_EQ(back_up({"--force"}).exit_code, 1) << "the workspace is now the old one of the two";
}

TEST_F(Care, ABackupWaitsForWhoeverWrites) {
  const Workspace writer = open(workspace());
  const Outcome busy = back_up({"--wait", "0"});
  EXPECT_EQ(busy.exit_code, 1);
  EXPECT_TRUE(has(busy.err, "in use") && has(busy.err, "--wait")) << busy.err;
  EXPECT_FALSE(fs::exists(copy()));
  for (const char* command : {"check", "compact", "upgrade"}) {
    const Outcome other = run({command, "--workspace", workspace(), "--wait", "0"});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_TRUE(has(other.err, "in use") && has(other.err, "--wait")) << other.err;
  }
}

TEST_F(Care, CompactSaysHowMuchItGaveBack) {
  ASSERT_EQ(forget({"--graph", "5"}).exit_code, 0);
  const std::string head = status().at("hash");
  const auto before = fs::file_size(workspace());
  const nlohmann::json told = document({"compact", "--workspace", workspace()});
  EXPECT_EQ(told.at("bytes_before"), before);
  EXPECT_EQ(told.at("bytes_after"), fs::file_size(workspace()));
  EXPECT_EQ(status().at("hash"), head);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
  EXPECT_EQ(forget({"--graph", "6"}).exit_code, 0);
  damage(workspace());
  const std::string bytes = read_whole_file(workspace());
  EXPECT_EQ(run({"compact", "--workspace", workspace()}).exit_code, 1);
  EXPECT_EQ(read_whole_file(workspace()), bytes);
}

TEST_F(Care, AWorkspaceOfVersion01GoesOn) {
  const fs::path folder = UNSCATTER_OLD_WORKSPACES;
  const std::string old = path("old.unscatter");
  fs::copy_file(folder / "release.unscatter", old);
  fs::copy_file(folder / "signing.key", path("old.key"));
  fs::permissions(path("old.key"), fs::perms::owner_read | fs::perms::owner_write);
  const std::string before = read_whole_file(old);
  EXPECT_EQ(run({"check", "--workspace", old}).exit_code, 0);
  const Outcome without = run({"upgrade", "--workspace", old});  // another key is at hand
  EXPECT_EQ(without.exit_code, 1);
  const nlohmann::json planned = document({"upgrade", "--workspace", old, "--key", path("old.key"), "--dry-run"});
  EXPECT_EQ(planned.at("from"), 1);
  EXPECT_EQ(planned.at("to"), 2);
  EXPECT_EQ(planned.at("upgraded"), false);
  EXPECT_EQ(read_whole_file(old), before);
  const nlohmann::json done = document({"upgrade", "--workspace", old, "--key", path("old.key")});
  EXPECT_EQ(done.at("upgraded"), true);
  const Outcome nothing = run({"upgrade", "--workspace", old});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_TRUE(has(nothing.out, "nothing to do")) << nothing.out;
  EXPECT_EQ(run({"check", "--workspace", old}).exit_code, 0);
  EXPECT_EQ(run({"verify", "--workspace", old}).exit_code, 0);
  const Outcome forgotten =
      run({"forget", "--workspace", old, "--graph", "12", "--node", "1", "--key", path("old.key")});
  EXPECT_EQ(forgotten.exit_code, 0) << forgotten.err;
  EXPECT_EQ(run({"verify", "--workspace", old}).exit_code, 0);
}

// A file system of its own, as small as one likes.  Mounting is for root only: elsewhere these tests are skipped.
class SmallDisk {
 public:
  SmallDisk(fs::path folder, const std::string& size) : folder_(std::move(folder)) {
    fs::create_directory(folder_);
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] fs::path file(const char* name) const { return folder_ / name; }
  // To the last byte.
  void fill() const {
    std::ofstream file(folder_ / "fill", std::ios::binary);
    const std::string block(4096, 'x');
    while (file.write(block.data(), 4096).flush()) {
    }
  }
  void free() const { fs::remove(folder_ / "fill"); }
  [[nodiscard]] bool make_read_only(bool read_only) const {
    return ::mount("tmpfs", folder_.c_str(), "tmpfs", read_only ? MS_REMOUNT | MS_RDONLY : MS_REMOUNT, nullptr) == 0;
  }

 private:
  fs::path folder_;
  bool mounted_ = false;
};

class BadDisk : public Care {
 protected:
  // Everything that changes a workspace.
  [[nodiscard]] std::vector<std::vector<std::string>> writers(const std::string& w) const {
    return {{"forget", "--workspace", w, "--graph", "6"},
            {"release", "--workspace", w, "--out", path("m.json")},
            {"renew", "--workspace", w, "--force"},
            {"compact", "--workspace", w}};
  }
  void expect_refused(const std::vector<std::string>& arguments, const std::string& part) const {
    std::vector<std::string> with_json = arguments;
    with_json.emplace_back("--json");
    const Outcome outcome = run(with_json);
    EXPECT_EQ(outcome.exit_code, 1) << arguments[0];
    EXPECT_TRUE(has(outcome.err, part)) << arguments[0] << ": " << outcome.err;
    EXPECT_EQ(outcome.json().at("error").at("code"), "io") << arguments[0] << outcome.out;
  }
};

TEST_F(BadDisk, AFullDiskIsRefusedAndChangesNothing) {
  const SmallDisk disk(path("small"), "1m");
  if (!disk.mounted()) GTEST_SKIP() << "a file system can be mounted by root only";
  const std::string w = disk.file("w.unscatter").string();
  fs::copy_file(workspace(), w);
  disk.fill();
  const std::string before = read_whole_file(w);
  for (const auto& arguments : writers(w)) {
    expect_refused(arguments, "no room");
    EXPECT_EQ(read_whole_file(w), before) << arguments[0];
    EXPECT_FALSE(fs::exists(path("m.json")));
  }
  EXPECT_TRUE(has(run({"forget", "--workspace", w, "--graph", "6"}).err, "nothing was changed"));
  // Other files that a command writes, on a full disk.
  expect_refused({"forget", "--workspace", workspace(), "--graph", "6", "--receipt", disk.file("r.json").string()},
                 "r.json");
  expect_refused({"backup", "--workspace", workspace(), "--to", disk.file("copy").string()}, "no room");
  expect_refused({"train", "--data", data(), "--workspace", disk.file("new").string(), "--features", "log-degree"},
                 "no room");
  for (const char* name : {"copy", "copy.unfinished", "new", "r.json"}) EXPECT_FALSE(fs::exists(disk.file(name)));
  EXPECT_EQ(status().at("entries"), 1);
  // Who only looks needs no room.
  for (const char* command : {"status", "check", "verify"}) {
    EXPECT_EQ(run({command, "--workspace", w}).exit_code, 0) << command;
    EXPECT_FALSE(fs::exists(w + "-shm")) << command;
  }
  disk.free();
  EXPECT_EQ(run({"forget", "--workspace", w, "--graph", "6"}).exit_code, 0);
  EXPECT_EQ(run({"verify", "--workspace", w}).exit_code, 0);
}

// The same without root: a limit on the size of files, which what the test starts inherits.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    struct rlimit now = before_;
    now.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &now), 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  struct rlimit before_ = {};
};

TEST_F(BadDisk, ALimitOnTheSizeOfFilesIsMetLikeAFullDisk) {
  const std::string before = read_whole_file(workspace());
  {
    const FileSizeLimit limit(8192);
    for (const auto& arguments : writers(workspace())) {
      // The room for a published model is taken before anything is published.
      expect_refused(arguments, arguments[0] == "release" ? "m.json" : "no room");
    }
    EXPECT_TRUE(has(forget({"--graph", "6"}).err, "nothing was changed"));
    expect_refused({"backup", "--workspace", workspace(), "--to", copy()}, "copy.unscatter.unfinished");
    expect_refused({"train", "--data", data(), "--workspace", path("new"), "--features", "log-degree"}, "no room");
  }
  EXPECT_EQ(read_whole_file(workspace()), before);
  for (const char* name : {"copy.unscatter", "copy.unscatter.unfinished", "new", "m.json"}) {
    EXPECT_FALSE(fs::exists(path(name))) << name;
  }
  EXPECT_EQ(forget({"--graph", "6"}).exit_code, 0);
  EXPECT_EQ(run({"verify", "--workspace", workspace()}).exit_code, 0);
}

TEST_F(BadDisk, AReadOnlyDiskIsReadAndNotWritten) {
  const SmallDisk disk(path("small"), "1m");
  if (!disk.mounted()) GTEST_SKIP() << "a file system can be mounted by root only";
  const std::string w = disk.file("w.unscatter").string();
  fs::copy_file(workspace(), w);
  ASSERT_TRUE(disk.make_read_only(true));
  for (const auto& arguments : writers(w)) expect_refused(arguments, "read-only file system");
  expect_refused({"train", "--data", data(), "--workspace", disk.file("new").string(), "--features", "log-degree"},
                 "Read-only file system");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"status", "--workspace", w},
                                             {"check", "--workspace", w},
                                             {"verify", "--workspace", w},
                                             {"certificate", "--workspace", w},
                                             {"graphs", "--workspace", w},
                                             {"upgrade", "--workspace", w},
                                             {"forget", "--workspace", w, "--graph", "6", "--dry-run"},
                                             {"export", "--workspace", w, "--out", path("left.jsonl")},
                                             {"backup", "--workspace", w, "--to", copy()}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments[0] << ": " << outcome.err;
  }
  ASSERT_TRUE(disk.make_read_only(false));
  EXPECT_EQ(read_whole_file(w), read_whole_file(workspace()));
  // A log that a crash left has to be written back first, which nobody can do there.
  std::ofstream(w + "-wal") << "a log";
  ASSERT_TRUE(disk.make_read_only(true));
  expect_refused({"status", "--workspace", w}, "read-only file system");
}

// The record is written after the removal is in force.  A full disk there must not make the workspace look old.
TEST_F(BadDisk, ARecordThatCannotGrowIsSaidAndMadeGood) {
  const SmallDisk disk(path("small"), "64k");
  if (!disk.mounted()) GTEST_SKIP() << "a file system can be mounted by root only";
  fs::permissions(path("small"), fs::perms::owner_all);
  fs::copy_file(key(), disk.file("signing.key"));
  testing::Environment there = environment();
  there["UNSCATTER_KEY"] = disk.file("signing.key").string();
  const auto run_there = [&](const std::vector<std::string>& arguments) {
    return testing::run_program(arguments, there);
  };
  // The record begins, and the disk is full.  Its last block has room for some lines.
  ASSERT_EQ(run_there({"forget", "--workspace", workspace(), "--graph", "0"}).exit_code, 0);
  disk.fill();
  Outcome failed;
  int graph = 1;
  for (; graph < 50 && failed.exit_code != 1; ++graph) {
    failed = run_there({"forget", "--workspace", workspace(), "--graph", std::to_string(graph)});
  }
  ASSERT_EQ(failed.exit_code, 1);
  EXPECT_TRUE(has(failed.err, "the removal is in force") && has(failed.err, "record")) << failed.err;
  // It is in force, and nothing of it is left.
  const std::string& gone = groups().graph_ids[static_cast<std::size_t>(graph - 1)];
  EXPECT_TRUE(has(read_whole_file(testing::SmallWorkspace::instance().workspace()), gone));
  EXPECT_FALSE(has(read_whole_file(workspace()), gone));
  EXPECT_EQ(run_there({"status", "--workspace", workspace()}).exit_code, 0);
  // As long as the disk is full, nothing more is removed.
  EXPECT_EQ(run_there({"forget", "--workspace", workspace(), "--graph", "55"}).exit_code, 1);
  disk.free();
  const Outcome again = run_there({"forget", "--workspace", workspace(), "--graph", "55"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(run_there({"verify", "--workspace", workspace()}).exit_code, 0);
}

}  // namespace
}  // namespace unscatter
