// What the first rank asks of the others.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "comm/communicator.h"

namespace unscatter::cluster {

enum class Operation : std::uint64_t {
  kEnd = 0,       // the job is done
  kEmbedder = 1,  // broadcast_any(): the text of an embedder, for all that follows
  kEmbed = 2,     // a = rounds, b = threads: blocks of graphs come, blocks of rows go back
  kFile = 3,      // a = bytes of the file, b = threads, c = 1: symmetrise; see Crew::embed_file()
};

// A broadcast of this begins every operation.
struct Order {
  Operation operation = Operation::kEnd;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

inline void give_order(Communicator& job, Order order) { job.broadcast_numbers(std::span(&order, 1)); }
[[nodiscard]] inline Order take_order(Communicator& job) {
  Order order;
  job.broadcast_numbers(std::span(&order, 1));
  return order;
}

}  // namespace unscatter::cluster
