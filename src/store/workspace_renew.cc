// Another count of published models, in the same workspace or in one that is trained again.
#include <fmt/format.h>

#include <algorithm>

#include <utility>
#include <vector>

#include "store/guarantee.h"
#include "store/workspace_state.h"

namespace unscatter {

Status Workspace::State::read_again() {
  index.reset();
  session.reset();
  part.reset();
  Result<Contents> read = read_contents(tables);
  if (!read.ok()) {
    uncertain = true;  // what is in memory is older than the disk
    return std::move(read).error();
  }
  contents = *std::move(read);
  return ok_status();
}

Status Workspace::State::end_lost_count(std::size_t published_in_all) {
  const SessionOptions& promised = contents.constants.options;
  if (promised.mechanism != Mechanism::kRelease) return ok_status();
  const std::size_t in_count = published_in_all - std::min(published_in_all, published_in(promised.earlier));
  if (in_count <= promised.releases) return ok_status();
  const EarlierCount lost = ended(certificate().promise, in_count);
  // The session that lives knows the old promise.
  UNSCATTER_CHECK_OK(read_again());
  contents.constants.options.earlier.push_back(lost);
  contents.snapshot.releases = 0;
  return ok_status();
}

Result<LedgerRecord> Workspace::renew() {
  State& state = *state_;
  UNSCATTER_CHECK_OK(state.require_writable());
  SessionOptions& promised = state.contents.constants.options;
  if (promised.mechanism != Mechanism::kRelease) {
    return Error{ErrorCode::kInvalidArgument,
                 "a new count needs fresh noise on every published model; models with noise in the objective share it, "
                 "so only another training helps ('unscatter retrain')"};
  }
  const auto write = [&]() -> Result<LedgerRecord> {
    UNSCATTER_TRY(guaranteed, guarantee_of(state.contents));
    const SessionSnapshot kept = state.session ? state.session->snapshot_without_slots() : SessionSnapshot();
    StoredModel model = model_of(state.session ? kept : state.contents.snapshot, state.published());
    model.certificate.promise = guaranteed.promise;
    const ModelRow model_row = to_row(model, *state.random);
    LedgerRecord entry = state.next_entry(EntryKind::kRenewed);
    set_certificate(entry, model.certificate);
    entry.data_after = entry.data_before;
    entry.model = model_row.digest();
    const LedgerRow row = make_entry(entry, *state.options.key);
    UNSCATTER_TRY(transaction, Transaction::begin(state.database));
    UNSCATTER_CHECK_OK(write_model(state.database, model_row));
    // The model that is published belongs to the count that ends here (invariant 10).
    UNSCATTER_CHECK_OK(erase_published(state.database));
    UNSCATTER_CHECK_OK(append_entry(state.database, entry.sequence, row));
    UNSCATTER_CHECK_OK(state.commit(transaction));
    state.advance(LedgerRecord(entry), row.hash);
    UNSCATTER_CHECK_OK(state.remember("the new count is recorded"));
    UNSCATTER_CHECK_OK(state.checkpoint("the new count is recorded"));
    return entry;
  };
  const std::size_t in_count = state.published() - published_in(promised.earlier);
  promised.earlier.push_back(ended(state.certificate().promise, in_count));
  Result<LedgerRecord> entry = write();
  if (!entry.ok()) {
    promised.earlier.pop_back();
    return entry;
  }
  UNSCATTER_CHECK_OK(state.read_again());
  return entry;
}

Result<Predecessor> Workspace::predecessor() const {
  const State& state = *state_;
  // What an older copy holds may have been removed since.
  if (state.outdated) return *state.outdated;
  Predecessor before{state.contents.chain.head, state.contents.constants.options.earlier};
  const std::size_t in_count = state.published() - published_in(before.earlier);
  before.earlier.push_back(ended(state.certificate().promise, in_count));
  for (EarlierCount& count : before.earlier) count.trained_again = true;
  return before;
}

}  // namespace unscatter
