#include "base/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "support/temporary_folder.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// Writes beyond `bytes` fail while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

unsigned file_mode(const fs::path& path) {
  struct stat found = {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777u;
}

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

// The bits that new files do not get, while it lives.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

TEST(Files, AreReadUpToTheirLimit) {
  const testing::TemporaryFolder folder;
  for (const std::size_t size : {0u, 1u, 1023u, 1024u, 1025u, 5000u}) {
    std::string content(size, 'x');
    if (size > 0) content.back() = '\0';
    const auto path = folder.write("file", content);
    EXPECT_EQ(read_file(path, size).value(), content);
    EXPECT_EQ(read_file(path, size + 1).value(), content);
    if (size == 0) continue;
    const Result<std::string> beyond = read_file(path, size - 1);
    ASSERT_FALSE(beyond.ok());
    EXPECT_EQ(beyond.error().code, ErrorCode::kLimitExceeded);
  }
}

// A pipe does not say how long it is.
TEST(Files, PipesAreReadUpToTheirLimitToo) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const bool fits : {true, false}) {
    // 3000 bytes fit into the pipe, so that the writer ends whether or not somebody reads them all.
    std::thread writer([&pipe] {
      if (std::FILE* file = std::fopen(pipe.c_str(), "w")) {
        std::fputs(std::string(3000, 'x').c_str(), file);
        std::fclose(file);
      }
    });
    const Result<std::string> text = read_file(pipe, fits ? 3000 : 2999);
    writer.join();
    ASSERT_EQ(text.ok(), fits);
    if (fits) {
      EXPECT_EQ(*text, std::string(3000, 'x'));
    } else {
      EXPECT_EQ(text.error().code, ErrorCode::kLimitExceeded);
    }
  }
}

TEST(Files, ReplacingIsAllOrNothing) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  ASSERT_TRUE(replace_file(path, "new").ok());
  EXPECT_EQ(testing::read_whole_file(path), "new");
  const auto blocked = folder.path() / "folder";
  std::filesystem::create_directories(blocked / "inside");
  EXPECT_EQ(replace_file(blocked, "new").error().code, ErrorCode::kIo);
  EXPECT_TRUE(std::filesystem::is_directory(blocked / "inside"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()), 2)
      << "a temporary file stayed";
}

// A limit on the size of files stands for a full disk.
TEST(Files, ANewFileThatCannotBeFilledIsRemoved) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  const auto old = folder.write("old", "old");
  Status written = ok_status();
  Status replaced = ok_status();
  {
    const FileSizeLimit limit(2000);
    written = write_new_file(path, std::string(5000, 'x'), 0600);
    replaced = replace_file(old, std::string(5000, 'x'));
  }
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_FALSE(replaced.ok());
  EXPECT_EQ(testing::read_whole_file(old), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
            1);
}

// Tests run as root too, whom no mode keeps out: the bits themselves are looked at.
TEST(Files, APrivateFileIsReadOnlyIfNobodyElseMayUseIt) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "secret";
  ASSERT_TRUE(write_new_file(path, "secret", 0600).ok());
  EXPECT_EQ(read_private_file(path, 6).value(), "secret");
  EXPECT_EQ(read_private_file(path, 5).error().code, ErrorCode::kLimitExceeded);
  for (const unsigned bit : {0040u, 0020u, 0010u, 0004u, 0002u, 0001u}) {
    ASSERT_EQ(::chmod(path.c_str(), static_cast<mode_t>(0600u | bit)), 0);
    EXPECT_EQ(read_private_file(path, 6).error().code, ErrorCode::kInvalidArgument) << bit;
    EXPECT_TRUE(read_file(path, 6).ok());
  }
  EXPECT_EQ(read_private_file(folder.path(), 6).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_private_file(folder.path() / "none", 6).error().code, ErrorCode::kNotFound);
}

TEST(Files, ANewFileHasExactlyItsMode) {
  const testing::TemporaryFolder folder;
  for (const mode_t mask : {mode_t{0}, mode_t{0277}}) {
    const auto path = folder.path() / std::to_string(mask);
    const Umask umask(mask);
    ASSERT_TRUE(write_new_file(path, "x", 0640).ok());
    EXPECT_EQ(file_mode(path), 0640u);
  }
}

TEST(Files, AReplacementHasTheModeOfANewFile) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const Umask umask(0022);
  ASSERT_TRUE(replace_file(path, "new").ok());
  EXPECT_EQ(file_mode(path), 0644u);
  ASSERT_TRUE(replace_file(path, "new", 0600).ok());
  EXPECT_EQ(file_mode(path), 0600u);
}

