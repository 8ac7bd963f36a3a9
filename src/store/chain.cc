#include "store/chain.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace unscatter {
namespace {

Error broken_at(std::size_t sequence, std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the ledger is damaged: entry {}: {}", sequence, what)};
}

// Entry `record` after `before` (nothing for the first).
Status check_step(const LedgerRecord& record, const LedgerRecord* before, const Identity& identity) {
  const auto require = [&](bool holds, std::string_view what) -> Status {
    if (holds) return ok_status();
    return broken_at(record.sequence, what);
  };
  UNSCATTER_CHECK_OK(require(record.workspace == identity.id, "it belongs to another workspace"));
  UNSCATTER_CHECK_OK(require(record.constants == constants_digest(identity), "it knows other constants"));
  UNSCATTER_CHECK_OK(require(record.satisfied, "it does not meet its guarantee"));
  const bool within =
      record.promise.rule == BudgetRule::kPaper || record.shift_upper_bound <= record.promise.shift_limit;
  UNSCATTER_CHECK_OK(require(within, "its shift is above the limit"));
  UNSCATTER_CHECK_OK(
      require(record.commitments.size() == record.requests.total(), "requests and commitments differ in number"));
  UNSCATTER_CHECK_OK(
      require((record.kind == EntryKind::kCreated) == (before == nullptr), "a ledger begins with its creation"));
  if (before == nullptr) return require(record.data_before == record.data_after, "a creation changes no data");
  UNSCATTER_CHECK_OK(require(record.data_before == before->data_after, "the data changed between two entries"));
  const std::size_t released = record.kind == EntryKind::kReleased ? 1 : 0;
  UNSCATTER_CHECK_OK(require(record.published == before->published + released, "published models were not counted"));
  if (record.kind == EntryKind::kReleased) {
    return require(record.data_before == record.data_after && record.graphs == before->graphs,
                   "a release changes no data");
  }
  UNSCATTER_CHECK_OK(require(record.requests.total() > 0, "a removal without a request"));
  return require(record.graphs + record.graphs_removed == before->graphs, "graphs were not counted");
}

}  // namespace

Result<ChainEnd> check_links(const Database& database) {
  ChainEnd end;
  std::string last;
  UNSCATTER_CHECK_OK(visit_entries(database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
    if (entry_hash(row.body) != row.hash) return broken_at(sequence, "its hash does not fit");
    // Canonical JSON has one spelling, so the link can be found without reading the rest.
    if (row.body.find(fmt::format(R"("previous":"{}")", end.head.hex())) == std::string::npos) {
      return broken_at(sequence, "it does not follow the entry before");
    }
    ++end.entries;
    end.head = row.hash;
    last = row.body;
    return ok_status();
  }));
  if (end.entries == 0) return Error{ErrorCode::kMalformedInput, "the workspace is damaged: its ledger is empty"};
  UNSCATTER_TRY(record, parse_ledger_text(last));
  end.last = std::move(record);
  return end;
}

Result<ChainTotals> check_entries(const Database& database, const Identity& identity) {
  ChainTotals totals;
  LedgerRecord before;
  const auto check_entry = [&](std::size_t sequence, const LedgerRow& row) -> Status {
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    if (record.sequence != sequence) return broken_at(sequence, "it bears another number");
    UNSCATTER_CHECK_OK(check_step(record, sequence == 0 ? nullptr : &before, identity));
    if (record.kind == EntryKind::kForgotten) {
      ++totals.forgotten;
      totals.rungs.count(record.rung);
    }
    if (record.kind == EntryKind::kReleased) ++totals.released;
    before = std::move(record);
    return ok_status();
  };
  UNSCATTER_CHECK_OK(visit_entries(database, check_entry));
  return totals;
}

}  // namespace unscatter
