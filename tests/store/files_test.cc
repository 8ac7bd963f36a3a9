#include "store/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "support/temporary_folder.h"

namespace unscatter {
namespace {

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
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()), 1);
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
