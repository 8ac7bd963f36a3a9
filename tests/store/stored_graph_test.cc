#include "store/stored_graph.h"

#include <gtest/gtest.h>

#include "base/testing/seeded_random.h"
#include "store/schema.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"

namespace unscatter {
namespace {

SlotSnapshot slot_to_store() {
  SlotSnapshot slot;
  slot.number = 17;
  slot.graph = testing::random_graph(1, testing::kRichGraph);
  slot.label = 2;
  slot.graph_id = std::string("id\0\xff", 4);
  slot.node_count_at_creation = 20;
  for (std::uint32_t i = 0; i < slot.graph->node_count(); ++i) slot.node_numbers.push_back(i + 3);
  return slot;
}

void expect_equal_slots(const SlotSnapshot& one, const SlotSnapshot& other) {
  EXPECT_EQ(one.number, other.number);
  EXPECT_EQ(one.graph, other.graph);
  EXPECT_EQ(one.label, other.label);
  EXPECT_EQ(one.graph_id, other.graph_id);
  EXPECT_EQ(one.node_count_at_creation, other.node_count_at_creation);
  EXPECT_EQ(one.node_numbers, other.node_numbers);
}

Result<std::vector<GraphRow>> all_graphs(const Database& database) {
  std::vector<GraphRow> rows;
  UNSCATTER_CHECK_OK(visit_graphs(WorkspaceTables(database), [&rows](std::size_t slot, GraphRow& row) {
    EXPECT_EQ(slot, rows.size());
    rows.push_back(std::move(row));
    return ok_status();
  }));
  return rows;
}

TEST(StoredGraph, GoesThroughTheTable) {
  const testing::TemporaryFolder folder(testing::memory_folder());
  const Database database = create_database(folder.path() / "graphs", std::chrono::milliseconds(0)).value();
  ASSERT_TRUE(create_tables(database).ok());
  testing::SeededRandom random(1);
  SlotSnapshot empty;
  empty.number = 18;
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(write_graph(WorkspaceTables(database), i, to_row(i == 0 ? slot_to_store() : empty, random)).ok());
  }
  const std::vector<GraphRow> rows = all_graphs(database).value();
  ASSERT_EQ(rows.size(), 2u);
  expect_equal_slots(slot_from_row(rows[0]).value(), slot_to_store());
  expect_equal_slots(slot_from_row(rows[1]).value(), empty);
  EXPECT_EQ(read_graph(WorkspaceTables(database), 0).value().leaf(0), rows[0].leaf(0));
  EXPECT_FALSE(read_graph(WorkspaceTables(database), 2).ok());

  // A row takes the place of the one before.
  ASSERT_TRUE(write_graph(WorkspaceTables(database), 0, to_row(empty, random)).ok());
  expect_equal_slots(slot_from_row(read_graph(WorkspaceTables(database), 0).value()).value(), empty);

  const auto refused = [&](const std::string& sql, const std::string& part) {
    ASSERT_TRUE(database.run("SAVEPOINT s; " + sql).ok());
    const auto read = all_graphs(database);
    ASSERT_FALSE(read.ok()) << sql;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformedInput);
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
    ASSERT_TRUE(database.run("ROLLBACK TO s; RELEASE s").ok());
  };
  refused("DELETE FROM graphs WHERE slot = 0", "slot 0: it is missing");
  refused("UPDATE graphs SET slot = 5 WHERE slot = 1", "slot 1: it is missing");
  refused("UPDATE graphs SET label = 0 WHERE slot = 0", "damaged");  // something of a graph that is gone
  ASSERT_TRUE(write_graph(WorkspaceTables(database), 0, to_row(slot_to_store(), random)).ok());
  refused("UPDATE graphs SET label = -1 WHERE slot = 0", "out of range");
  refused("UPDATE graphs SET nodes_at_creation = 4294967296 WHERE slot = 0", "out of range");
  refused("UPDATE graphs SET salt = zeroblob(31) WHERE slot = 0", "out of range");
}

TEST(StoredGraph, TheLeafCoversTheWholeRowAndItsPlace) {
  testing::SeededRandom random(1);
  const GraphRow row = to_row(slot_to_store(), random);
  const Digest leaf = row.leaf(4);
  EXPECT_NE(row.leaf(5), leaf);
  EXPECT_NE(to_row(slot_to_store(), random).leaf(4), leaf) << "a new row has a new salt";
  for (const auto change :
       {+[](GraphRow& r) { ++r.number; }, +[](GraphRow& r) { r.present = false; }, +[](GraphRow& r) { ++r.label; },
        +[](GraphRow& r) { r.graph_id += "x"; }, +[](GraphRow& r) { ++r.nodes_at_creation; },
        +[](GraphRow& r) { r.node_numbers[0] ^= std::byte{1}; }, +[](GraphRow& r) { r.content.back() ^= std::byte{1}; },
        +[](GraphRow& r) { r.salt.bytes[0] ^= 1; },
        +[](GraphRow& r) {
          r.content.insert(r.content.begin(), r.node_numbers.back());
          r.node_numbers.pop_back();
        }}) {
    GraphRow other = row;
    change(other);
    EXPECT_NE(other.leaf(4), leaf);
  }
}

// An empty slot says nothing about what was there: not even by a salt.
TEST(StoredGraph, EmptySlotsDifferByPlaceAndNumberOnly) {
  testing::SeededRandom random(1);
  SlotSnapshot empty;
  empty.number = 3;
  const Digest leaf = to_row(empty, random).leaf(3);
  EXPECT_EQ(to_row(empty, random).leaf(3), leaf);
  empty.number = 4;
  EXPECT_NE(to_row(empty, random).leaf(3), leaf);
}

TEST(StoredGraph, BytesThatAreNoGraphAreRefused) {
  testing::SeededRandom random(1);
  GraphRow row = to_row(slot_to_store(), random);
  row.node_numbers.pop_back();
  EXPECT_EQ(slot_from_row(row).error().code, ErrorCode::kMalformedInput);
  row = to_row(slot_to_store(), random);
  row.content.pop_back();
  EXPECT_EQ(slot_from_row(row).error().code, ErrorCode::kMalformedInput);
}

}  // namespace
}  // namespace unscatter
