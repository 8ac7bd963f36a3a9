// What the first rank asks of the others.
//
// Every message of the first rank begins with its kind: an order is one of these, and what begins with kLearnerMessage
// is about learners whose rows the ranks share (unlearn/learner_mirrors.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "unlearn/learner_mirrors.h"

namespace unscatter::cluster {

enum class Operation : std::uint64_t {
  kEnd = 0,       // the job is done
  kEmbedder = 1,  // broadcast_any(): the text of an embedder, for all that follows
  kEmbed = 2,     // a = rounds, b = threads: blocks of graphs come, blocks of rows go back
  kFile = 3,      // a = bytes of the file, b = threads, c = 1: symmetrise, + 2: scores, + 4: rule (Crew::embed_file())
  kRows = 4,      // a = columns, b = threads: rows come, to be shared (shared_rows.h)
  kShards = 5,    // b = threads: every rank reads the rows of some shards, to be shared (shared_rows.h)
  // Rows that come one after the other (unlearn/row_pile.h, piled_rows.h).
  kPile = 6,       // a = columns, b = threads: there are none yet
  kPileRows = 7,   // a = rank: a block for it comes
  kPileShare = 8,  // labels come, and the rows are shared
  kPileBlock = 9,  // a = rank, b = its row: a block from there on goes back
  kPileEnd = 10,   // the rows are not needed any more
  kSurvey = 11,    // b = threads: every rank surveys its part of a file; its rows go to the pile (file_survey.h)
};
// The first byte of an order is that of its number.
static_assert(static_cast<unsigned char>(kLearnerMessage) > 11);

struct Order {
  Operation operation = Operation::kEnd;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
};

// Two broadcasts: of a length and of 32 bytes.
inline void give_order(Communicator& job, Order order) {
  std::vector<std::byte> bytes(sizeof(order));
  std::memcpy(bytes.data(), &order, sizeof(order));
  job.broadcast_any(bytes);
}
// Of a message that is no message about learners.  One of another length asks for nothing that exists.
[[nodiscard]] inline Order order_in(std::span<const std::byte> message) {
  Order order{static_cast<Operation>(~std::uint64_t{0})};
  if (message.size() == sizeof(order)) std::memcpy(&order, message.data(), sizeof(order));
  return order;
}

}  // namespace unscatter::cluster
