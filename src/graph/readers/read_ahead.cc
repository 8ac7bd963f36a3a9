#include "graph/readers/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace unscatter::readers {
namespace {

// Blocks of half a megabyte are handed over rarely and stay in the second-level cache.  Eight of them let one of the
// two threads pause for a while on a shared core before the other one has to wait.
constexpr std::size_t kAheadBytes = std::size_t{1} << 19;
constexpr std::size_t kBlocks = 8;

class ReadAhead final : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource>& source)
      // Name and size are copied, because the source belongs to the other thread from now on.
      : name_(source->name()), claimed_size_(source->claimed_size()), source_(*source) {
    thread_ = std::jthread([this](const std::stop_token& stop) { produce(stop); });
    owned_ = std::move(source);  // only now: if the thread did not start, the caller keeps the source
  }
  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);  // without it the request could come between the thread's test and its sleep
      thread_.request_stop();
    }
    changed_.notify_all();
    thread_.join();  // before the members that it uses are destroyed
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (position_ == block_.size()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !filled_.empty() || ended_; });
      if (filled_.empty()) {
        // The error comes after all bytes that were read before it, as it would without the thread.
        if (error_) return *error_;
        return std::size_t{0};
      }
      // The block that was read goes back to the producer: after the start nothing is allocated any more.
      block_.swap(filled_.front());
      empty_.push_back(std::move(filled_.front()));
      filled_.pop_front();
      position_ = 0;
      lock.unlock();
      changed_.notify_all();
    }
    const std::size_t count = std::min(into.size(), block_.size() - position_);
    std::copy_n(block_.data() + position_, count, into.data());
    position_ += count;
    return count;
  }
  const std::string& name() const override { return name_; }
  std::uint64_t claimed_size() const override { return claimed_size_; }

 private:
  void produce(const std::stop_token& stop) {
    try {
      for (;;) {
        std::vector<char> block = next_empty(stop);
        if (stop.stop_requested()) return;
        block.resize(kAheadBytes);
        Result<std::size_t> count = source_.read(block);
        if (!count.ok() || *count == 0) return finish(count.ok() ? std::nullopt : std::optional(count.error()));
        block.resize(*count);
        {
          const std::lock_guard lock(mutex_);
          filled_.push_back(std::move(block));
        }
        changed_.notify_all();
      }
    } catch (const std::bad_alloc&) {
      // An exception that leaves a thread ends the program.
      finish(Error{ErrorCode::kLimitExceeded, name_ + ": not enough memory"});
    }
  }

  std::vector<char> next_empty(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    // The producer stops when kBlocks are full.  Otherwise a fast source would fill the memory.
    changed_.wait(lock, [&] { return filled_.size() < kBlocks || stop.stop_requested(); });
    if (empty_.empty()) return {};
    std::vector<char> block = std::move(empty_.back());
    empty_.pop_back();
    return block;
  }

  void finish(std::optional<Error> error) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      error_ = std::move(error);
    }
    changed_.notify_all();
  }

  std::string name_;
  std::uint64_t claimed_size_;
  ByteSource& source_;
  std::unique_ptr<ByteSource> owned_;

  std::vector<char> block_;  // belongs to the reading thread, so it needs no lock
  std::size_t position_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<char>> filled_;
  std::vector<std::vector<char>> empty_;
  bool ended_ = false;
  std::optional<Error> error_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source) {
  try {
    return std::make_unique<ReadAhead>(source);
    // The system has no thread left.  Reading works without one, only slower.
  } catch (const std::system_error&) {
    return source;
  }
}

}  // namespace unscatter::readers
