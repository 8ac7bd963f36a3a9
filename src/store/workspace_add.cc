// Additions: one transaction each.
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// What is committed to: the name of each new graph, and a digest of all that is known of it.
std::vector<std::string> texts_of_new_graphs(const PreparedRemoval& update) {
  std::vector<std::string> texts;
  for (const SlotChange& change : update.changes()) {
    if (!change.added) continue;
    const GraphKey key = change.graph_id != nullptr ? GraphKey(*change.graph_id) : GraphKey(change.number);
    const std::string& class_name = update.class_names()[change.label];
    texts.push_back(request_text(AddedGraph{key, addition_digest(*change.graph, class_name)}));
  }
  return texts;
}

}  // namespace

Result<PreparedRemoval> Workspace::State::prepare_addition(Dataset&& graphs) {
  if (outdated) return *outdated;
  UNSCATTER_TRY(live_session, live_with_kept_state());
  Stopwatch watch;
  Result<PreparedRemoval> update = live_session->prepare_addition(std::move(graphs));
  times.update += watch.lap();
  return update;
}

Result<Workspace::Removal> Workspace::prepare_addition(Dataset graphs) {
  DueDates dates = std::move(graphs.due);
  UNSCATTER_TRY(update, state_->prepare_addition(std::move(graphs)));
  Asked asked(EntryKind::kAdded, texts_of_new_graphs(update));
  Removal::Parts parts{state_.get(), std::move(update), std::move(asked), {}, std::move(dates)};
  return Removal(std::make_unique<Removal::Parts>(std::move(parts)));
}

Result<Forgotten> Workspace::add(Dataset graphs, const ForgetOptions& options) {
  UNSCATTER_CHECK_OK(state_->require_writable());  // before the work rather than after it
  UNSCATTER_TRY(addition, prepare_addition(std::move(graphs)));
  return addition.commit(options);
}

}  // namespace unscatter
