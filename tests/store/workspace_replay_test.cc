// A restored backup is brought up to date.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "store/rollback_record.h"
#include "store/sample_workspace.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

std::vector<Opening> openings_from(const Forgotten& done) {
  std::vector<Opening> openings;
  for (std::size_t i = 0; i < done.salts.size(); ++i) {
    openings.push_back({done.entry.sequence, done.entry.commitments[i], done.requests[i], done.salts[i]});
  }
  return openings;
}

// Salts as they are drawn, from a seed.
struct SeededSalt {
  Salt value = [] {
    testing::SeededRandom random(9);
    return Salt::random(random);
  }();
};

class Replaying : public ::testing::Test {
 protected:
  Replaying() { sample_.keep_record(); }

  void forget(const std::vector<RemovalRequest>& requests) {
    Workspace workspace = sample_.open();
    const std::vector<Opening> made = openings_from(workspace.forget(requests).value());
    openings_.insert(openings_.end(), made.begin(), made.end());
  }
  void release() const { ASSERT_TRUE(sample_.open().release(true).ok()); }

  SampleWorkspace sample_;
  std::vector<Opening> openings_;
};

TEST_F(Replaying, HonoursEveryRequestAgainAndKeepsTheCount) {
  { const Workspace created = sample_.create(); }
  forget({ForgetNode{5u, 0u}});
  const std::string backup = sample_.bytes();
  forget({ForgetNode{0u, 1u}, ForgetGraph{3u}});
  release();
  forget({ForgetGraph{4u}});
  release();
  const WorkspaceInfo newest = sample_.open().info();
  const std::vector<Graph> left = sample_.open().session().value()->remaining().graphs;

  sample_.replace(backup);
  {
    Workspace workspace = sample_.open();
    ASSERT_TRUE(workspace.info().outdated.has_value());
    const Forgotten again = workspace.replay(openings_).value();
    EXPECT_EQ(again.entry.kind, EntryKind::kReplayed);
    EXPECT_EQ(again.entry.sequence, 2u);
    EXPECT_EQ(again.entry.supersedes, newest.head);
    EXPECT_EQ(again.entry.requests.total(), 3u);
    EXPECT_EQ(again.entry.published, 2u);
    EXPECT_EQ(again.receipt.kind, EntryKind::kReplayed);
    // It goes on at once, and counts on from where the lost file was.
    EXPECT_EQ(workspace.release().value().release_number, 3u);
  }
  Workspace workspace = sample_.open();
  EXPECT_FALSE(workspace.info().outdated.has_value());
  EXPECT_EQ(workspace.session().value()->remaining().graphs, left);
  EXPECT_EQ(workspace.info().published, 3u);
  { const Workspace closed = std::move(workspace); }
  const Verification verification = sample_.verify({.retrain = true});
  EXPECT_TRUE(verification.passed) << testing::all_details(verification);
}

// Releases that a copy does not know stay counted, whether or not there is something to remove.
TEST_F(Replaying, CountsReleasesWithoutAnyRequest) {
  { const Workspace created = sample_.create(); }
  const std::string backup = sample_.bytes();
  release();
  release();
  sample_.replace(backup);
  {
    Workspace workspace = sample_.open();
    const Forgotten again = workspace.replay({}).value();
    EXPECT_EQ(again.entry.requests.total(), 0u);
    EXPECT_EQ(again.entry.published, 2u);
    EXPECT_EQ(workspace.release().value().release_number, 3u);
  }
  EXPECT_FALSE(sample_.open().info().outdated.has_value());
  EXPECT_TRUE(sample_.verify().passed) << testing::all_details(sample_.verify());
}

