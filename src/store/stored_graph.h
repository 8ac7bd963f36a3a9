// A graph and what is known of it as a row of the workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// An empty slot has a number and nothing else.
struct GraphRow {
  std::size_t number = 0;
  bool present = false;
  std::uint32_t label = 0;
  std::string graph_id;
  std::uint32_t nodes_at_creation = 0;
  std::vector<std::byte> node_numbers;  // 4 bytes each, little-endian
  std::vector<std::byte> content;
  Salt salt;

  // Commits to the row as the `slot`-th.  The salt is new whenever the row is.  So an old commitment hides the old row.
  [[nodiscard]] Digest leaf(std::size_t slot) const;
};

[[nodiscard]] GraphRow to_row(const SlotSnapshot& slot, RandomSource& random);
// Errors: kMalformedInput.
[[nodiscard]] Result<SlotSnapshot> slot_from_row(const GraphRow& row);

// Replaces the row of that slot, if there is one.
[[nodiscard]] Status write_graph(const Database& database, std::size_t slot, const GraphRow& row);
// Calls take(slot, row) for all of them, one after the other.  Slots must be 0, 1, 2, ...  Errors: kMalformedInput,
// those of take.
[[nodiscard]] Status visit_graphs(const Database& database,
                                  const std::function<Status(std::size_t slot, GraphRow& row)>& take);
// One more than the largest slot.
[[nodiscard]] Result<std::size_t> count_slots(const Database& database);
// The slot of the graph that requests call by `number`; nothing if there is none.  Numbers ascend with slots.
[[nodiscard]] Result<std::optional<std::size_t>> slot_of_number(const Database& database, std::size_t slots,
                                                                std::size_t number);
// A slot whose graph has this label and for which `wanted` is true; nothing if there is none.
[[nodiscard]] Result<std::optional<std::size_t>> slot_with_label(const Database& database, std::uint32_t label,
                                                                 const std::function<bool(std::size_t)>& wanted);
[[nodiscard]] Result<GraphRow> read_graph(const Database& database, std::size_t slot);

}  // namespace unscatter