TEST(Files, MissingFoldersArePrivate) {
  const testing::TemporaryFolder folder;
  const auto inner = folder.path() / "a" / "b";
  EXPECT_EQ(write_new_file(inner / "file", "x", 0600).error().code, ErrorCode::kIo);
  const Umask umask(0);
  ASSERT_TRUE(make_private_folders(inner).ok());
  ASSERT_TRUE(make_private_folders(inner).ok());  // what is there stays
  ASSERT_TRUE(make_private_folders("").ok());     // the folder of a bare file name
  EXPECT_EQ(file_mode(inner), 0700u);
  EXPECT_EQ(file_mode(inner.parent_path()), 0700u);
  const auto file = folder.write("file", "");
  EXPECT_EQ(make_private_folders(file / "a").error().code, ErrorCode::kIo);
}

TEST(Files, RenamingTakesTheOtherFilesPlace) {
  const testing::TemporaryFolder folder;
  const auto from = folder.write("from", "new");
  const auto to = folder.write("to", "old");
  ASSERT_TRUE(rename_durably(from, to).ok());
  EXPECT_EQ(testing::read_whole_file(to), "new");
  EXPECT_EQ(entries(folder.path()), 1);
  const Status missing = rename_durably(from, to);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_EQ(missing.error().message, to.string() + ": cannot be replaced: No such file or directory");
  EXPECT_EQ(testing::read_whole_file(to), "new");
}

// Pieces of every size, with and without room for them beside those that wait.
// What it does shows only where the power is cut.
TEST(Files, NamesAreKeptInTheFolderThatHasThem) {
  const testing::TemporaryFolder folder;
  const auto made = folder.path() / "made";
  std::filesystem::create_directory(made);
  EXPECT_TRUE(keep_name(made).ok());
  EXPECT_TRUE(keep_name(made / "").ok());
  EXPECT_TRUE(keep_name("a-name").ok());
  // The folder of the name counts, and not the name itself.
  EXPECT_TRUE(keep_name(folder.path() / "not-there").ok());
  EXPECT_FALSE(keep_name(folder.path() / "not-there" / "name").ok());
  EXPECT_FALSE(keep_name(folder.path() / "not-there" / "name" / "").ok());
}

TEST(ReplacingFile, PiecesComeInOrder) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::optional<ReplacingFile> file = ReplacingFile::create(path).value();
  std::string expected;
  char letter = 'a';
  for (const std::size_t size : {0u, 1u, 1000u, 700'000u, 700'000u, 1u << 20, 3u << 20, 5u, (1u << 20) - 6, 1u, 2u}) {
    const std::string piece(size, letter++);
    ASSERT_TRUE(file->write(piece).ok());
    expected += piece;
  }
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(file->commit().ok());
  file.reset();
  EXPECT_TRUE(testing::read_whole_file(path) == expected);
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(ReplacingFile, WithoutACommitTheOldContentStands) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  {
    ReplacingFile file = ReplacingFile::create(path).value();
    ASSERT_TRUE(file.write(std::string(3u << 20, 'x')).ok());
    const ReplacingFile moved = std::move(file);
    EXPECT_EQ(testing::read_whole_file(path), "old");
    EXPECT_EQ(entries(folder.path()), 2);
  }
  EXPECT_EQ(testing::read_whole_file(path), "old");
  EXPECT_EQ(entries(folder.path()), 1);
  EXPECT_EQ(ReplacingFile::create(folder.path() / "no" / "folder").error().code, ErrorCode::kIo);
}

// A small piece meets the full disk only when it is written out.
TEST(ReplacingFile, AFullDiskIsNoticedAtTheCommit) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("file", "old");
  {
    const FileSizeLimit limit(2000);
    ReplacingFile file = ReplacingFile::create(path).value();
    ASSERT_TRUE(file.write(std::string(5000, 'x')).ok());
    EXPECT_EQ(file.commit().error().code, ErrorCode::kIo);
  }
  EXPECT_EQ(testing::read_whole_file(path), "old");
  EXPECT_EQ(entries(folder.path()), 1);
}

// A process that was killed may leave its file behind, and the next one may get its number.
TEST(ReplacingFile, NamesThatAreTakenAreLeftAlone) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  constexpr int kTaken = 100;
  for (int i = 0; i < kTaken; ++i) folder.write(fmt::format("file.{}-{}.tmp", ::getpid(), i), "left over");
  ASSERT_TRUE(replace_file(path, "new").ok());
  EXPECT_EQ(testing::read_whole_file(path), "new");
  EXPECT_EQ(entries(folder.path()), kTaken + 1);
}

TEST(Files, NoLinkIsFollowedToANewFile) {
  const testing::TemporaryFolder folder;
  const auto link = folder.path() / "link";
  std::filesystem::create_symlink(folder.path() / "target", link);
  EXPECT_EQ(write_new_file(link, "x", 0600).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "target"));
}

}  // namespace
}  // namespace unscatter
