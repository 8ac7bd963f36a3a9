#include "store/subject_slots.h"

#include <unordered_map>
#include <utility>

#include "base/wipe.h"
#include "store/member_index.h"
#include "store/schema.h"
#include "store/stored_graph.h"
#include "store/tables.h"

namespace unscatter {
namespace {

// Calls take(slot, id) for every living node that has an external id.
template <typename Take>
Status visit_subjects(const WorkspaceTables& tables, Take take) {
  return visit_graphs(tables, [&](std::size_t slot, GraphRow& row) -> Status {
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

// By the kept index.  Errors: kMalformedInput where a bucket is damaged.
Result<MemberIndex> index_of(const WorkspaceTables& tables) {
  UNSCATTER_TRY(identity, read_identity(tables.main()));
  return MemberIndex::open(tables, identity.list_key);
}

Result<std::vector<std::vector<std::size_t>>> slots_by_index(const WorkspaceTables& tables,
                                                             std::span<const std::string> ids) {
  UNSCATTER_TRY(index, index_of(tables));
  std::vector<std::vector<std::size_t>> slots;
  for (const std::string& id : ids) {
    UNSCATTER_TRY(found, index.slots_of(tables, MemberKind::kSubject, id));
    slots.push_back(std::move(found));
  }
  return slots;
}

Result<std::vector<std::vector<std::size_t>>> slots_by_graphs(const WorkspaceTables& tables,
                                                              std::span<const std::string> ids) {
  std::vector<std::vector<std::size_t>> slots(ids.size());
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < ids.size(); ++i) place.emplace(ids[i], i);
  UNSCATTER_CHECK_OK(visit_subjects(tables, [&](std::size_t slot, const std::string& id) {
    if (const auto found = place.find(id); found != place.end()) slots[found->second].push_back(slot);
  }));
  return slots;
}

}  // namespace

Result<std::vector<std::vector<std::size_t>>> slots_with(const WorkspaceTables& tables,
                                                         std::span<const std::string> ids) {
  if (ids.empty()) return std::vector<std::vector<std::size_t>>();
  UNSCATTER_TRY(kept, has_kept_tables(tables.main()));
  if (kept) {
    Result<std::vector<std::vector<std::size_t>>> found = slots_by_index(tables, ids);
    // A damaged index is not believed.  The graphs have the answer too.
    if (found.ok() || found.error().code != ErrorCode::kMalformedInput) return found;
  }
  return slots_by_graphs(tables, ids);
}

Result<std::map<std::string, std::size_t>> graphs_per_subject(const WorkspaceTables& tables) {
  std::map<std::string, std::size_t> counts;
  UNSCATTER_TRY(kept, has_kept_tables(tables.main()));
  if (kept) {
    Result<MemberIndex> index = index_of(tables);
    const auto count = [&](const std::string& id, const std::vector<std::size_t>& slots) {
      counts[id] += slots.size();
      return ok_status();
    };
    if (index.ok() && index->visit(tables, MemberKind::kSubject, count).ok()) return counts;
    counts.clear();
  }
  UNSCATTER_CHECK_OK(visit_subjects(tables, [&](std::size_t, const std::string& id) { ++counts[id]; }));
  return counts;
}

}  // namespace unscatter
