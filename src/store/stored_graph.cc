#include "store/stored_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "store/graph_blob.h"

namespace unscatter {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

constexpr std::string_view kColumns = "number, label, graph_id, nodes_at_creation, node_numbers, content, salt";

Error broken(std::size_t slot, std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: graph in slot {}: {}", slot, what)};
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Columns from `first` on, in the order of kColumns.  All optional columns are NULL, or none is.  A row in between is
// neither a graph nor an empty slot, and one of the reads below refuses it.
Result<GraphRow> row_at(const Statement& statement, int first, std::size_t slot) {
  GraphRow row;
  UNSCATTER_TRY(number, statement.integer(first));
  row.number = static_cast<std::size_t>(number);
  const int optional_columns = 6;
  int nulls = 0;
  for (int c = 1; c <= optional_columns; ++c) nulls += statement.is_null(first + c) ? 1 : 0;
  if (nulls == optional_columns) return row;
  row.present = true;
  UNSCATTER_TRY(label, statement.integer(first + 1));
  UNSCATTER_TRY(graph_id, statement.blob(first + 2));
  UNSCATTER_TRY(nodes, statement.integer(first + 3));
  UNSCATTER_TRY(node_numbers, statement.blob(first + 4));
  UNSCATTER_TRY(content, statement.blob(first + 5));
  UNSCATTER_TRY(salt, statement.blob(first + 6));
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (label < 0 || label > kMost || nodes < 0 || nodes > kMost || salt.size() != sizeof(Salt::bytes)) {
    return broken(slot, "a number is out of range");
  }
  row.label = static_cast<std::uint32_t>(label);
  row.graph_id.assign(reinterpret_cast<const char*>(graph_id.data()), graph_id.size());
  row.nodes_at_creation = static_cast<std::uint32_t>(nodes);
  row.node_numbers = std::move(node_numbers);
  row.content = std::move(content);
  std::memcpy(row.salt.bytes.data(), salt.data(), salt.size());
  return row;
}

}  // namespace

Digest GraphRow::leaf(std::size_t slot) const {
  if (!present) {
    // No salt: slot and number are all that is left, they never change, and there is nothing to hide.
    return Hasher()
        .add(std::string_view("unscatter empty slot 1"))
        .add(std::uint64_t{slot})
        .add(std::uint64_t{number})
        .finish();
  }
  Hasher hasher(salt);
  hasher.add(std::string_view("unscatter graph row 1")).add(std::uint64_t{slot}).add(std::uint64_t{number});
  hasher.add(std::uint64_t{label}).add(graph_id).add(std::uint64_t{nodes_at_creation});
  // Lengths come first.  Bytes cannot move from one column to the next without a change of the digest.
  hasher.add(std::uint64_t{node_numbers.size()}).add_bytes(node_numbers);
  hasher.add(std::uint64_t{content.size()}).add_bytes(content);
  return hasher.finish();
}

GraphRow to_row(const SlotSnapshot& slot, RandomSource& random) {
  GraphRow row;
  row.number = slot.number;
  if (!slot.graph) return row;
  row.present = true;
  row.label = slot.label;
  row.graph_id = slot.graph_id;
  row.nodes_at_creation = slot.node_count_at_creation;
  const auto numbers = std::as_bytes(std::span(slot.node_numbers));
  row.node_numbers.assign(numbers.begin(), numbers.end());
  row.content = to_blob(*slot.graph);
  // Always a new one.  The salt of the row before is overwritten with that row, and its digest in the ledger then
  // confirms no guess (docs/workspace-format.md, "Why salts everywhere").
  row.salt = Salt::random(random);
  return row;
}

Result<SlotSnapshot> slot_from_row(const GraphRow& row) {
  SlotSnapshot slot;
  slot.number = row.number;
  if (!row.present) return slot;
  if (row.node_numbers.size() % sizeof(std::uint32_t) != 0) {
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("the workspace is damaged: graph {}: its nodes' numbers", row.number)};
  }
  UNSCATTER_TRY(graph, graph_from_blob(row.content));
  slot.graph = std::move(graph);
  slot.label = row.label;
  slot.graph_id = row.graph_id;
  slot.node_count_at_creation = row.nodes_at_creation;
  slot.node_numbers.resize(row.node_numbers.size() / sizeof(std::uint32_t));
  if (!row.node_numbers.empty())
    std::memcpy(slot.node_numbers.data(), row.node_numbers.data(), row.node_numbers.size());
  return slot;
}

Status write_graph(const WorkspaceTables& tables, std::size_t slot, const GraphRow& row) {
  // Parameters that are not bound are NULL, which is what an empty slot has.  What the old row held is overwritten with
  // zeros (`secure_delete`).
  Statement statement = tables.of_slot(slot).prepare(
      fmt::format("INSERT OR REPLACE INTO graphs(slot, {}) VALUES(?, ?, ?, ?, ?, ?, ?, ?)", kColumns));
  statement.bind(1, static_cast<std::int64_t>(slot)).bind(2, static_cast<std::int64_t>(row.number));
  if (row.present) {
    statement.bind(3, std::int64_t{row.label})
        .bind(4, bytes_of(row.graph_id))
        .bind(5, std::int64_t{row.nodes_at_creation})
        .bind(6, row.node_numbers)
        .bind(7, row.content)
        .bind(8, std::as_bytes(std::span(row.salt.bytes)));
  }
  return statement.run();
}

