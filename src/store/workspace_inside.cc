// Looking at what a workspace holds, without a session.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "store/expiry.h"
#include "store/stored_graph.h"
#include "store/workspace_state.h"

namespace unscatter {

Result<SlotSnapshot> Workspace::slot(std::size_t slot) const {
  if (slot >= state_->contents.tree.leaves()) {
    return Error{ErrorCode::kNotFound, fmt::format("the workspace has no slot {}", slot)};
  }
  UNSCATTER_TRY(row, read_graph(state_->tables, slot));
  return slot_from_row(row);
}

Result<Dataset> Workspace::remaining() const {
  Dataset dataset;
  dataset.name = state_->contents.constants.name;
  dataset.class_names = state_->contents.class_names;
  bool has_ids = false;
  // They are agreed with people, and so they outlive a training.
  std::map<std::size_t, std::int64_t> due;
  UNSCATTER_CHECK_OK(visit_due(state_->database, state_->contents.identity, [&](const DueKey& key, std::int64_t date) {
    if (const auto* slot = std::get_if<std::size_t>(&key)) {
      due.emplace(*slot, date);
    } else {
      dataset.due.subjects.emplace(std::get<std::string>(key), date);
    }
    return ok_status();
  }));
  UNSCATTER_CHECK_OK(visit_graphs(state_->tables, [&](std::size_t slot, GraphRow& row) -> Status {
    UNSCATTER_TRY(kept, slot_from_row(row));
    if (!kept.graph) return ok_status();
    dataset.graphs.push_back(*std::move(kept.graph));
    dataset.labels.push_back(kept.label);
    dataset.numbers.push_back(kept.number);
    has_ids = has_ids || !kept.graph_id.empty();
    dataset.graph_ids.push_back(std::move(kept.graph_id));
    if (due.empty()) return ok_status();
    const auto date = due.find(slot);
    dataset.due.graphs.push_back(date == due.end() ? std::nullopt : std::optional(date->second));
    return ok_status();
  }));
  if (!has_ids) dataset.graph_ids.clear();
  return dataset;
}

Result<std::vector<PublishedEntry>> Workspace::published_models() const {
  std::vector<PublishedEntry> models;
  UNSCATTER_CHECK_OK(visit_entries(state_->database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
    // Entries of other kinds are the many.  Canonical JSON has one spelling, so they need not be parsed to be passed
    // over.
    if (row.body.find(R"("kind":"released")") == std::string::npos) return ok_status();
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    models.push_back({sequence, record.published, record.time});
    return ok_status();
  }));
  return models;
}

}  // namespace unscatter
