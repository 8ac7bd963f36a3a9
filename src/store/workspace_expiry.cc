// What must not be kept longer than agreed.
#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "store/expiry.h"
#include "store/stored_graph.h"
#include "store/subject_slots.h"
#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// The row that a due date is kept in.  Nothing for a graph that the workspace never had.
Result<std::optional<DueKey>> due_key(const Workspace::State& state, const RemovalRequest& what) {
  if (const auto* subject = std::get_if<ForgetSubject>(&what)) return std::optional<DueKey>(subject->id);
  const auto* graph = std::get_if<ForgetGraph>(&what);
  if (graph == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} takes no due date: a graph or a subject does", describe(what))};
  }
  const auto* id = std::get_if<std::string>(&graph->graph);
  UNSCATTER_TRY(slot, id != nullptr ? slot_with_id(state.tables, *id)
                                    : slot_of_number(state.tables, state.contents.tree.leaves(),
                                                     std::get<std::size_t>(graph->graph)));
  return slot ? std::optional<DueKey>(*slot) : std::nullopt;
}

Result<bool> is_held(const WorkspaceTables& tables, const DueKey& key) {
  if (const auto* id = std::get_if<std::string>(&key)) {
    UNSCATTER_TRY(slots, slots_with(tables, std::span(id, 1)));
    return !slots.front().empty();
  }
  UNSCATTER_TRY(row, read_graph(tables, std::get<std::size_t>(key)));
  return row.present;
}

Error not_held(const RemovalRequest& what) {
  return {ErrorCode::kNotFound, fmt::format("{} is not in the workspace (or is removed already)", describe(what))};
}

Result<RemovalRequest> request_about(const WorkspaceTables& tables, const DueKey& key) {
  if (const auto* id = std::get_if<std::string>(&key)) return RemovalRequest(ForgetSubject{*id});
  UNSCATTER_TRY(number, number_of_slot(tables, std::get<std::size_t>(key)));
  return RemovalRequest(ForgetGraph{number});
}

}  // namespace

Result<std::vector<DueDate>> Workspace::due(std::int64_t until) const {
  std::vector<DueDate> dates;
  const auto take = [&](const DueKey& key, std::int64_t due) -> Status {
    if (due > until) return ok_status();
    UNSCATTER_TRY(what, request_about(state_->tables, key));
    dates.push_back({std::move(what), due});
    return ok_status();
  };
  UNSCATTER_CHECK_OK(visit_due(state_->database, state_->contents.identity, take));
  return dates;
}

Result<DueSummary> Workspace::due_summary(std::int64_t now) const {
  UNSCATTER_TRY(counts, count_due(state_->database, state_->contents.identity, now));
  DueSummary summary{counts.rows, counts.overdue, counts.oldest, std::nullopt};
  if (counts.next) {
    UNSCATTER_TRY(what, request_about(state_->tables, counts.next->first));
    summary.next = DueDate{std::move(what), counts.next->second};
  }
  return summary;
}

Status Workspace::set_due(const RemovalRequest& what, std::optional<std::int64_t> due) {
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  UNSCATTER_TRY(key, due_key(state, what));
  if (!key) return not_held(what);
  if (due) {
    UNSCATTER_TRY(held, is_held(state.tables, *key));
    if (!held) return not_held(what);
  } else {
    UNSCATTER_TRY(before, read_due(state.database, *key));
    if (!before) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} has no due date, so there is none to take away", describe(what))};
    }
  }
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  UNSCATTER_TRY(change, DueChange::begin(state.database, state.contents.identity));
  UNSCATTER_CHECK_OK(due ? change.set(*key, *due) : change.erase(*key));
  UNSCATTER_CHECK_OK(change.finish(*state.options.key));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  return state.checkpoint(due ? "the due date is set" : "the due date is taken away");
}

Result<std::optional<Workspace::Removal>> Workspace::prepare_due(std::span<const DueDate> dates) {
  if (dates.empty()) return std::optional<Removal>();
  std::vector<RemovalRequest> requests;
  std::vector<DueKey> keys;
  for (const DueDate& date : dates) {
    requests.push_back(date.what);
    UNSCATTER_TRY(key, due_key(*state_, date.what));
    if (!key) return not_held(date.what);
    keys.push_back(*std::move(key));
  }
  // Graphs come before subjects.  A subject that was in these graphs only is then not there any more, and passed over.
  UNSCATTER_TRY(update, state_->prepare(requests, OnRefusal::kPassOver));
  if (update.empty()) return std::optional<Removal>();
  // The last one first: the others keep their places.
  const std::vector<Error>& refused = update.refused();
  for (std::size_t left = refused.size(); left > 0; --left) {
    requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(refused[left - 1].request.value()));
  }
  Removal::Parts parts{state_.get(), std::move(update), Asked(std::move(requests)), std::move(keys), {}};
  return std::optional(Removal(std::make_unique<Removal::Parts>(std::move(parts))));
}

Result<std::optional<Forgotten>> Workspace::expire(std::int64_t until, const ForgetOptions& options) {
  UNSCATTER_CHECK_OK(state_->require_writable());
  UNSCATTER_TRY(dates, due(until));
  UNSCATTER_TRY(removal, prepare_due(dates));
  if (removal) {
    UNSCATTER_TRY(outcome, removal->commit(options));
    return std::optional(std::move(outcome));
  }
  UNSCATTER_CHECK_OK(drop_due(dates));
  return std::optional<Forgotten>();
}

Result<std::size_t> Workspace::drop_due(std::span<const DueDate> dates) {
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  std::vector<DueKey> gone;
  for (const DueDate& date : dates) {
    UNSCATTER_TRY(key, due_key(state, date.what));
    if (!key) continue;
    UNSCATTER_TRY(held, is_held(state.tables, *key));
    if (!held) gone.push_back(*std::move(key));
  }
  if (gone.empty()) return std::size_t{0};
  UNSCATTER_TRY(transaction, Transaction::begin(state.database));
  UNSCATTER_TRY(change, DueChange::begin(state.database, state.contents.identity));
  for (const DueKey& key : gone) UNSCATTER_CHECK_OK(change.erase(key));
  UNSCATTER_CHECK_OK(change.finish(*state.options.key));
  UNSCATTER_CHECK_OK(state.commit(transaction));
  UNSCATTER_CHECK_OK(state.checkpoint("the due dates are taken away"));
  return gone.size();
}

}  // namespace unscatter
