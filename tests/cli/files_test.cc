#include "files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "support/temporary_folder.h"

namespace unscatter::cli {
namespace {

namespace fs = std::filesystem;
using testing::read_whole_file;
using testing::TemporaryFolder;

TEST(Files, ReplacingLeavesTheOldContentOrTheNewOne) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("f", "old");
  ASSERT_TRUE(replace_file(file, "new").ok());
  EXPECT_EQ(read_whole_file(file), "new");
  // A folder in its place cannot be replaced, and no temporary file stays.
  fs::create_directory(folder.path() / "d");
  EXPECT_EQ(replace_file(folder.path() / "d", "new").error().code, ErrorCode::kIo);
  EXPECT_EQ(replace_file(folder.path() / "none" / "f", "new").error().code, ErrorCode::kIo);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

TEST(Files, AnOutputIsOpenedFirstAndWrittenLater) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("f", "old");
  {
    OutputFile output = OutputFile::open(file, 100000).value();
    EXPECT_EQ(read_whole_file(file), "old");
    ASSERT_TRUE(output.write("new").ok());
    EXPECT_EQ(read_whole_file(file), "new");  // not the room that was taken
  }
  { const OutputFile dropped = OutputFile::open(file, 10).value(); }
  EXPECT_EQ(read_whole_file(file), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  EXPECT_EQ(OutputFile::open(folder.path() / "none" / "f", 10).error().code, ErrorCode::kIo);
  // More room than any disk has.
  EXPECT_EQ(OutputFile::open(folder.path() / "g", std::size_t{1} << 62).error().code, ErrorCode::kIo);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  // A device is written into and stays what it is.
  EXPECT_TRUE(check_free("/dev/full", false, "hint").ok());
  OutputFile full = OutputFile::open("/dev/full", 10).value();
  EXPECT_EQ(full.write("x").error().code, ErrorCode::kIo);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(Files, LinesAreAppended) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("lines", "one\n");
  LineFile lines = LineFile::open(file).value();
  ASSERT_TRUE(lines.append("two\n").ok());
  ASSERT_TRUE(lines.append("three\nfour\n").ok());
  EXPECT_EQ(read_whole_file(file), "one\ntwo\nthree\nfour\n");
  EXPECT_FALSE(LineFile::open("/dev/null/x").ok());
  LineFile full = LineFile::open("/dev/full").value();
  EXPECT_EQ(full.append("x\n").error().code, ErrorCode::kIo);
}

TEST(Files, ReadingSaysWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_small_file(folder.write("f", "text")).value(), "text");
  EXPECT_EQ(read_small_file(folder.write("empty", "")).value(), "");
  EXPECT_EQ(read_small_file(folder.path() / "none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_small_file(folder.path()).error().code, ErrorCode::kIo);
  fs::resize_file(folder.path() / "f", 65u << 20);
  EXPECT_EQ(read_small_file(folder.path() / "f").error().code, ErrorCode::kLimitExceeded);
}

TEST(Files, WhatExistsIsKeptUnlessForced) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("f", "");
  EXPECT_TRUE(check_free(folder.path() / "free", false, "hint").ok());
  EXPECT_TRUE(check_free(file, true, "hint").ok());
  EXPECT_NE(check_free(file, false, "do this").error().message.find("do this"), std::string::npos);
  EXPECT_FALSE(check_free(folder.path(), true, "hint").ok());
  // A link to nowhere is something, too.
  fs::create_symlink(folder.path() / "nowhere", folder.path() / "link");
  EXPECT_FALSE(check_free(folder.path() / "link", false, "hint").ok());
}

}  // namespace
}  // namespace unscatter::cli
