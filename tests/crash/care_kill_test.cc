// Compacting, copying and upgrading, killed at any moment: the file is the old one or the new one, and good.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "crash/driver_process.h"
#include "crash/plain_database.h"
#include "crash/small_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/store/verify.h"

namespace unscatter::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCareKills = kSanitized ? 8 : 40;

class KilledCare : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path path() const { return folder_.path() / "w.unscatter"; }

  // Starts the driver, lets it get somewhere, and kills it.
  void kill_during(const std::vector<std::string>& arguments) {
    DriverProcess driver(arguments);
    static_cast<void>(driver.line());  // once through
    if (longest_ == std::chrono::nanoseconds::zero()) {
      const auto begin = std::chrono::steady_clock::now();
      static_cast<void>(driver.line());
      longest_ = std::max<std::chrono::nanoseconds>(std::chrono::milliseconds(20),
                                                    2 * (std::chrono::steady_clock::now() - begin));
    }
    std::this_thread::sleep_for(longest_ * random_.unit());
    driver.kill();
  }

  // In every file of the folder.
  [[nodiscard]] std::size_t occurrences(const std::string& trace) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      count += read_whole_file(entry.path()).find(trace) != std::string::npos ? 1u : 0u;
    }
    return count;
  }
  static void expect_sound(const fs::path& file) {
    const auto found = check_workspace(file, {});
    ASSERT_TRUE(found.ok()) << found.error().message;
    for (const Check& check : found->checks) ASSERT_TRUE(check.passed) << check.name << ": " << check.detail;
  }

  TemporaryFolder folder_;
  Sequence random_{53};
  std::chrono::nanoseconds longest_{0};  // until a kill: at least twice what the work takes on this machine
};

TEST_F(KilledCare, ACompactionLeavesTheWorkspaceWhole) {
  std::size_t seen = 0;
  const References references = without_state(undisturbed_run(path(), [&] { seen += occurrences("group-3"); }));
  ASSERT_GT(seen, 0u) << "the scan cannot see a graph that is there";
  std::size_t in_the_middle = 0;
  for (std::size_t kill = 0; kill < kCareKills; ++kill) {
    SCOPED_TRACE(kill);
    kill_during({"compact", path()});
    std::error_code none;
    const auto log = fs::file_size(path().string() + "-wal", none);
    if (!none && log > 0) ++in_the_middle;
    expect_sound(path());
    ASSERT_EQ(without_state({state_of(path()).value()}).front(), references.back());
    // A graph that was removed long ago.
    ASSERT_EQ(occurrences("group-3"), 0u);
  }
  // Few kills under sanitizers, which also make everything before the writing slower.
  if (!kSanitized) {
    EXPECT_GT(in_the_middle, 0u) << "no kill came while it was writing";
  }
}

TEST_F(KilledCare, ACopyIsWholeOrNotThere) {
  static_cast<void>(undisturbed_run(path(), [] {}));
  const fs::path copy = folder_.path() / "copy.unscatter";
  const Digest head = [&] { return Workspace::open(path(), small_options()).value().info().head; }();
  std::size_t in_the_middle = 0;
  for (std::size_t kill = 0; kill < kCareKills; ++kill) {
    SCOPED_TRACE(kill);
    if (random_.chance(0.3)) fs::remove(copy);
    kill_during({"backup", path(), copy});
    if (fs::exists(copy.string() + ".unfinished")) ++in_the_middle;
    ASSERT_TRUE(fs::exists(copy));
    expect_sound(copy);
    expect_sound(path());
    ASSERT_EQ(occurrences("group-3"), 0u);
    ASSERT_EQ(Workspace::open(copy, small_options()).value().info().head, head);
  }
  // Few kills under sanitizers, which also make everything before the writing slower.
  if (!kSanitized) {
    EXPECT_GT(in_the_middle, 0u) << "no kill came while it was writing";
  }
  // The next copy puts away what the last kill left.
  WorkspaceOptions reading = small_options();
  reading.read_only = true;
  ASSERT_TRUE(Workspace::open(path(), reading).value().backup(copy, {.replace = true}).ok());
  EXPECT_FALSE(fs::exists(copy.string() + ".unfinished"));
  EXPECT_FALSE(fs::exists(copy.string() + ".unfinished-journal"));
}

// The planted fault: a copy that is written under its own name.
TEST_F(KilledCare, HalfACopyIsCaught) {
  static_cast<void>(undisturbed_run(path(), [] {}));
  const std::string whole = read_whole_file(path());
  std::size_t caught = 0;
  for (std::size_t part = 1; part < 8; ++part) {
    const fs::path copy = folder_.write("half", whole.substr(0, whole.size() * part / 8));
    const auto found = check_workspace(copy, {});
    if (found.ok() && !found->passed) ++caught;
  }
  EXPECT_EQ(caught, 7u);
}

TEST_F(KilledCare, AnUpgradeIsDoneOrNot) {
  const fs::path old_files = UNSCATTER_OLD_WORKSPACES;
  const fs::path key = folder_.path() / "signing.key";
  fs::copy_file(old_files / "signing.key", key);
  fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
  const std::string old_file = read_whole_file(old_files / "release.unscatter");
  // The weights of a model to which no entry commits: an upgrade erases them.
  const std::vector<std::string> published = [&] {
    folder_.write("w.unscatter", old_file);
    PlainDatabase database(path());
    return database.column("SELECT hex(substr(weights, 1, 64)) FROM published");
  }();
  ASSERT_EQ(published.size(), 1u);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < published[0].size(); i += 2) {
    bytes += static_cast<char>(std::stoi(published[0].substr(i, 2), nullptr, 16));
  }
  fs::remove(path());
  folder_.write("w.unscatter", old_file);
  ASSERT_EQ(occurrences(bytes), 1u);

  const auto begin = std::chrono::steady_clock::now();
  {
    DriverProcess driver({"upgrade", path(), key});
    ASSERT_EQ(driver.wait(), 0);
  }
  const auto usual = std::chrono::steady_clock::now() - begin;
  std::size_t untouched = 0;
  std::size_t upgraded = 0;
  for (std::size_t kill = 0; kill < kCareKills; ++kill) {
    SCOPED_TRACE(kill);
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path().string() + suffix);
    folder_.write("w.unscatter", old_file);
    {
      DriverProcess driver({"upgrade", path(), key});
      if (kill % 6 == 0) static_cast<void>(driver.line());
      if (kill % 6 > 1) std::this_thread::sleep_for(usual * random_.unit());
      driver.kill();
    }
    expect_sound(path());
    WorkspaceOptions how = small_options();
    how.key = nullptr;
    const std::uint32_t format = Workspace::open(path(), how).value().info().format;
    ++(format == 2 ? upgraded : untouched);
    if (format == 2) {
      ASSERT_EQ(occurrences(bytes), 0u);
    }
    how.key = std::make_shared<const SigningKey>(SigningKey::load(key).value());
    ASSERT_EQ(upgrade_workspace(path(), how).value().to, 2u);
    expect_sound(path());
    ASSERT_EQ(occurrences(bytes), 0u);
  }
  EXPECT_GT(untouched, 0u);
  EXPECT_GT(upgraded, 0u);
}

}  // namespace
}  // namespace unscatter::testing
