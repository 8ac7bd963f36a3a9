#include "store/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace unscatter {
namespace {

Error broken_at(std::size_t sequence, std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the ledger is damaged: entry {}: {}", sequence, what)};
}

// The fields that came with version 2.
Status check_version(const LedgerRecord& record, const LedgerRecord* before) {
  const bool upgrades = before != nullptr && before->version == 1 && record.version > 1;
  // Otherwise somebody could write an entry that commits to no published model long after that was due.
  if (before != nullptr && record.version < before->version) return broken_at(record.sequence, "its version is older");
  if (upgrades != (record.kind == EntryKind::kUpgraded)) {
    return broken_at(record.sequence, "an upgrade stands between two versions and nowhere else");
  }
  const bool commits = record.version > 1 && record.kind == EntryKind::kReleased;
  if (commits != record.published_model.has_value()) {
    return broken_at(record.sequence, "a release, and nothing else, commits to a published model");
  }
  if (record.version == 1 && (record.kind == EntryKind::kAdded || record.kind == EntryKind::kCorrected)) {
    return broken_at(record.sequence, "version 1 knows no additions and no corrections");
  }
  if ((record.kind == EntryKind::kReplayed) != record.supersedes.has_value()) {
    return broken_at(record.sequence, "a replay, and nothing else, takes the place of another ledger");
  }
  return ok_status();
}

// Earlier counts of published models.  Only an entry that begins another count may add one, and only the count that
// ended there.  Otherwise the promise for all of them together could be made to look better than it is.
Status check_earlier(const LedgerRecord& record, const LedgerRecord* before) {
  const std::vector<EarlierCount>& now = record.promise.earlier;
  const std::size_t counted = published_in(now);
  if (before == nullptr) {
    if (record.continues.has_value() != !now.empty() || record.published != counted) {
      return broken_at(0, "its earlier counts are not those of a workspace that was trained again");
    }
    return ok_status();
  }
  if (record.continues) return broken_at(record.sequence, "a creation, and nothing else, continues another workspace");
  const std::vector<EarlierCount>& then = before->promise.earlier;
  if (record.kind != EntryKind::kRenewed && now == then) return ok_status();
  // A replay ends a count where the copy lacks the renewal after which models were published.
  const bool may_end = record.kind == EntryKind::kRenewed || record.kind == EntryKind::kReplayed;
  // What the new one says of its size and its shift is held against the constants elsewhere (guarantee.h).
  const bool follows = may_end && now.size() == then.size() + 1 && std::equal(then.begin(), then.end(), now.begin()) &&
                       !now.back().trained_again && counted == record.published;
  if (follows) return ok_status();
  return broken_at(record.sequence, "its earlier counts do not follow from the entry before");
}

// The count of published models.  The guarantee covers a number of them.  A count that can go back would let more of
// them out.
bool published_is_counted(const LedgerRecord& record, const LedgerRecord& before) {
  // A replay takes over what was published after the copy was made.
  if (record.kind == EntryKind::kReplayed) return record.published >= before.published;
  return record.published == before.published + (record.kind == EntryKind::kReleased ? 1u : 0u);
}

// What the counts of an update may be.  An addition only adds, and corrections neither add nor remove.  Otherwise one
// kind of update could pass for another.
Status check_kind_of_change(const LedgerRecord& record) {
  const RequestCounts& counts = record.requests;
  if (record.kind == EntryKind::kAdded) {
    const bool only_adds = record.graphs_added == counts.graphs && counts.total() == counts.graphs &&
                           record.graphs_edited == 0 && record.graphs_removed == 0;
    if (!only_adds) return broken_at(record.sequence, "an addition adds graphs and does nothing else");
  } else if (record.kind == EntryKind::kCorrected) {
    const bool only_corrects = record.graphs_removed == 0 && record.graphs_edited > 0 &&
                               record.graphs_edited <= counts.total() && counts.nodes == 0 && counts.subjects == 0;
    if (!only_corrects) return broken_at(record.sequence, "corrections change graphs and do nothing else");
  }
  return ok_status();
}

// Entry `record` after `before` (null for the first).  It keeps invariants 3, 4 and 7 of docs/workspace-format.md,
// signatures apart.
Status check_step(const LedgerRecord& record, const LedgerRecord* before, const Identity& identity) {
  const auto require = [&](bool holds, std::string_view what) -> Status {
    if (holds) return ok_status();
    return broken_at(record.sequence, what);
  };
  UNSCATTER_CHECK_OK(require(record.workspace == identity.id, "it belongs to another workspace"));
  UNSCATTER_CHECK_OK(require(record.constants == constants_digest(identity), "it knows other constants"));
  UNSCATTER_CHECK_OK(check_version(record, before));
  UNSCATTER_CHECK_OK(check_earlier(record, before));
  UNSCATTER_CHECK_OK(require(record.satisfied, "it does not meet its guarantee"));
  // The limit of the rule `paper` is for the sum over classes.  The shift is of all classes together, so the two cannot
  // be compared.
  const bool within =
      record.promise.rule == BudgetRule::kPaper || record.shift_upper_bound <= record.promise.shift_limit;
  UNSCATTER_CHECK_OK(require(within, "its shift is above the limit"));
  UNSCATTER_CHECK_OK(
      require(record.commitments.size() == record.requests.total(), "requests and commitments differ in number"));
  UNSCATTER_CHECK_OK(
      require((record.kind == EntryKind::kCreated) == (before == nullptr), "a ledger begins with its creation"));
  if (before == nullptr) return require(record.data_before == record.data_after, "a creation changes no data");
  // Data that changed without an entry would be a removal that nobody signed for, or data that was put in.
  UNSCATTER_CHECK_OK(require(record.data_before == before->data_after, "the data changed between two entries"));
  UNSCATTER_CHECK_OK(require(published_is_counted(record, *before), "published models were not counted"));
  if (!changes_data(record.kind)) {
    UNSCATTER_CHECK_OK(require(record.requests.total() == 0, "requests without a removal"));
    return require(record.data_before == record.data_after && record.graphs == before->graphs,
                   record.kind == EntryKind::kReleased  ? "a release changes no data"
                   : record.kind == EntryKind::kRenewed ? "a renewal changes no data"
                                                        : "an upgrade changes no data");
  }
  // A copy that lacks releases only is brought up to date without a request.
  UNSCATTER_CHECK_OK(
      require(record.requests.total() > 0 || record.kind == EntryKind::kReplayed, "a removal without a request"));
  UNSCATTER_CHECK_OK(check_kind_of_change(record));
  // Nothing is learned, and nothing goes, without being counted.
  return require(record.graphs + record.graphs_removed == before->graphs + record.graphs_added,
                 "graphs were not counted");
}

}  // namespace

