#include "graph/readers/read_ahead.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace unscatter::readers {
namespace {

Result<std::string> drain(ByteSource& source) {
  std::string content;
  std::array<char, 1000> block{};
  for (;;) {
    UNSCATTER_TRY(count, source.read(block));
    if (count == 0) return content;
    content.append(block.data(), count);
  }
}

std::string some_text(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t k = 0; k < size; ++k) text[k] = static_cast<char>('a' + (k * k) % 23);
  return text;
}

TEST(ReadAhead, SameBytes) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{10'000'000}}) {
    const std::string text = some_text(size);
    ByteBudget budget(size);
    const auto source = read_ahead(open_plain(Input::memory("t", text), budget).value());
    EXPECT_EQ(source->claimed_size(), size);
    EXPECT_EQ(drain(*source).value(), text);
  }
}

TEST(ReadAhead, SameError) {
  const std::string text = some_text(5'000'000);
  ByteBudget budget(4'000'000);
  const auto source = read_ahead(open_plain(Input::memory("t", text), budget).value());
  EXPECT_EQ(drain(*source).error().code, ErrorCode::kLimitExceeded);
}

TEST(ReadAhead, MayBeAbandonedAtAnyTime) {
  const std::string text = some_text(20'000'000);
  for (int round = 0; round < 20; ++round) {
    ByteBudget budget(text.size());
    const auto source = read_ahead(open_plain(Input::memory("t", text), budget).value());
    std::array<char, 10> block{};
    if (round % 2 == 0) {
      EXPECT_TRUE(source->read(block).ok());
    }
  }
}

}  // namespace
}  // namespace unscatter::readers
