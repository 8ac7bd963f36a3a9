// A graph and what is known of it as a row of the workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite.h"
#include "store/workspace_tables.h"
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
[[nodiscard]] Status write_graph(const WorkspaceTables& tables, std::size_t slot, const GraphRow& row);
// Calls take(slot, row) for all of them, one after the other.  Slots must be 0, 1, 2, ...  Errors: kMalformedInput,
// those of take.
[[nodiscard]] Status visit_graphs(const WorkspaceTables& tables,
                                  const std::function<Status(std::size_t slot, GraphRow& row)>& take);
// The same for the slots of one part.  `next`: its first slot; becomes the first one of the next part.
[[nodiscard]] Status visit_graphs_of_part(const WorkspaceTables& tables, std::size_t part, std::size_t& next,
                                          const std::function<Status(std::size_t slot, GraphRow& row)>& take);
// One more than the largest slot.
[[nodiscard]] Result<std::size_t> count_slots(const WorkspaceTables& tables);
// The slot of the graph that requests call by `number`; nothing if there is none.  Numbers ascend with slots.
[[nodiscard]] Result<std::optional<std::size_t>> slot_of_number(const WorkspaceTables& tables, std::size_t slots,
                                                                std::size_t number);
// The number of the graph in that slot, or of the one that was there.
[[nodiscard]] Result<std::size_t> number_of_slot(const WorkspaceTables& tables, std::size_t slot);
// The slot of the graph with this external id; nothing if there is none.
[[nodiscard]] Result<std::optional<std::size_t>> slot_with_id(const WorkspaceTables& tables, const std::string& id);
// Which of `count` slots from `first` on have a graph.  Graphs are not read for it.
[[nodiscard]] Result<std::vector<bool>> slots_in_use(const WorkspaceTables& tables, std::size_t first,
                                                     std::size_t count);
// A slot whose graph has this label and for which `wanted` is true; nothing if there is none.
[[nodiscard]] Result<std::optional<std::size_t>> slot_with_label(const WorkspaceTables& tables, std::uint32_t label,
                                                                 const std::function<bool(std::size_t)>& wanted);
[[nodiscard]] Result<GraphRow> read_graph(const WorkspaceTables& tables, std::size_t slot);
// Number, id and nodes_at_creation of a graph that is there; nothing else of the row is read.
[[nodiscard]] Result<GraphRow> read_graph_name(const WorkspaceTables& tables, std::size_t slot);

}  // namespace unscatter