TEST_F(Replaying, NeedsEveryOpening) {
  { const Workspace created = sample_.create(); }
  const std::string backup = sample_.bytes();
  forget({ForgetNode{0u, 1u}, ForgetGraph{3u}});
  forget({ForgetGraph{4u}});
  sample_.replace(backup);
  const auto refused_without = [&](std::vector<Opening> openings) {
    Workspace workspace = sample_.open();
    const Result<Forgotten> again = workspace.replay(openings);
    EXPECT_EQ(workspace.info().entries, 1u);
    // Still refused afterwards.
    EXPECT_EQ(workspace.release().error().code, ErrorCode::kOutdated);
    return again.ok() ? std::string() : again.error().message;
  };
  for (std::size_t i = 0; i < openings_.size(); ++i) {
    std::vector<Opening> fewer = openings_;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(refused_without(fewer).find("are missing"), std::string::npos) << i;
    // Another request under the commitment of the right one.
    std::vector<Opening> other = openings_;
    other[i].request = ForgetGraph{9u};
    EXPECT_NE(refused_without(other).find("are missing"), std::string::npos) << i;
    std::vector<Opening> moved = openings_;
    moved[i].entry += 1;
    EXPECT_NE(refused_without(moved).find("are missing"), std::string::npos) << i;
  }
  // Lines of an update that never was do not disturb.
  std::vector<Opening> more = openings_;
  SeededSalt salt;
  for (const std::ptrdiff_t at : {3, 0}) {
    const RemovalRequest request = ForgetGraph{9u};
    more.insert(more.begin() + at, {1, commitment(request, salt.value), request, salt.value});
  }
  Workspace workspace = sample_.open();
  ASSERT_TRUE(workspace.replay(more).ok());
  EXPECT_TRUE(workspace.session().value()->has_graph(9));
  EXPECT_FALSE(workspace.session().value()->has_graph(4));
}

// The process ends between the commit of the replay and its line in the record.
TEST_F(Replaying, ACrashBeforeTheRecordIsMadeUpFor) {
  { const Workspace created = sample_.create(); }
  const std::string backup = sample_.bytes();
  forget({ForgetGraph{3u}});
  release();
  const std::string id = sample_.open().info().id;
  const auto path = record_path(sample_.how.record, id);
  const std::string before = testing::read_whole_file(path);
  sample_.replace(backup);
  { ASSERT_TRUE(sample_.open().replay(openings_).ok()); }
  const std::string after = testing::read_whole_file(path);
  ASSERT_NE(after, before);
  for (std::size_t size = before.size(); size <= after.size(); size += 11) {
    std::filesystem::resize_file(path, size);
    EXPECT_TRUE(sample_.verify().passed) << testing::all_details(sample_.verify());
    EXPECT_FALSE(sample_.open().info().outdated.has_value());
    EXPECT_EQ(testing::read_whole_file(path), after);
  }
}

TEST_F(Replaying, TheLostFileIsNoLongerTheOne) {
  { const Workspace created = sample_.create(); }
  const std::string backup = sample_.bytes();
  forget({ForgetGraph{3u}});
  const std::string lost = sample_.bytes();
  sample_.replace(backup);
  { ASSERT_TRUE(sample_.open().replay(openings_).ok()); }
  sample_.replace(lost);
  EXPECT_TRUE(sample_.open().info().outdated.has_value());
  EXPECT_EQ(testing::failed_checks(sample_.verify()), std::vector<std::string>{"record"});
}

TEST_F(Replaying, AnUpToDateFileHasNothingToReplay) {
  Workspace workspace = sample_.create();
  EXPECT_EQ(workspace.replay({}).error().code, ErrorCode::kInvalidArgument);
  sample_.how.record.clear();
  { const Workspace closed = std::move(workspace); }
  EXPECT_EQ(sample_.open().replay({}).error().code, ErrorCode::kInvalidArgument);
}

TEST(Openings, AreReadBackFromTheirText) {
  const RemovalRequest request = ForgetNode{std::string("gr\xc3\xa9 \"1\""), 3u};
  SeededSalt salt;
  const Opening opening{7, commitment(request, salt.value), request, salt.value};
  const std::string line = opening_text(opening);
  const std::vector<Opening> read = parse_openings(line + "\n\n" + line + "\n", "openings").value();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(opening_text(read[1]), line);
  // A salt that does not open its commitment, and what is no opening at all.
  std::string wrong = line;
  wrong[wrong.find("\"salt\":\"") + 8] ^= 1;
  for (const std::string& bad : {wrong, std::string("{}"), std::string("[1"), std::string(R"({"forget":"graph"})")}) {
    const auto refused = parse_openings(fmt::format("{}\n{}\n", line, bad), "openings");
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_NE(refused.error().message.find("openings:2"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace unscatter
