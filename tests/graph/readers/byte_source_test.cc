#include "graph/readers/byte_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "support/temporary_folder.h"

namespace unscatter::readers {
namespace {

// Reads to the end in pieces of three bytes, so that a source must go on where it stopped.
Result<std::string> drain_plain(const Input& input, std::uint64_t max_bytes) {
  ByteBudget budget(max_bytes);
  UNSCATTER_TRY(source, open_plain(input, budget));
  std::string all;
  std::array<char, 3> piece{};
  for (;;) {
    UNSCATTER_TRY(count, source->read(piece));
    if (count == 0) return all;
    all.append(piece.data(), count);
  }
}

TEST(ByteSource, FileAndMemoryGiveTheSameBytes) {
  const testing::TemporaryFolder folder;
  for (const std::string_view text :
       {std::string_view(), std::string_view("abc"), std::string_view("ab\0\ncdefg", 9)}) {
    const std::filesystem::path path = folder.write("x", text);
    EXPECT_EQ(drain_plain(Input::file(path), 100).value(), text);
    EXPECT_EQ(drain_plain(Input::memory("x", text), 100).value(), text);
  }
}

TEST(ByteSource, TheBudgetHoldsForAllSourcesTogether) {
  const std::string_view text = "12345678";
  EXPECT_TRUE(drain_plain(Input::memory("x", text), 8).ok());
  const Result<std::string> over = drain_plain(Input::memory("x", text), 7);
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(over.error().message, "x: more than the 7 bytes that the limits allow");

  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("x", text);
  ByteBudget shared(12);
  std::array<char, 16> whole{};
  const auto first = open_plain(Input::file(path), shared).value();
  const auto second = open_plain(Input::file(path), shared).value();
  EXPECT_EQ(first->read(whole).value(), 8u);
  ASSERT_FALSE(second->read(whole).ok());
}

TEST(ByteSource, NamesItsInputAndItsSize) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("five.txt", "12345");
  ByteBudget budget(100);
  const auto file = open_plain(Input::file(path), budget).value();
  EXPECT_EQ(file->name(), path.string());
  EXPECT_EQ(file->claimed_size(), 5u);
  const auto memory = open_plain(Input::memory("words", std::string_view("1234")), budget).value();
  EXPECT_EQ(memory->name(), "words");
  EXPECT_EQ(memory->claimed_size(), 4u);
}

TEST(ByteSource, APipeIsReadWithoutASizeInAdvance) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "through a pipe"; });
  ByteBudget budget(100);
  const auto source = open_plain(Input::file(pipe), budget).value();
  EXPECT_EQ(source->claimed_size(), 0u);
  std::string all;
  std::array<char, 64> piece{};
  while (const std::size_t count = source->read(piece).value()) all.append(piece.data(), count);
  writer.join();
  EXPECT_EQ(all, "through a pipe");
}

TEST(ByteSource, WhatCannotBeOpenedIsToldByKind) {
  const testing::TemporaryFolder folder;
  const Result<std::string> missing = drain_plain(Input::file(folder.path() / "missing"), 100);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const Result<std::string> directory = drain_plain(Input::file(folder.path()), 100);
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().code, ErrorCode::kIo);
  EXPECT_NE(directory.error().message.find("is a folder, not a file"), std::string::npos);
}

}  // namespace
}  // namespace unscatter::readers
