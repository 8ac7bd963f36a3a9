#include "base/wipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace unscatter {
namespace {

template <typename T>
bool all_zero(const T* first, std::size_t count) {
  const auto bytes = std::as_bytes(std::span(first, count));
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

TEST(Wipe, WritesZerosOverExactlyTheBytesItIsGiven) {
  std::vector<std::uint8_t> memory(100, 0xab);
  wipe(std::as_writable_bytes(std::span(memory).subspan(10, 50)));
  EXPECT_TRUE(all_zero(memory.data() + 10, 50));
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 0xab), 50);
  wipe(std::span<std::byte>());  // nothing to do is no error
}

// A vector that has shrunk still holds its old values behind its end.
TEST(Wipe, ClearsTheSpareCapacityOfAVector) {
  std::vector<double> values(64, 0.7318);
  const double* const memory = values.data();
  const std::size_t capacity = values.capacity();
  values.resize(3);
  ASSERT_EQ(memory[40], 0.7318);
  wipe(values);
  EXPECT_TRUE(values.empty());
  ASSERT_EQ(values.data(), memory);  // the same block, still owned
  ASSERT_EQ(values.capacity(), capacity);
  EXPECT_TRUE(all_zero(memory, capacity));
}

// Short texts lie inside the string object itself, long ones on the heap; both may have been longer before.
TEST(Wipe, ClearsStringsOfEveryLengthAndTheirSpareCapacity) {
  for (const std::size_t length : {1UL, 7UL, 15UL, 16UL, 23UL, 300UL}) {
    SCOPED_TRACE(length);
    std::string text(length, 'x');
    text.resize(length / 2);
    const char* const memory = text.data();
    const std::size_t capacity = text.capacity();
    wipe(text);
    EXPECT_TRUE(text.empty());
    ASSERT_EQ(text.data(), memory);
    EXPECT_TRUE(all_zero(memory, capacity));
  }
}

TEST(Wipe, ClearsEveryTextOfAList) {
  std::vector<std::string> texts = {"ann", "bob"};
  const auto* const memory = reinterpret_cast<const char*>(texts.data());
  const std::size_t size = 2 * sizeof(std::string);
  const auto holds = [&](std::string_view text) {
    return std::string_view(memory, size).find(text) != std::string_view::npos;
  };
  ASSERT_TRUE(holds("ann") && holds("bob"));
  wipe(texts);
  EXPECT_TRUE(texts.empty());
  EXPECT_FALSE(holds("ann") || holds("bob"));
}

}  // namespace
}  // namespace unscatter
