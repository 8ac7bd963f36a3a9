#include "comm/communicator.h"

#include <bit>

#include "unscatter/base/invariant.h"

namespace unscatter {

Communicator::~Communicator() = default;

void Communicator::send(std::size_t to, std::span<const std::byte> bytes) {
  invariant(to < size() && to != rank(), "a message goes to another rank of the job");
  do_send(to, bytes);
  ++sent_.messages;
  sent_.bytes += bytes.size();
}

void Communicator::receive(std::size_t from, std::span<std::byte> bytes) {
  invariant(from < size() && from != rank(), "a message comes from another rank of the job");
  do_receive(from, bytes);
}

void Communicator::broadcast(std::span<std::byte> bytes, std::size_t root) {
  invariant(root < size(), "a broadcast begins at a rank of the job");
  // Ranks counted from the root.  In round r, those below 2^r send to the one 2^r further.
  const std::size_t place = (rank() + size() - root) % size();
  const auto rank_at = [&](std::size_t at) { return (at + root) % size(); };
  if (place != 0) receive(rank_at(place - std::bit_floor(place)), bytes);
  for (std::size_t step = place == 0 ? 1 : 2 * std::bit_floor(place); place + step < size(); step *= 2) {
    send(rank_at(place + step), bytes);
  }
}

void Communicator::broadcast_any(std::vector<std::byte>& bytes, std::size_t root) {
  std::uint64_t count = bytes.size();
  broadcast_numbers(std::span(&count, 1), root);
  bytes.resize(count);
  if (count != 0) broadcast(bytes, root);
}

std::vector<std::vector<std::byte>> Communicator::gather(std::span<const std::byte> bytes, std::size_t root) {
  if (rank() != root) {
    const std::uint64_t count = bytes.size();
    send_numbers(root, std::span(&count, 1));
    if (count != 0) send(root, bytes);
    return {};
  }
  std::vector<std::vector<std::byte>> all(size());
  for (std::size_t from = 0; from < size(); ++from) {
    if (from == root) {
      all[from].assign(bytes.begin(), bytes.end());
      continue;
    }
    std::uint64_t count = 0;
    receive_numbers(from, std::span(&count, 1));
    all[from].resize(count);
    if (count != 0) receive(from, all[from]);
  }
  return all;
}

void Communicator::barrier() {
  // Everybody tells the first rank, and hears from it.
  std::byte token{};
  if (!is_first()) {
    send(0, std::span(&token, 1));
  } else {
    for (std::size_t from = 1; from < size(); ++from) receive(from, std::span(&token, 1));
  }
  broadcast(std::span(&token, 1));
}

}  // namespace unscatter
