// Publishing models.
#include <fmt/format.h>

#include <utility>

#include "base/wipe.h"
#include "store/schema.h"
#include "store/workspace_state.h"

namespace unscatter {

// The session counts the release first.  If writing it fails, one is lost, and none is published uncounted.
Result<PublishedModel> Workspace::State::publish() {
  UNSCATTER_CHECK_OK(require_writable());
  UNSCATTER_TRY(live_session, publisher());
  // A session certifies every update that it makes, and an opening refuses what does not meet its guarantee.  This is
  // the last place to notice that both were wrong.
  if (!live_session->certificate().satisfied) {
    return Error{ErrorCode::kMalformedInput,
                 "the kept model does not meet its guarantee, so nothing of it is published"};
  }
  UNSCATTER_TRY(model, live_session->release());
  LedgerRecord entry = next_entry(EntryKind::kReleased);
  entry.published = published() + 1;
  model.release_number = entry.published;
  // The kept model stays, but its counts change.
  const ModelRow model_row = to_row(model_of(live_session->snapshot_without_slots(), entry.published), *random);
  entry.data_after = entry.data_before;
  entry.model = model_row.digest();
  entry.published_model = published_digest(document_of(contents, model));
  const LedgerRow row = make_entry(entry, *options.key);
  const std::string receipt = receipt_text(make_receipt(entry, row.hash, model.promise, *options.key));

  // Model, published model and entry in one transaction.  A crash must not leave a published model that nobody counted.
  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(write_model(database, model_row));
  UNSCATTER_CHECK_OK(write_published(database, model));
  UNSCATTER_CHECK_OK(append_entry(database, entry.sequence, row));
  UNSCATTER_CHECK_OK(write_receipt(database, entry.sequence, receipt));
  UNSCATTER_CHECK_OK(commit(transaction));
  if (!session) contents.snapshot.releases = part->releases();
  advance(std::move(entry), row.hash);
  // The caller gets the model only after both of these.  What somebody has seen is always in the ledger, and the count
  // is always in the record beside the key.
  UNSCATTER_CHECK_OK(remember("the model is recorded as published"));
  UNSCATTER_CHECK_OK(checkpoint("the model is recorded as published"));
  return model;
}

Result<PublishedModel> Workspace::release(bool fresh) {
  // An older copy may hold a model from before a removal that is in force.
  if (state_->outdated) return *state_->outdated;
  // The same noise again tells nobody anything new.  Fresh noise on the same weights could be averaged away, so it
  // counts.  Format 1 commits to no published model, so what it holds is not believed.
  if (!fresh && state_->contents.format > kFirstFormat) {
    UNSCATTER_TRY(current, read_committed_model(state_->database, state_->contents));
    if (current) {
      const Promise& promise = state_->certificate().promise;
      current->promise.rule = promise.rule;  // these two are not shown in the file
      current->promise.delta_for_shift = promise.delta_for_shift;
      return *std::move(current);
    }
  }
  return state_->publish();
}

Result<PublishedDocument> Workspace::published_document() const {
  UNSCATTER_CHECK_OK(state_->require_writable());
  const Contents& contents = state_->contents;
  UNSCATTER_TRY(current, read_committed_model(state_->database, contents));
  if (!current) return Error{ErrorCode::kNotFound, "no model was published since the last removal"};
  // The model is there, so the last entry is the one that released it.
  PublishedDocument document = document_of(contents, *std::move(current));
  const LedgerRecord& entry = contents.chain.last;
  document.sequence = entry.sequence;
  document.previous = entry.previous;
  document.entry = contents.chain.head;
  document.time = entry.time;
  document.software = entry.software;
  sign(document, *state_->options.key);
  return document;
}

}  // namespace unscatter
