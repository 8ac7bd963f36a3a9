// What every implementation shares: collectives on top of messages, and how many messages and bytes they cost.
#include "comm/communicator.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "comm/threads.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr std::size_t kRankCounts[] = {1, 2, 3, 4, 5, 6, 7, 64};

Traffic total(const std::vector<Traffic>& all) {
  return std::accumulate(all.begin(), all.end(), Traffic{}, [](Traffic sum, const Traffic& one) {
    return Traffic{sum.messages + one.messages, sum.bytes + one.bytes};
  });
}

// Bytes that tell who made them.
std::vector<std::byte> bytes_of(std::size_t rank, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(rank * 31 + i * 7 + 1);
  return bytes;
}

TEST(Communicator, EveryRankKnowsItsPlace) {
  for (const std::size_t ranks : kRankCounts) {
    SCOPED_TRACE(ranks);
    std::vector<std::atomic<int>> met(ranks);
    const auto sent = run_ranks(ranks, [&](Communicator& job) {
      EXPECT_EQ(job.size(), ranks);
      EXPECT_EQ(job.is_first(), job.rank() == 0);
      ++met[job.rank()];
    });
    ASSERT_TRUE(sent.ok());
    for (const auto& count : met) EXPECT_EQ(count, 1);
    EXPECT_EQ(total(*sent), Traffic{});
  }
}

TEST(Communicator, ABroadcastReachesAllRanksFromEveryRoot) {
  for (const std::size_t ranks : kRankCounts) {
    for (const std::size_t root : {std::size_t{0}, ranks / 2, ranks - 1}) {
      SCOPED_TRACE(::testing::Message() << root << " of " << ranks);
      const std::vector<std::byte> expected = bytes_of(root, 1000);
      const auto sent = run_ranks(ranks, [&](Communicator& job) {
        std::vector<std::byte> bytes = job.rank() == root ? expected : std::vector<std::byte>(1000);
        job.broadcast(bytes, root);
        EXPECT_EQ(bytes, expected) << "rank " << job.rank();
      });
      ASSERT_TRUE(sent.ok());
      EXPECT_EQ(total(*sent), (Traffic{ranks - 1, 1000 * (ranks - 1)}));
    }
  }
}

// The root sends to one rank per level of the tree, and not to all.
TEST(Communicator, TheRootOfABroadcastSendsAsManyMessagesAsTheTreeHasLevels) {
  const auto sent = run_ranks(64, [](Communicator& job) {
    std::byte token{};
    job.broadcast(std::span(&token, 1));
  });
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ((*sent)[0].messages, 6u);
}

TEST(Communicator, ABroadcastMayTellHowLongItIs) {
  for (const std::size_t ranks : kRankCounts) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}}) {
      SCOPED_TRACE(::testing::Message() << count << " bytes to " << ranks);
      const auto sent = run_ranks(ranks, [&](Communicator& job) {
        std::vector<std::byte> bytes = job.is_first() ? bytes_of(0, count) : bytes_of(9, 3);
        job.broadcast_any(bytes);
        EXPECT_EQ(bytes, bytes_of(0, count));
      });
      ASSERT_TRUE(sent.ok());
      EXPECT_EQ(total(*sent), (Traffic{(ranks - 1) * (count == 0 ? 1 : 2), (ranks - 1) * (8 + count)}));
    }
  }
}

TEST(Communicator, AGatherIsInTheOrderOfRanks) {
  for (const std::size_t ranks : kRankCounts) {
    for (const std::size_t root : {std::size_t{0}, ranks - 1}) {
      SCOPED_TRACE(::testing::Message() << root << " of " << ranks);
      // Rank r gives r bytes, so one rank gives none.
      const auto sent = run_ranks(ranks, [&](Communicator& job) {
        const auto all = job.gather(bytes_of(job.rank(), job.rank()), root);
        if (job.rank() != root) {
          EXPECT_TRUE(all.empty());
          return;
        }
        ASSERT_EQ(all.size(), ranks);
        for (std::size_t r = 0; r < ranks; ++r) EXPECT_EQ(all[r], bytes_of(r, r));
      });
      ASSERT_TRUE(sent.ok());
      Traffic expected;
      for (std::size_t r = 0; r < ranks; ++r) {
        if (r == root) continue;
        expected.messages += r == 0 ? 1 : 2;
        expected.bytes += 8 + r;
      }
      EXPECT_EQ(total(*sent), expected);
    }
  }
}

TEST(Communicator, NobodyPassesABarrierBeforeAllHaveReachedIt) {
  for (const std::size_t ranks : kRankCounts) {
    SCOPED_TRACE(ranks);
    std::atomic<std::size_t> reached = 0;
    const auto sent = run_ranks(ranks, [&](Communicator& job) {
      for (std::size_t round = 1; round <= 5; ++round) {
        ++reached;
        job.barrier();
        EXPECT_GE(reached, round * ranks);
        EXPECT_LE(reached, (round + 1) * ranks);
      }
    });
    ASSERT_TRUE(sent.ok());
    EXPECT_EQ(total(*sent), (Traffic{10 * (ranks - 1), 10 * (ranks - 1)}));
  }
}

TEST(Communicator, MessagesOfOneSenderKeepTheirOrder) {
  for (const std::size_t ranks : kRankCounts) {
    SCOPED_TRACE(ranks);
    const auto sent = run_ranks(ranks, [&](Communicator& job) {
      if (!job.is_first()) {
        for (std::uint64_t k = 0; k < 20; ++k) {
          const std::array<std::uint64_t, 2> numbers{job.rank(), k};
          job.send_numbers(0, std::span<const std::uint64_t>(numbers));
        }
        return;
      }
      // From the last rank to the first, so that others wait meanwhile.
      for (std::size_t from = ranks - 1; from > 0; --from) {
        for (std::uint64_t k = 0; k < 20; ++k) {
          std::array<std::uint64_t, 2> numbers{};
          job.receive_numbers(from, std::span<std::uint64_t>(numbers));
          EXPECT_EQ(numbers, (std::array<std::uint64_t, 2>{from, k}));
        }
      }
    });
    ASSERT_TRUE(sent.ok());
    EXPECT_EQ(total(*sent), (Traffic{20 * (ranks - 1), 320 * (ranks - 1)}));
  }
}

TEST(Communicator, ARankDoesNotSendToItselfNorToNobody) {
  for (const std::size_t to : {std::size_t{1}, std::size_t{3}}) {
    const auto sent = run_ranks(3, [&](Communicator& job) {
      std::byte one{};
      if (job.rank() == 1) job.send(to, std::span(&one, 1));
    });
    ASSERT_FALSE(sent.ok());
    EXPECT_EQ(sent.error().message, "rank 1: a message goes to another rank of the job");
  }
}

}  // namespace
}  // namespace unscatter
