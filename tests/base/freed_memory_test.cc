#include "base/freed_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <vector>

#include "support/sanitized.h"

namespace unscatter {
namespace {

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Small blocks below one that stays, so that the C library gives nothing back by itself.
TEST(FreedMemory, GoesBackToTheSystem) {
  constexpr std::size_t kBlock = 512;
  constexpr std::size_t kBlocks = std::size_t{64} << 11;  // 64 MiB
  const std::size_t before = resident_bytes();
  std::vector<std::unique_ptr<char[]>> blocks;
  blocks.reserve(kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::make_unique<char[]>(kBlock));  // which fills it
  }
  const std::unique_ptr<char[]> stays = std::make_unique<char[]>(kBlock);
  ASSERT_GT(resident_bytes(), before + kBlock * kBlocks * 3 / 4);
  blocks.clear();
  return_freed_memory();
  if (testing::kSanitized) GTEST_SKIP() << "sanitizers keep freed memory";
  EXPECT_LT(resident_bytes(), before + kBlock * kBlocks / 4);
}

}  // namespace
}  // namespace unscatter
