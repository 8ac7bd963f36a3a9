#include "store/cold.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/wipe.h"
#include "store/member_index.h"
#include "store/models_before.h"
#include "store/stored_graph.h"

namespace unscatter {
namespace {

// The graph in that slot, if it is the one that the tree knows.
Result<GraphRow> known_graph(const WorkspaceTables& tables, Contents& contents, std::size_t slot) {
  UNSCATTER_TRY(row, read_graph(tables, slot));
  UNSCATTER_TRY(leaf, contents.tree.leaf(tables.main(), slot));
  if (row.leaf(slot) == leaf) return row;
  return Error{ErrorCode::kMalformedInput,
               fmt::format("the workspace is damaged: the graph in slot {} is not what the ledger says", slot)};
}

Status add_slots_of(const WorkspaceTables& tables, const Contents& contents, MemberIndex& index, const GraphKey& key,
                    std::set<std::size_t>& slots) {
  if (const auto* id = std::get_if<std::string>(&key)) {
    UNSCATTER_TRY(found, index.slots_of(tables, MemberKind::kGraphId, *id));
    slots.insert(found.begin(), found.end());
    return ok_status();
  }
  UNSCATTER_TRY(found, slot_of_number(tables, contents.tree.leaves(), std::get<std::size_t>(key)));
  if (found) slots.insert(*found);
  return ok_status();
}

// Requests and corrections are variants.  All of their alternatives name a graph, apart from ForgetSubject.
template <typename Request>
Result<std::vector<std::size_t>> slots_of_all(const WorkspaceTables& tables, const Contents& contents,
                                              std::span<const Request> requests) {
  UNSCATTER_TRY(index, MemberIndex::open(tables, contents.identity.list_key));
  std::set<std::size_t> slots;
  for (const Request& request : requests) {
    UNSCATTER_CHECK_OK(std::visit(
        [&](const auto& one) -> Status {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, ForgetSubject>) {
            UNSCATTER_TRY(found, index.slots_of(tables, MemberKind::kSubject, one.id));
            slots.insert(found.begin(), found.end());
            return ok_status();
          } else {
            return add_slots_of(tables, contents, index, one.graph, slots);
          }
        },
        request));
  }
  return std::vector<std::size_t>(slots.begin(), slots.end());
}

// Whether one of the other graphs shows that no constant changes, whatever becomes of these.  A few are looked at: as a
// rule all graphs have the same form, and where a fit hangs on few graphs, all have to be asked anyway.
Result<bool> others_show_fit(const WorkspaceTables& tables, Contents& contents, const std::vector<std::size_t>& slots) {
  constexpr std::size_t kAsked = 16;
  const std::size_t leaves = contents.tree.leaves();
  for (std::size_t i = 0; i < std::min(kAsked, leaves); ++i) {
    const std::size_t slot = i * leaves / std::min(kAsked, leaves);
    if (std::binary_search(slots.begin(), slots.end(), slot)) continue;
    Result<GraphRow> row = known_graph(tables, contents, slot);
    // It would only save time.  Whoever needs it says that it is damaged.
    if (!row.ok() && row.error().code == ErrorCode::kMalformedInput) continue;
    UNSCATTER_CHECK_OK(row);
    UNSCATTER_TRY(kept, slot_from_row(*row));
    wipe(row->content);
    if (!kept.graph) continue;
    const bool shown = contents.embedder->fit_shown_by(*kept.graph);
    kept.graph->wipe();
    if (shown) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<std::size_t>> touched_slots(const WorkspaceTables& tables, const Contents& contents,
                                               std::span<const RemovalRequest> requests) {
  return slots_of_all(tables, contents, requests);
}

Result<std::vector<std::size_t>> touched_slots(const WorkspaceTables& tables, const Contents& contents,
                                               std::span<const Correction> corrections) {
  return slots_of_all(tables, contents, corrections);
}

Result<SessionSnapshot> read_part(const WorkspaceTables& tables, Contents& contents,
                                  const std::vector<std::size_t>& slots) {
  SessionSnapshot part = contents.snapshot;
  part.slots.clear();
  OtherSlots others;
  others.slots = contents.tree.leaves();
  others.places = slots;
  std::size_t here = 0;
  bool fit_may_change = false;
  std::set<std::uint32_t> classes;
  for (const std::size_t slot : slots) {
    UNSCATTER_TRY(row, known_graph(tables, contents, slot));
    UNSCATTER_TRY(kept, slot_from_row(row));
    // The graph has its own copy.
    wipe(row.content);
    if (kept.graph) {
      ++here;
      classes.insert(kept.label);
      fit_may_change = fit_may_change || contents.embedder->fit_may_change(*kept.graph, nullptr);
    }
    part.slots.push_back(std::move(kept));
  }
  const std::size_t graphs = contents.chain.last.graphs;
  if (graphs < here) {
    return Error{ErrorCode::kMalformedInput, "the workspace is damaged: it has more graphs than the ledger says"};
  }
  others.graphs = graphs - here;
  UNSCATTER_TRY(before, models_before(tables.main(), contents));
  part.models_before = std::move(before);
  // A class that follows the data leaves with its last graph.  One other graph shows that it stays.
  const bool classes_stay = contents.constants.options.classes != ConstantKind::kPrivateFit;
  others.have_class.assign(contents.class_names.size(), classes_stay);
  for (const std::uint32_t label : classes) {
    if (classes_stay || label >= others.have_class.size()) continue;
    const auto elsewhere = [&](std::size_t slot) { return !std::binary_search(slots.begin(), slots.end(), slot); };
    UNSCATTER_TRY(other, slot_with_label(tables, label, elsewhere));
    if (!other) continue;
    UNSCATTER_TRY(row, known_graph(tables, contents, *other));
    wipe(row.content);
    others.have_class[label] = row.present && row.label == label;
  }
  if (fit_may_change) {
    UNSCATTER_TRY(shown, others_show_fit(tables, contents, slots));
    others.show_fit = shown;
  }
  part.others = std::move(others);
  return part;
}

}  // namespace unscatter
