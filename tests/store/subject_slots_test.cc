#include "store/subject_slots.h"

#include <gtest/gtest.h>

#include <span>

#include "store/sample_workspace.h"

namespace unscatter {
namespace {

using testing::SampleWorkspace;

// By looking at all graphs.
std::map<std::string, std::vector<std::size_t>> counted_by_hand(const Workspace& workspace) {
  std::map<std::string, std::vector<std::size_t>> slots;
  for (std::size_t s = 0; s < workspace.info().slots; ++s) {
    const SlotSnapshot slot = workspace.slot(s).value();
    if (!slot.graph) continue;
    for (std::size_t i = 0; i < slot.graph->node_count(); ++i) {
      if (slot.graph->state(i) != NodeState::kTombstone) slots[slot.graph->node_id(i)].push_back(s);
    }
  }
  return slots;
}

TEST(SubjectSlots, AreThoseOfLivingNodes) {
  for (const NodeRemoval removal : {NodeRemoval::kCompact, NodeRemoval::kTombstone}) {
    testing::SampleChoice choice;
    choice.options.removal = removal;
    const SampleWorkspace sample(testing::sample_setup(1, choice));
    std::map<std::string, std::vector<std::size_t>> expected;
    {
      Workspace workspace = sample.create();
      const std::vector<RemovalRequest> requests = {ForgetNode{0u, 1u}, ForgetGraph{3u}, ForgetSubject{"u4"}};
      ASSERT_TRUE(workspace.forget(requests).ok());
      expected = counted_by_hand(workspace);
    }
    EXPECT_FALSE(expected.contains("u4"));
    sample.edit([&](const Database& database) {
      std::vector<std::string> ids = {"u4", "nobody", ""};
      for (const auto& [id, slots] : expected) ids.push_back(id);
      const auto found = slots_with(WorkspaceTables(database), ids).value();
      ASSERT_EQ(found.size(), ids.size());
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto known = expected.find(ids[i]);
        EXPECT_EQ(found[i], known == expected.end() ? std::vector<std::size_t>() : known->second) << ids[i];
      }
      const auto counts = graphs_per_subject(WorkspaceTables(database)).value();
      EXPECT_EQ(counts.size(), expected.size());
      for (const auto& [id, count] : counts) EXPECT_EQ(count, expected.at(id).size()) << id;
      EXPECT_TRUE(slots_with(WorkspaceTables(database), {}).value().empty());
    });
  }
}

}  // namespace
}  // namespace unscatter
