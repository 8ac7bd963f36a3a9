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
  // The model stays; its counts do not.
  UNSCATTER_TRY(old_row, read_model(database));
  Result<StoredModel> kept = model_from_row(old_row, weight_rows(contents), info.class_names.size());
  if (!kept.ok()) return std::move(kept).error();
  kept->published = live_session->releases();
  const ModelRow model_row = to_row(*kept, *random);
  LedgerRecord record = next_entry(EntryKind::kReleased);
  record.data_after = record.data_before;
  record.model = model_row.digest();
  record.published = kept->published;
  const LedgerRow row = make_entry(record, *options.key);

  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(write_model(database, model_row));
  UNSCATTER_CHECK_OK(write_published(database, model));
  UNSCATTER_CHECK_OK(append_entry(database, record.sequence, row));
  UNSCATTER_CHECK_OK(commit(transaction));
  info.published = record.published;
  advance(std::move(record), row);
  UNSCATTER_CHECK_OK(checkpoint("the model is recorded as published"));
  return model;
}

Result<PublishedModel> Workspace::release(bool fresh) {
  if (!fresh) {
    UNSCATTER_TRY(current,
                  read_published(state_->database, weight_rows(state_->contents), state_->info.class_names.size()));
    if (current) return *std::move(current);
  }
  return state_->publish();
}

}  // namespace unscatter
