#include "comm/single_process.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

TEST(SingleProcess, EverythingIsHereAndNothingIsSent) {
  const std::unique_ptr<Communicator> alone = single_process();
  EXPECT_EQ(alone->rank(), 0u);
  EXPECT_EQ(alone->size(), 1u);
  EXPECT_TRUE(alone->is_first());

  std::vector<std::byte> bytes{std::byte{1}, std::byte{2}};
  const std::vector<std::byte> same = bytes;
  alone->broadcast(bytes);
  alone->broadcast_any(bytes);
  EXPECT_EQ(bytes, same);
  alone->barrier();
  const std::vector<std::vector<std::byte>> all = alone->gather(bytes);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0], same);
  EXPECT_EQ(alone->sent(), Traffic{});
}

TEST(SingleProcess, ThereIsNobodyToSendTo) {
  const std::unique_ptr<Communicator> alone = single_process();
  std::byte one{};
  EXPECT_THROW(alone->send(0, std::span(&one, 1)), InvariantViolation);
  EXPECT_THROW(alone->send(1, std::span(&one, 1)), InvariantViolation);
  EXPECT_THROW(alone->receive(1, std::span(&one, 1)), InvariantViolation);
}

TEST(SingleProcessDeathTest, AbortSaysWhyAndEndsWithOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(single_process()->abort("the disk is gone"), ::testing::ExitedWithCode(1), "unscatter: the disk is gone");
}

}  // namespace
}  // namespace unscatter