bool is_removal(EntryKind kind) { return kind == EntryKind::kForgotten || kind == EntryKind::kReplayed; }

bool changes_data(EntryKind kind) {
  return is_removal(kind) || kind == EntryKind::kAdded || kind == EntryKind::kCorrected;
}

bool has_receipt(const LedgerRecord& record) {
  return changes_data(record.kind) || (record.kind == EntryKind::kReleased && record.version > 1);
}

Status check_head_signature(const ChainEnd& chain, const PublicKey& signer) {
  if (is_signed({"", chain.head, chain.signature}, signer)) return ok_status();
  return broken_at(chain.entries - 1, fmt::format("it is not signed by {}, the key of this workspace", signer.hex()));
}

Result<ChainEnd> read_chain_end(const Database& database) {
  ChainEnd end;
  UNSCATTER_TRY(last, last_entry(database));
  if (!last) return Error{ErrorCode::kMalformedInput, "the workspace is damaged: its ledger is empty"};
  UNSCATTER_TRY(row, read_entry(database, *last));
  if (entry_hash(row.body) != row.hash) return broken_at(*last, "its hash does not fit");
  UNSCATTER_TRY(record, parse_ledger_text(row.body));
  // The number in the body is the one that was signed.
  if (record.sequence != *last) return broken_at(*last, "it bears another number");
  return ChainEnd{*last + 1, row.hash, std::move(record), row.signature};
}

Result<ChainEnd> check_links(const Database& database) {
  ChainEnd end;
  std::string last;
  // Hashes and links tell damage, and edits by somebody who does not repeat all later hashes.  Forgery is told by the
  // signature of the head.  An older copy of the whole file passes both.  The record beside the key tells that
  // (rollback_record.h), and so does whoever kept a receipt or a head.
  UNSCATTER_CHECK_OK(visit_entries(database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
    if (entry_hash(row.body) != row.hash) return broken_at(sequence, "its hash does not fit");
    // The link is found without parsing, because canonical JSON has one spelling.  Texts in it cannot imitate the link:
    // their quotes are escaped.  The head of an empty chain is zero, which is what the first entry has to name.
    if (row.body.find(fmt::format(R"("previous":"{}")", end.head.hex())) == std::string::npos) {
      return broken_at(sequence, "it does not follow the entry before");
    }
    ++end.entries;
    end.head = row.hash;
    end.signature = row.signature;
    last = row.body;
    return ok_status();
  }));
  if (end.entries == 0) return Error{ErrorCode::kMalformedInput, "the workspace is damaged: its ledger is empty"};
  // Data and model are compared with the last entry.  The others are read only to verify.
  UNSCATTER_TRY(record, parse_ledger_text(last));
  end.last = std::move(record);
  return end;
}

Result<ChainTotals> check_entries(const Database& database, const Identity& identity) {
  ChainTotals totals;
  LedgerRecord before;
  const auto check_entry = [&](std::size_t sequence, const LedgerRow& row) -> Status {
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    // The number in the body is the one that was signed.  The number of the row is not.
    if (record.sequence != sequence) return broken_at(sequence, "it bears another number");
    UNSCATTER_CHECK_OK(check_step(record, sequence == 0 ? nullptr : &before, identity));
    // A replay without a request is no update.
    if (changes_data(record.kind) && record.requests.total() > 0) totals.rungs.count(record.rung);
    if (is_removal(record.kind)) ++totals.forgotten;
    if (record.kind == EntryKind::kAdded) ++totals.added;
    if (record.kind == EntryKind::kCorrected) ++totals.corrected;
    if (has_receipt(record)) ++totals.receipts;
    if (record.kind == EntryKind::kReleased) ++totals.released;
    before = std::move(record);
    return ok_status();
  };
  UNSCATTER_CHECK_OK(visit_entries(database, check_entry));
  return totals;
}

}  // namespace unscatter
