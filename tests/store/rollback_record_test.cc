#include "store/rollback_record.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "store/sample_workspace.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

constexpr std::chrono::milliseconds kNotAtAll{0};
const std::string kId(32, 'a');

RecordLine some_line(std::uint64_t sequence, std::string_view name, std::size_t published = 0) {
  return {sequence, Hasher().add(name).finish(), published, 1, Hasher().add(std::string_view("c")).finish()};
}

class Record : public ::testing::Test {
 protected:
  [[nodiscard]] RollbackRecord open() const { return RollbackRecord::open(path_, kId, kNotAtAll).value(); }
  void append(const std::vector<RecordLine>& lines) const {
    RollbackRecord record = open();
    ASSERT_TRUE(record.append(lines).ok());
  }

  testing::TemporaryFolder folder_{testing::memory_folder()};
  std::filesystem::path path_ = record_path(folder_.path() / "signing.key", kId);
};

TEST_F(Record, LiesBesideTheKeyAndIsPrivate) {
  EXPECT_EQ(path_.filename(), "signing.key." + kId + ".record");
  append({some_line(0, "a")});
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0600u);
}

TEST_F(Record, IsReadBack) {
  const std::vector<RecordLine> lines = {some_line(0, "a"), some_line(1, "b", 1), some_line(2, "c", 1)};
  append({lines[0]});
  append({lines[1], lines[2]});
  const RecordedLedger read = RollbackRecord::read(path_, kId).value().value();
  EXPECT_EQ(read.lines, lines);
  EXPECT_EQ(read.published, 1u);
  EXPECT_EQ(read.bytes, std::filesystem::file_size(path_));
  EXPECT_EQ(open().ledger().lines, lines);
}

TEST_F(Record, IsNothingWhereThereIsNoFile) { EXPECT_FALSE(RollbackRecord::read(path_, kId).value().has_value()); }

// A branch that was brought up to date takes the place of the other one, but what was published stays published.
TEST_F(Record, ALineWithAnEarlierNumberStartsABranch) {
  append({some_line(0, "a"), some_line(1, "b", 1), some_line(2, "c", 2)});
  append({some_line(1, "d", 1)});
  const RecordedLedger read = RollbackRecord::read(path_, kId).value().value();
  EXPECT_EQ(read.lines, (std::vector<RecordLine>{some_line(0, "a"), some_line(1, "d", 1)}));
  EXPECT_EQ(read.published, 2u);
}

// However much of the last line a crash has left: the lines before count, and the next one follows them.
TEST_F(Record, ALineThatIsCutOffIsPassedOver) {
  append({some_line(0, "a")});
  const std::string one = testing::read_whole_file(path_);
  append({some_line(1, "b")});
  const std::string two = testing::read_whole_file(path_);
  for (std::size_t size = 0; size < two.size(); ++size) {
    SCOPED_TRACE(size);
    static_cast<void>(folder_.write(path_.filename().string(), two.substr(0, size)));
    const std::size_t whole = size < one.size() ? 0 : 1;
    EXPECT_EQ(open().ledger().lines.size(), whole);
    append({some_line(whole, "x")});
    EXPECT_EQ(open().ledger().lines.size(), whole + 1);
  }
  // A disk may have written the end of a line and not its beginning.
  std::string torn = two;
  torn.replace(one.size(), 10, std::string(10, '\0'));
  static_cast<void>(folder_.write(path_.filename().string(), torn));
  EXPECT_EQ(open().ledger().lines.size(), 1u);
}