Status visit_graphs_of_part(const WorkspaceTables& tables, std::size_t part, std::size_t& next,
                            const std::function<Status(std::size_t slot, GraphRow& row)>& take) {
  Statement statement = tables.part(part).prepare(fmt::format("SELECT slot, {} FROM graphs ORDER BY slot", kColumns));
  for (;; ++next) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) return ok_status();
    UNSCATTER_TRY(slot, statement.integer(0));
    // Invariant 2.  A slot is a graph's place in the tree.  A gap would move all later leaves.
    if (slot != static_cast<std::int64_t>(next)) return broken(next, "it is missing");
    if (tables.partition().part_of(next) != part) return broken(next, "it is in the wrong shard");
    UNSCATTER_TRY(row, row_at(statement, 1, next));
    UNSCATTER_CHECK_OK(take(next, row));
  }
}

Status visit_graphs(const WorkspaceTables& tables, const std::function<Status(std::size_t slot, GraphRow& row)>& take) {
  std::size_t next = 0;
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    UNSCATTER_CHECK_OK(visit_graphs_of_part(tables, part, next, take));
    // A graph that a shard has lost at its end would be missed at the beginning of the next one only.
    if (part + 1 < tables.parts() && next != tables.partition().end(part)) return broken(next, "it is missing");
  }
  return ok_status();
}

Result<std::size_t> count_slots(const WorkspaceTables& tables) {
  // No shard is made empty, so the last one has the answer.
  Statement statement = tables.part(tables.parts() - 1).prepare("SELECT slot FROM graphs ORDER BY slot DESC LIMIT 1");
  UNSCATTER_TRY(found, statement.step());
  if (!found) return std::size_t{0};
  UNSCATTER_TRY(last, statement.integer(0));
  if (last < 0) return broken(0, "its number is negative");
  return static_cast<std::size_t>(last) + 1;
}

Result<std::size_t> number_of_slot(const WorkspaceTables& tables, std::size_t slot) {
  Statement statement = tables.of_slot(slot).prepare("SELECT number FROM graphs WHERE slot = ?");
  statement.bind(1, static_cast<std::int64_t>(slot));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return broken(slot, "it is missing");
  UNSCATTER_TRY(number, statement.integer(0));
  return static_cast<std::size_t>(number);
}

Result<std::optional<std::size_t>> slot_of_number(const WorkspaceTables& tables, std::size_t slots,
                                                  std::size_t number) {
  std::size_t low = 0;
  for (std::size_t high = slots; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    UNSCATTER_TRY(here, number_of_slot(tables, middle));
    if (here == number) return std::optional(middle);
    if (here < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::optional<std::size_t>();
}

Result<std::optional<std::size_t>> slot_with_id(const WorkspaceTables& tables, const std::string& id) {
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    Statement statement = tables.part(part).prepare("SELECT slot FROM graphs WHERE graph_id = ?");
    statement.bind(1, bytes_of(id));
    UNSCATTER_TRY(found, statement.step());
    if (!found) continue;
    UNSCATTER_TRY(slot, statement.integer(0));
    return std::optional(static_cast<std::size_t>(slot));
  }
  return std::optional<std::size_t>();
}

Result<std::optional<std::size_t>> slot_with_label(const WorkspaceTables& tables, std::uint32_t label,
                                                   const std::function<bool(std::size_t)>& wanted) {
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    Statement statement = tables.part(part).prepare("SELECT slot FROM graphs WHERE label = ?");
    statement.bind(1, std::int64_t{label});
    for (;;) {
      UNSCATTER_TRY(found, statement.step());
      if (!found) break;
      UNSCATTER_TRY(slot, statement.integer(0));
      if (wanted(static_cast<std::size_t>(slot))) return std::optional(static_cast<std::size_t>(slot));
    }
  }
  return std::optional<std::size_t>();
}

Result<std::vector<bool>> slots_in_use(const WorkspaceTables& tables, std::size_t first, std::size_t count) {
  std::vector<bool> used(count, false);
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    const std::size_t begin = std::max(first, tables.partition().first(part));
    const std::size_t end = std::min(first + count, tables.partition().end(part));
    if (begin >= end) continue;
    // By a column that stands before the graph, which is then not read.
    Statement statement =
        tables.part(part).prepare("SELECT slot FROM graphs WHERE slot >= ? AND slot < ? AND label IS NOT NULL");
    statement.bind(1, static_cast<std::int64_t>(begin)).bind(2, static_cast<std::int64_t>(end));
    for (;;) {
      UNSCATTER_TRY(more, statement.step());
      if (!more) break;
      UNSCATTER_TRY(slot, statement.integer(0));
      used[static_cast<std::size_t>(slot) - first] = true;
    }
  }
  return used;
}

Result<GraphRow> read_graph(const WorkspaceTables& tables, std::size_t slot) {
  Statement statement = tables.of_slot(slot).prepare(fmt::format("SELECT {} FROM graphs WHERE slot = ?", kColumns));
  statement.bind(1, static_cast<std::int64_t>(slot));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return broken(slot, "it is missing");
  return row_at(statement, 0, slot);
}

Result<GraphRow> read_graph_name(const WorkspaceTables& tables, std::size_t slot) {
  Statement statement =
      tables.of_slot(slot).prepare("SELECT number, graph_id, nodes_at_creation FROM graphs WHERE slot = ?");
  statement.bind(1, static_cast<std::int64_t>(slot));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return broken(slot, "it is missing");
  UNSCATTER_TRY(number, statement.integer(0));
  UNSCATTER_TRY(id, statement.blob_view(1));
  UNSCATTER_TRY(nodes, statement.integer(2));
  GraphRow row;
  row.number = static_cast<std::size_t>(number);
  row.graph_id.assign(reinterpret_cast<const char*>(id.data()), id.size());
  row.nodes_at_creation = static_cast<std::uint32_t>(nodes);
  return row;
}

}  // namespace unscatter
