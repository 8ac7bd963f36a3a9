#include "comm/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace unscatter {
namespace {

std::string failure_of(std::size_t ranks, const std::function<void(Communicator&)>& work) {
  const auto sent = run_ranks(ranks, work);
  if (sent.ok()) return "no failure";
  EXPECT_EQ(sent.error().code, ErrorCode::kUnavailable);
  return sent.error().message;
}

TEST(ThreadRanks, AnAbortEndsAllRanksAndSaysWhy) {
  for (const std::size_t ranks : {1u, 2u, 7u, 64u}) {
    SCOPED_TRACE(ranks);
    std::atomic<int> went_on = 0;
    const std::string why = failure_of(ranks, [&](Communicator& job) {
      if (job.rank() == ranks / 2) job.abort("the disk is full");
      job.barrier();  // never ends
      ++went_on;
    });
    EXPECT_EQ(why, "rank " + std::to_string(ranks / 2) + ": the disk is full");
    EXPECT_EQ(went_on, 0);
  }
}

TEST(ThreadRanks, AnExceptionOfOneRankEndsAllRanks) {
  const std::string why = failure_of(5, [](Communicator& job) {
    job.barrier();
    if (job.rank() == 3) throw std::runtime_error("no memory");
    std::vector<std::byte> bytes(8);
    job.broadcast(bytes, 3);
  });
  EXPECT_EQ(why, "rank 3: no memory");
  EXPECT_EQ(failure_of(2,
                       [](Communicator& job) {
                         if (job.is_first()) throw 7;
                         job.barrier();
                       }),
            "rank 0 threw something without words");
}

// What was thrown later, because the first failure ended the job, does not hide it.
TEST(ThreadRanks, TheFirstFailureIsTheOneThatIsTold) {
  const std::string why = failure_of(2, [](Communicator& job) {
    if (job.rank() == 1) job.abort("first");
    try {
      job.barrier();
    } catch (...) {
      throw std::runtime_error("second");
    }
  });
  EXPECT_EQ(why, "rank 1: first");
}

TEST(ThreadRanks, ARankThatLeavesTooEarlyIsNamed) {
  const std::string why = failure_of(3, [](Communicator& job) {
    if (job.rank() == 2) return;
    job.barrier();
  });
  EXPECT_EQ(why, "rank 2 ended while rank 0 waits for it");
}

TEST(ThreadRanks, RanksThatAllWaitAreFound) {
  std::byte one{};
  EXPECT_EQ(failure_of(3,
                       [&](Communicator& job) {
                         std::byte mine{};
                         job.receive((job.rank() + 1) % 3, std::span(&mine, 1));
                       }),
            "all ranks wait: rank 0 to hear from rank 1");
  // It would pass where messages are kept on their way.  MPI keeps only small ones.
  EXPECT_EQ(failure_of(2,
                       [&](Communicator& job) {
                         std::byte mine{};
                         job.send(1 - job.rank(), std::span(&one, 1));
                         job.receive(1 - job.rank(), std::span(&mine, 1));
                       }),
            "all ranks wait: rank 0 to send to rank 1");
}

TEST(ThreadRanks, AMessageOfAnotherSizeEndsTheJob) {
  const std::string why = failure_of(2, [](Communicator& job) {
    std::vector<std::byte> bytes(job.is_first() ? 4 : 5);
    job.broadcast(bytes);
  });
  EXPECT_EQ(why, "rank 1: a message has the size that its receiver expects");
}

// A sender must not leave while the receiver still copies out of its memory.
TEST(ThreadRanks, TheJobMayEndWhileBytesAreCopied) {
  for (int round = 0; round < 20; ++round) {
    const std::string why = failure_of(3, [&](Communicator& job) {
      std::vector<std::byte> bytes(1 << 20, std::byte{1});
      if (job.rank() == 2) {
        std::this_thread::sleep_for(std::chrono::microseconds(50 * round));
        job.abort("enough");
      }
      for (;;) {
        if (job.rank() == 0) job.send(1, bytes);
        if (job.rank() == 1) job.receive(0, bytes);
      }
    });
    EXPECT_EQ(why, "rank 2: enough");
  }
}

}  // namespace
}  // namespace unscatter
