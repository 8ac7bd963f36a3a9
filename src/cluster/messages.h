// Messages whose length the receiver does not know: two messages, or one if there is nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.h"

namespace unscatter::cluster {

inline void send_any(Communicator& job, std::size_t to, std::span<const std::byte> bytes) {
  const std::uint64_t count = bytes.size();
  job.send_numbers(to, std::span(&count, 1));
  if (count > 0) job.send(to, bytes);
}

[[nodiscard]] inline std::vector<std::byte> receive_any(Communicator& job, std::size_t from) {
  std::uint64_t count = 0;
  job.receive_numbers(from, std::span(&count, 1));
  std::vector<std::byte> bytes(count);
  if (count > 0) job.receive(from, bytes);
  return bytes;
}

}  // namespace unscatter::cluster
