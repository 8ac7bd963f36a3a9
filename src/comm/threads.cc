#include "comm/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// Leaves the work of a rank because the job is over.  Not an std::exception, so that no handler takes it for an error
// of its own.
struct JobIsOver {};

enum class Doing { kWork, kSending, kReceiving, kNothing };

// What a rank does, as the others see it.
struct Seen {
  Doing doing = Doing::kWork;
  std::size_t peer = 0;  // whom it sends to or hears from
  std::span<const std::byte> bytes;
  bool taken = false;  // kSending: the bytes are being copied, or are copied
  bool done = false;   // kSending: the bytes are copied
  std::condition_variable wake;
};

class Job {
 public:
  explicit Job(std::size_t ranks) : seen_(ranks) {}

  [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }

  void send(std::size_t me, std::size_t to, std::span<const std::byte> bytes) {
    std::unique_lock lock(mutex_);
    Seen& my = seen_[me];
    my.peer = to;
    my.bytes = bytes;
    my.taken = my.done = false;
    my.doing = Doing::kSending;
    seen_[to].wake.notify_all();
    check_that_somebody_works();
    // The receiver reads `bytes`, so this rank stays while it does, even if the job is over.
    my.wake.wait(lock, [&] { return my.done || (failure_ && !my.taken); });
    my.doing = Doing::kWork;
    if (failure_) throw JobIsOver();
  }

  void receive(std::size_t me, std::size_t from, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    Seen& my = seen_[me];
    Seen& other = seen_[from];
    my.peer = from;
    my.doing = Doing::kReceiving;
    check_that_somebody_works();
    my.wake.wait(lock, [&] { return failure_ || ready(me); });
    if (failure_) throw JobIsOver();
    my.doing = Doing::kWork;
    invariant(other.bytes.size() == bytes.size(), "a message has the size that its receiver expects");
    other.taken = true;
    lock.unlock();
    if (!bytes.empty()) std::memcpy(bytes.data(), other.bytes.data(), bytes.size());
    lock.lock();
    other.done = true;
    // From here on the sender works, whether its thread has woken up or not.
    other.doing = Doing::kWork;
    other.wake.notify_all();
  }

  // The first failure counts.
  void fail(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    fail_locked(sentence);
  }

  void ended(std::size_t me) {
    const std::lock_guard lock(mutex_);
    seen_[me].doing = Doing::kNothing;
    check_that_somebody_works();
  }

  [[nodiscard]] const std::optional<std::string>& failure() const noexcept { return failure_; }

 private:
  // Rank `me` wants to hear from its peer.  Is the peer sending to it?
  [[nodiscard]] bool ready(std::size_t me) const {
    const Seen& other = seen_[seen_[me].peer];
    return other.doing == Doing::kSending && other.peer == me && !other.taken;
  }

  void fail_locked(const std::string& sentence) {
    if (!failure_) failure_ = sentence;
    for (Seen& rank : seen_) rank.wake.notify_all();
  }

  // Called whenever a rank begins to wait or ends.
  void check_that_somebody_works() {
    if (failure_) return;
    for (std::size_t r = 0; r < size(); ++r) {
      const Seen& rank = seen_[r];
      if (rank.doing != Doing::kSending && rank.doing != Doing::kReceiving) continue;
      if (rank.doing == Doing::kSending && rank.taken) return;
      if (seen_[rank.peer].doing != Doing::kNothing) continue;
      fail_locked(fmt::format("rank {} ended while rank {} waits for it", rank.peer, r));
      return;
    }
    std::optional<std::size_t> waiting;
    for (std::size_t r = 0; r < size(); ++r) {
      if (seen_[r].doing == Doing::kWork || (seen_[r].doing == Doing::kReceiving && ready(r))) return;
      if (seen_[r].doing != Doing::kNothing && !waiting) waiting = r;
    }
    if (!waiting) return;  // all have ended
    fail_locked(fmt::format("all ranks wait: rank {} {} rank {}", *waiting,
                            seen_[*waiting].doing == Doing::kSending ? "to send to" : "to hear from",
                            seen_[*waiting].peer));
  }

  std::mutex mutex_;
  std::deque<Seen> seen_;  // one per rank; a condition variable does not move
  std::optional<std::string> failure_;
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Job& job, std::size_t rank) : job_(job), rank_(rank) {}
  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return job_.size(); }
  [[noreturn]] void abort(std::string_view reason) override {
    job_.fail(fmt::format("rank {}: {}", rank_, reason));
    throw JobIsOver();
  }

 protected:
  void do_send(std::size_t to, std::span<const std::byte> bytes) override { job_.send(rank_, to, bytes); }
  void do_receive(std::size_t from, std::span<std::byte> bytes) override { job_.receive(rank_, from, bytes); }

 private:
  Job& job_;
  std::size_t rank_;
};

}  // namespace

Result<std::vector<Traffic>> run_ranks(std::size_t ranks, const std::function<void(Communicator&)>& work) {
  invariant(ranks > 0, "a job has at least one rank");
  Job job(ranks);
  std::vector<Traffic> sent(ranks);
  const auto run = [&](std::size_t rank) {
    ThreadRank communicator(job, rank);
    try {
      work(communicator);
    } catch (const JobIsOver&) {
      // Whoever ended the job has said why.
    } catch (const std::exception& thrown) {
      job.fail(fmt::format("rank {}: {}", rank, thrown.what()));
    } catch (...) {
      job.fail(fmt::format("rank {} threw something without words", rank));
    }
    sent[rank] = communicator.sent();
    job.ended(rank);
  };
  std::vector<std::thread> threads;
  threads.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
  if (job.failure()) return Error{ErrorCode::kUnavailable, *job.failure()};
  return sent;
}

}  // namespace unscatter