TEST_F(Record, DamageElsewhereIsTold) {
  append({some_line(0, "a"), some_line(1, "b"), some_line(2, "c")});
  const std::string good = testing::read_whole_file(path_);
  const std::size_t line = good.find('\n') + 1;
  for (const auto& [place, with] : std::vector<std::pair<std::size_t, std::string>>{
           {0, "U"}, {20, "b"}, {line, "7"}, {line + 3, "G"}, {line + 66, "  "}, {good.find("\n1 ") + 1, "2"}}) {
    std::string bad = good;
    bad.replace(place, with.size(), with);
    ASSERT_NE(bad, good);
    EXPECT_FALSE(parse_record(bad, kId).ok()) << place;
  }
  EXPECT_FALSE(parse_record(good, std::string(32, 'b')).ok());
  EXPECT_TRUE(parse_record(good, kId).ok());
}

// Two copies of one workspace, opened at the same time by two processes.
TEST_F(Record, HasOneWriterAtATime) {
  const RollbackRecord holder = open();
  const Result<RollbackRecord> second = RollbackRecord::open(path_, kId, kNotAtAll);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

// A process that is killed between the commit and the record leaves a file that is ahead.  Any number of entries may be
// missing from the record, to any byte.
TEST(RecordOfAWorkspace, IsCompletedByTheNextOpening) {
  SampleWorkspace sample;
  sample.keep_record();
  sample.fill();
  const WorkspaceInfo info = sample.open().info();
  const auto path = record_path(sample.how.record, info.id);
  const std::string whole = testing::read_whole_file(path);
  ASSERT_EQ(RollbackRecord::read(path, info.id).value().value().lines.size(), info.entries);
  for (std::size_t size = 0; size <= whole.size(); size += testing::kSanitized ? 35 : 7) {
    SCOPED_TRACE(size);
    std::filesystem::resize_file(path, size);
    // Whoever has no key neither writes the record nor is stopped by it.
    EXPECT_TRUE(sample.verify().passed) << testing::all_details(sample.verify());
    EXPECT_EQ(std::filesystem::file_size(path), size);
    EXPECT_FALSE(sample.open().info().outdated.has_value());
    EXPECT_EQ(testing::read_whole_file(path), whole);
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(sample.open().info().outdated.has_value());
  EXPECT_EQ(testing::read_whole_file(path), whole);
}

// It says what was done, and not to whom.
TEST(RecordOfAWorkspace, NamesNobody) {
  SampleWorkspace sample;
  sample.keep_record();
  sample.fill();
  const std::string text = testing::read_whole_file(record_path(sample.how.record, sample.open().info().id));
  EXPECT_EQ(text.substr(text.find('\n')).find_first_not_of("0123456789abcdef \n"), std::string::npos) << text;
}

// A removal is acknowledged when both the file and the record have it.
TEST(RecordOfAWorkspace, HasEveryEntryThatWasAcknowledged) {
  SampleWorkspace sample;
  sample.keep_record();
  Workspace workspace = sample.create();
  const auto path = record_path(sample.how.record, workspace.info().id);
  const auto recorded = [&] { return RollbackRecord::read(path, workspace.info().id).value().value(); };
  EXPECT_EQ(recorded().lines.size(), 1u);
  const RemovalRequest request = ForgetNode{5u, 0u};
  const Forgotten forgotten = workspace.forget(std::span(&request, 1)).value();
  EXPECT_EQ(recorded().lines.back(), line_of(forgotten.entry, forgotten.receipt.entry));
  ASSERT_TRUE(workspace.release().ok());
  EXPECT_EQ(recorded().lines.back().hash, workspace.info().head);
  EXPECT_EQ(recorded().published, 1u);
}

// Nothing is written to a workspace whose record cannot be opened.
TEST(RecordOfAWorkspace, ARecordThatCannotBeOpenedIsAnError) {
  SampleWorkspace sample;
  sample.keep_record();
  std::string id;
  {
    Workspace workspace = sample.create();
    id = workspace.info().id;
  }
  const auto path = record_path(sample.how.record, id);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_FALSE(Workspace::open(sample.path(), sample.how).ok());
  std::filesystem::remove(path);
  EXPECT_TRUE(Workspace::open(sample.path(), sample.how).ok());
}

}  // namespace
}  // namespace unscatter
