// Bringing an older copy of a workspace up to date.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "store/workspace_state.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

// The openings of one entry: so many in a row that their commitments are the recorded ones.  A file of openings may
// hold lines of an update that was never committed, or of another branch of the ledger, under the same number.
const Opening* openings_of(const RecordLine& line, const std::vector<Opening>& with_its_number) {
  for (std::size_t first = 0; first + line.requests <= with_its_number.size(); ++first) {
    std::vector<Digest> commitments;
    for (std::size_t i = 0; i < line.requests; ++i) commitments.push_back(with_its_number[first + i].commitment);
    if (commitments_digest(commitments) == line.commitments) return &with_its_number[first];
  }
  return nullptr;
}

// Without what was added, later requests may be about nothing.  With wrong values that were corrected, somebody would
// meet them again.  So neither is left out.
Error cannot_repeat(std::size_t sequence, EntryKind kind) {
  if (kind == EntryKind::kAdded) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("entry {} added graphs after this copy was made.  Openings hold digests of them and not the "
                        "graphs, so a replay cannot add them.  Use a newer copy of the workspace, or train again with "
                        "them and without those who asked",
                        sequence)};
  }
  return {ErrorCode::kInvalidArgument,
          fmt::format("entry {} corrected data after this copy was made.  A replay is one update of removals, and "
                      "corrections are none.  Use a newer copy of the workspace, or train again without those who "
                      "asked and give 'unscatter correct' the requests of the openings once more",
                      sequence)};
}

// All requests that entries beyond the end of the copy had honoured, in their order.
Result<std::vector<RemovalRequest>> requests_since(const RecordedLedger& record, std::size_t known,
                                                   std::span<const Opening> openings) {
  std::vector<RemovalRequest> requests;
  for (std::size_t sequence = known; sequence < record.lines.size(); ++sequence) {
    const RecordLine& line = record.lines[sequence];
    if (line.requests == 0) continue;
    if (line.kind) return cannot_repeat(sequence, *line.kind);
    std::vector<Opening> with_its_number;
    for (const Opening& opening : openings) {
      // The record holds digests of commitments only.  A line that claims a commitment which its request and salt do
      // not give would bring a request in that nobody recorded.
      const bool opens = commitment(opening.request, opening.salt) == opening.commitment;
      if (opening.entry == sequence && opens) with_its_number.push_back(opening);
    }
    const Opening* first = openings_of(line, with_its_number);
    if (first == nullptr) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the openings of entry {} are missing: it honoured {} requests that this copy does not "
                               "know, and nobody can tell which.  Use a newer copy of the workspace, or train again "
                               "without those who asked",
                               sequence, line.requests)};
    }
    for (std::size_t i = 0; i < line.requests; ++i) requests.push_back(first[i].request);
  }
  return requests;
}

}  // namespace

Result<Forgotten> Workspace::State::write_empty_replay(const RecordOptions& how) {
  UNSCATTER_CHECK_OK(require_writable());
  UNSCATTER_TRY(live_session, publisher());
  Forgotten done;
  const StoredModel model = model_of(live_session->snapshot_without_slots(), std::max(published(), how.published));
  const ModelRow model_row = to_row(model, *random);
  done.certificate = live_session->certificate();
  done.entry = next_entry(EntryKind::kReplayed);
  done.entry.supersedes = how.supersedes;
  done.entry.published = model.published;
  done.entry.data_after = done.entry.data_before;
  done.entry.model = model_row.digest();
  set_certificate(done.entry, done.certificate);
  const LedgerRow row = make_entry(done.entry, *options.key);
  done.receipt = make_receipt(done.entry, row.hash, done.certificate.promise, *options.key);

  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(write_model(database, model_row));
  UNSCATTER_CHECK_OK(erase_published(database));
  UNSCATTER_CHECK_OK(append_entry(database, done.entry.sequence, row));
  UNSCATTER_CHECK_OK(write_receipt(database, done.entry.sequence, receipt_text(done.receipt)));
  UNSCATTER_CHECK_OK(commit(transaction));
  advance(LedgerRecord(done.entry), row.hash);
  UNSCATTER_CHECK_OK(remember("the copy is up to date"));
  UNSCATTER_CHECK_OK(checkpoint("the copy is up to date"));
  return done;
}

Result<Forgotten> Workspace::replay(std::span<const Opening> openings, const ForgetOptions& options) {
  State& state = *state_;
  const auto wrong = [](const char* what) { return Error{ErrorCode::kInvalidArgument, what}; };
  if (!state.record) return wrong("a replay needs the signing key and the record that lies beside it");
  const RecordedLedger recorded = state.record->ledger();
  UNSCATTER_TRY(comparison, compare(recorded, state.database, state.contents.chain));
  if (comparison.standing == Standing::kOther) return *state.outdated;
  if (comparison.standing != Standing::kOlder) return wrong("this workspace is up to date: there is nothing to replay");
  UNSCATTER_TRY(requests, requests_since(recorded, comparison.known, openings));

  RecordOptions how(options);
  how.supersedes = recorded.lines.back().hash;
  how.published = recorded.published;
  UNSCATTER_CHECK_OK(state.end_lost_count(recorded.published));
  // Writing is refused for an older copy.  This write is what makes it current, and a failed one leaves it as it was.
  std::optional<Error> outdated = std::exchange(state.outdated, std::nullopt);
  const auto write = [&]() -> Result<Forgotten> {
    // One update, one transaction: after a crash the file is the old copy, or all of it is done.
    if (requests.empty()) return state.write_empty_replay(how);
    UNSCATTER_TRY(removal, state.prepare(requests, OnRefusal::kRefuseBatch));
    return state.forget(removal, std::move(requests), how);
  };
  Result<Forgotten> done = write();
  if (!done.ok()) state.outdated = std::move(outdated);
  // The session still counts the releases of the old copy.
  UNSCATTER_CHECK_OK(state.read_again());
  return done;
}

}  // namespace unscatter
