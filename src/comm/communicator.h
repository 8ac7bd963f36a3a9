// Ranks that work on one job and send each other bytes.
//
// An implementation moves bytes between two ranks: single_process.h, threads.h (ranks of one process) and MPI (a module
// that is loaded where it is needed).  Everything else is built on that here.  So every implementation sends the same
// messages in the same order, and what is counted with threads is what a cluster sends (docs/scale.md).
//
// Sums are added in the order that SumTree states and never in the order in which messages arrive.  So they are equal,
// bit for bit, for any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace unscatter {

// What one rank has sent.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// A rank's end of the job.  One thread at a time.  Not movable: others refer to it.
//
// No call returns an error.  Where a rank has died, hangs or left, the implementation ends the job on all ranks, with
// one sentence that names the rank (abort()).
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator();

  [[nodiscard]] virtual std::size_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;  // at least 1
  [[nodiscard]] bool is_first() const noexcept { return rank() == 0; }
  // Ends the job on all ranks.  Nothing that was not yet acknowledged is lost by this, because whoever acknowledges has
  // written before.
  [[noreturn]] virtual void abort(std::string_view reason) = 0;

  // Messages between two ranks arrive in the order in which they were sent.  The receiver states the number of bytes;
  // another number is a broken invariant.  A rank does not send to itself.  send() may wait until the receiver takes
  // the bytes: of two ranks that send to each other, one receives first.
  void send(std::size_t to, std::span<const std::byte> bytes);
  void receive(std::size_t from, std::span<std::byte> bytes);

  // The following are called by all ranks, in the same order.

  // `bytes` of rank `root` on all ranks.  The others give as many bytes.  size() - 1 messages, along a binomial tree.
  void broadcast(std::span<std::byte> bytes, std::size_t root = 0);
  // The same where the others do not know the number of bytes: two broadcasts.
  void broadcast_any(std::vector<std::byte>& bytes, std::size_t root = 0);
  // The bytes of every rank on rank `root`, in the order of ranks; empty elsewhere.
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, std::size_t root = 0);
  // Returns when every rank has called it.
  void barrier();

  // So much was sent by this rank since it began.
  [[nodiscard]] const Traffic& sent() const noexcept { return sent_; }

  // Numbers.
  template <typename Number>
  requires std::is_trivially_copyable_v<Number>
  void send_numbers(std::size_t to, std::span<const Number> numbers) { send(to, std::as_bytes(numbers)); }
  template <typename Number>
  requires std::is_trivially_copyable_v<Number>
  void receive_numbers(std::size_t from, std::span<Number> numbers) { receive(from, std::as_writable_bytes(numbers)); }
  template <typename Number>
  requires std::is_trivially_copyable_v<Number>
  void broadcast_numbers(std::span<Number> numbers, std::size_t root = 0) {
    broadcast(std::as_writable_bytes(numbers), root);
  }

 protected:
  virtual void do_send(std::size_t to, std::span<const std::byte> bytes) = 0;
  virtual void do_receive(std::size_t from, std::span<std::byte> bytes) = 0;

 private:
  Traffic sent_;
};

}  // namespace unscatter
