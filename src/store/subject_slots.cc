#include "store/subject_slots.h"

#include <unordered_map>
#include <utility>

#include "base/wipe.h"
#include "store/stored_graph.h"

namespace unscatter {
namespace {

// Calls take(slot, id) for every living node that has an external id.
template <typename Take>
Status visit_subjects(const Database& database, Take take) {
  return visit_graphs(database, [&](std::size_t slot, GraphRow& row) -> Status {
    if (!row.present) return ok_status();
    Result<SlotSnapshot> kept = slot_from_row(row);
    // A second copy in freed memory would outlive the removal of the graph.
    wipe(row.content);
    if (!kept.ok()) return std::move(kept).error();
    Graph& graph = *kept->graph;
    for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
      // A tombstone keeps a place but no id that counts.
      if (graph.state(i) != NodeState::kTombstone) take(slot, graph.node_id(i));
    }
    graph.wipe();
    return ok_status();
  });
}

}  // namespace

Result<std::vector<std::vector<std::size_t>>> slots_with(const Database& database, std::span<const std::string> ids) {
  std::vector<std::vector<std::size_t>> slots(ids.size());
  if (ids.empty()) return slots;
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < ids.size(); ++i) place.emplace(ids[i], i);
  UNSCATTER_CHECK_OK(visit_subjects(database, [&](std::size_t slot, const std::string& id) {
    if (const auto found = place.find(id); found != place.end()) slots[found->second].push_back(slot);
  }));
  return slots;
}

Result<std::map<std::string, std::size_t>> graphs_per_subject(const Database& database) {
  std::map<std::string, std::size_t> counts;
  UNSCATTER_CHECK_OK(visit_subjects(database, [&](std::size_t, const std::string& id) { ++counts[id]; }));
  return counts;
}

}  // namespace unscatter
