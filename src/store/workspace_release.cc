// Publishing models.
#include <fmt/format.h>

#include <utility>

#include "base/wipe.h"
#include "store/workspace_state.h"

namespace unscatter {

// The session counts the release first: if writing it fails, one is lost, and none is published uncounted.
Result<PublishedModel> Workspace::State::publish() {
  UNSCATTER_CHECK_OK(require_writable());
  UNSCATTER_TRY(live_session, live());
  UNSCATTER_TRY(model, live_session->release());
  LedgerRecord entry = next_entry(EntryKind::kReleased);
  entry.published = published() + 1;
  model.release_number = entry.published;
  // The kept model stays; its counts do not.
  const ModelRow model_row = to_row(model_of(live_session->snapshot_without_slots(), entry.published), *random);
  entry.data_after = entry.data_before;
  entry.model = model_row.digest();
  const LedgerRow row = make_entry(entry, *options.key);

  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(write_model(database, model_row));
  UNSCATTER_CHECK_OK(write_published(database, model));
  UNSCATTER_CHECK_OK(append_entry(database, entry.sequence, row));
  UNSCATTER_CHECK_OK(commit(transaction));
  advance(std::move(entry), row.hash);
  UNSCATTER_CHECK_OK(checkpoint("the model is recorded as published"));
  return model;
}

Result<PublishedModel> Workspace::release(bool fresh) {
  if (!fresh) {
    UNSCATTER_TRY(current,
                  read_published(state_->database, weight_rows(state_->contents), class_count(state_->contents)));
    if (current) {
      const Promise& promise = state_->certificate().promise;
      current->promise.rule = promise.rule;  // these two are not shown in the file
      current->promise.delta_for_shift = promise.delta_for_shift;
      return *std::move(current);
    }
  }
  return state_->publish();
}

}  // namespace unscatter
