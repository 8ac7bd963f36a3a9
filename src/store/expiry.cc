#include "store/expiry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/wipe.h"
#include "store/schema.h"
#include "store/subject_slots.h"

namespace unscatter {
namespace {

// The column `slot` of a subject's row.
constexpr std::int64_t kNoSlot = -1;

Error damaged_dates(std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: {}", what)};
}

std::int64_t slot_column(const DueKey& key) {
  const auto* slot = std::get_if<std::size_t>(&key);
  return slot == nullptr ? kNoSlot : static_cast<std::int64_t>(*slot);
}

// Empty for a graph.
std::string_view subject_column(const DueKey& key) {
  const auto* subject = std::get_if<std::string>(&key);
  return subject == nullptr ? std::string_view() : std::string_view(*subject);
}

std::span<const std::byte> blob_of(std::string_view text) { return std::as_bytes(std::span(text)); }

Digest seal_of_date(const DueKey& key, std::int64_t due) {
  return Hasher()
      .add(std::string_view("unscatter expiry 1"))
      .add(static_cast<std::uint64_t>(slot_column(key)))
      .add(subject_column(key))
      .add(static_cast<std::uint64_t>(due))
      .finish();
}

// What is signed.  Its own first line keeps it apart from everything else that the key signs.
std::string signed_total(const Identity& identity, const RowTotal& total) {
  return fmt::format("unscatter expiry 1\n{}\n{}\n{}", identity.id, total.rows, total.digest().hex());
}

Status write_total(const Database& database, const Identity& identity, const SigningKey& key, const RowTotal& total) {
  const Signature signature = key.sign(signed_total(identity, total));
  return database.prepare("INSERT OR REPLACE INTO expiry_summary(only, rows, digest, signature) VALUES(1, ?, ?, ?)")
      .bind(1, total.rows)
      .bind(2, std::as_bytes(std::span(total.lanes)))
      .bind(3, std::as_bytes(std::span(signature.bytes)))
      .run();
}

Result<RowTotal> read_total(const Database& database, const Identity& identity) {
  Statement statement = database.prepare("SELECT rows, digest, signature FROM expiry_summary WHERE only = 1");
  UNSCATTER_TRY(found, statement.step());
  // It is there from the first day on, also where nothing has a date.  Otherwise all dates could go unnoticed.
  if (!found) return damaged_dates("the summary of the due dates is missing");
  UNSCATTER_TRY(rows, statement.integer(0));
  UNSCATTER_TRY(digest, statement.blob(1));
  UNSCATTER_TRY(signed_by, statement.blob(2));
  RowTotal total;
  Signature signature;
  if (digest.size() != sizeof(total.lanes) || signed_by.size() != signature.bytes.size()) {
    return damaged_dates("the summary of the due dates has the wrong length");
  }
  total.rows = rows;
  std::memcpy(total.lanes.data(), digest.data(), digest.size());
  std::memcpy(signature.bytes.data(), signed_by.data(), signed_by.size());
  if (!verify_signature(signed_total(identity, total), signature, identity.signer)) {
    return damaged_dates("the summary of the due dates is not signed by its key");
  }
  return total;
}

struct DueRow {
  DueKey key;
  std::int64_t due = 0;
  Digest seal;
};

// Columns slot, subject, due and seal from 0 on.
Result<DueRow> due_row_at(const Statement& statement) {
  UNSCATTER_TRY(slot, statement.integer(0));
  UNSCATTER_TRY(subject, statement.blob(1));
  UNSCATTER_TRY(due, statement.integer(2));
  UNSCATTER_TRY(seal, statement.blob(3));
  DueRow row;
  // A row is about a graph or about a subject, and not about both.
  if (slot < kNoSlot || (slot == kNoSlot) == subject.empty()) return damaged_dates("a due date is about nothing");
  if (slot == kNoSlot) {
    row.key = std::string(reinterpret_cast<const char*>(subject.data()), subject.size());
    wipe(subject);
  } else {
    row.key = static_cast<std::size_t>(slot);
  }
  row.due = due;
  row.seal = seal_of_date(row.key, due);
  if (seal.size() != row.seal.bytes.size() || std::memcmp(seal.data(), row.seal.bytes.data(), seal.size()) != 0) {
    return damaged_dates("a due date is not what was written");
  }
  return row;
}

Result<std::optional<DueRow>> read_due_row(const Database& database, const DueKey& key) {
  Statement statement = database.prepare("SELECT slot, subject, due, seal FROM expiry WHERE slot = ? AND subject = ?");
  statement.bind(1, slot_column(key)).bind(2, blob_of(subject_column(key)));
  UNSCATTER_TRY(found, statement.step());
  if (!found) return std::optional<DueRow>();
  UNSCATTER_TRY(row, due_row_at(statement));
  return std::optional<DueRow>(std::move(row));
}

Result<bool> any_has_date(const Database& database, const std::vector<DueKey>& keys) {
  for (const DueKey& key : keys) {
    UNSCATTER_TRY(row, read_due_row(database, key));
    if (row) return true;
  }
  return false;
}

std::set<std::string_view> living_ids(const Graph& graph) {
  std::set<std::string_view> ids;
  for (std::size_t i = 0; graph.has_node_ids() && i < graph.node_count(); ++i) {
    if (graph.state(i) != NodeState::kTombstone) ids.insert(graph.node_id(i));
  }
  return ids;
}

}  // namespace

Result<bool> has_due_dates(const Database& database) {
  UNSCATTER_TRY(tables, database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'expiry_summary'"));
  return tables != 0;
}

Status ensure_due_dates(const Database& database, const Identity& identity, const SigningKey& key) {
  UNSCATTER_TRY(there, has_due_dates(database));
  if (there) return ok_status();
  UNSCATTER_TRY(transaction, Transaction::begin(database));
  UNSCATTER_CHECK_OK(create_due_tables(database));
  UNSCATTER_CHECK_OK(write_total(database, identity, key, {}));
  UNSCATTER_CHECK_OK(transaction.commit());
  return database.empty_log();
}

Result<DueChange> DueChange::begin(const Database& database, const Identity& identity, bool first) {
  if (first) return DueChange(database, identity, {}, true);
  UNSCATTER_TRY(total, read_total(database, identity));
  return DueChange(database, identity, total, false);
}

Status DueChange::set(const DueKey& key, std::int64_t due) {
  UNSCATTER_CHECK_OK(erase(key));
  return add(key, due);
}

Status DueChange::add(const DueKey& key, std::int64_t due) {
  const Digest seal = seal_of_date(key, due);
  total_.add(seal);
  changed_ = true;
  return database_->prepare("INSERT INTO expiry(slot, subject, due, seal) VALUES(?, ?, ?, ?)")
      .bind(1, slot_column(key))
      .bind(2, blob_of(subject_column(key)))
      .bind(3, due)
      .bind(4, std::as_bytes(std::span(seal.bytes)))
      .run();
}

Status DueChange::erase(const DueKey& key) {
  UNSCATTER_TRY(row, read_due_row(*database_, key));
  if (!row) return ok_status();
  total_.subtract(row->seal);
  changed_ = true;
  return database_->prepare("DELETE FROM expiry WHERE slot = ? AND subject = ?")
      .bind(1, slot_column(key))
      .bind(2, blob_of(subject_column(key)))
      .run();
}

Status DueChange::finish(const SigningKey& key) {
  if (!changed_) return ok_status();
  return write_total(*database_, identity_, key, total_);
}

Result<std::optional<std::int64_t>> read_due(const Database& database, const DueKey& key) {
  UNSCATTER_TRY(there, has_due_dates(database));
  if (!there) return std::optional<std::int64_t>();
  UNSCATTER_TRY(row, read_due_row(database, key));
  return row ? std::optional(row->due) : std::nullopt;
}

Status visit_due(const Database& database, const Identity& identity,
                 const std::function<Status(const DueKey& key, std::int64_t due)>& take) {
  UNSCATTER_TRY(there, has_due_dates(database));
  if (!there) return ok_status();
  UNSCATTER_TRY(stated, read_total(database, identity));
  RowTotal found;
  // By the table and not by the index on dates.  A row that is in one of the two only would show here.
  const auto visit = [&](std::string_view sql) -> Status {
    Statement statement = database.prepare(sql);
    for (;;) {
      UNSCATTER_TRY(more, statement.step());
      if (!more) return ok_status();
      UNSCATTER_TRY(row, due_row_at(statement));
      found.add(row.seal);
      UNSCATTER_CHECK_OK(take(row.key, row.due));
    }
  };
  UNSCATTER_CHECK_OK(visit("SELECT slot, subject, due, seal FROM expiry WHERE slot >= 0 ORDER BY slot"));
  UNSCATTER_CHECK_OK(visit("SELECT slot, subject, due, seal FROM expiry WHERE slot < 0 ORDER BY slot, subject"));
  if (found == stated) return ok_status();
  return damaged_dates(
      fmt::format("there are {} due dates, and they are not the {} that were written", found.rows, stated.rows));
}

Result<DueCounts> count_due(const Database& database, const Identity& identity, std::int64_t now) {
  DueCounts counts;
  UNSCATTER_TRY(there, has_due_dates(database));
  if (!there) return counts;
  UNSCATTER_TRY(total, read_total(database, identity));
  counts.rows = static_cast<std::size_t>(total.rows);
  Statement overdue = database.prepare("SELECT count(*), min(due) FROM expiry WHERE due <= ?");
  overdue.bind(1, now);
  UNSCATTER_CHECK_OK(overdue.step());
  UNSCATTER_TRY(count, overdue.integer(0));
  counts.overdue = static_cast<std::size_t>(count);
  if (count > 0) {
    UNSCATTER_TRY(oldest, overdue.integer(1));
    counts.oldest = oldest;
  }
  Statement next =
      database.prepare("SELECT slot, subject, due, seal FROM expiry WHERE due > ? ORDER BY due, slot, subject LIMIT 1");
  next.bind(1, now);
  UNSCATTER_TRY(found, next.step());
  if (found) {
    UNSCATTER_TRY(row, due_row_at(next));
    counts.next = {std::move(row.key), row.due};
  }
  return counts;
}

Status add_due_dates(const WorkspaceTables& tables, const Identity& identity, const SigningKey& key,
                     std::span<const std::optional<std::int64_t>> graphs, std::size_t first,
                     const std::map<std::string, std::int64_t>& subjects, bool fresh) {
  const Database& database = tables.main();
  UNSCATTER_TRY(change, DueChange::begin(database, identity, fresh));
  const auto add = [&](const DueKey& what, std::int64_t due) -> Status {
    if (fresh) return change.add(what, due);
    UNSCATTER_TRY(before, read_due_row(database, what));
    if (before && before->due <= due) return ok_status();
    return change.set(what, due);
  };
  UNSCATTER_TRY(used, slots_in_use(tables, first, graphs.size()));
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i] && used[i]) UNSCATTER_CHECK_OK(add(first + i, *graphs[i]));
  }
  if (!subjects.empty()) {
    std::vector<std::string> ids;
    ids.reserve(subjects.size());
    for (const auto& [id, due] : subjects) ids.push_back(id);
    UNSCATTER_TRY(slots, slots_with(tables, ids));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!slots[i].empty()) UNSCATTER_CHECK_OK(add(ids[i], subjects.at(ids[i])));
    }
  }
  return change.finish(key);
}

Result<bool> has_subject_dates(const Database& database) {
  UNSCATTER_TRY(there, has_due_dates(database));
  if (!there) return false;
  UNSCATTER_TRY(dated, database.integer("SELECT EXISTS(SELECT 1 FROM expiry WHERE slot < 0)"));
  return dated != 0;
}

std::vector<std::string> subjects_that_leave(const Graph& before, const Graph* after) {
  std::vector<std::string> leaving;
  const std::set<std::string_view> staying = after == nullptr ? std::set<std::string_view>() : living_ids(*after);
  for (const std::string_view id : living_ids(before)) {
    if (!staying.contains(id)) leaving.emplace_back(id);
  }
  return leaving;
}

Status erase_due_dates(const WorkspaceTables& tables, const Identity& identity, const SigningKey& key,
                       const Leaving& leaving) {
  const Database& database = tables.main();
  UNSCATTER_TRY(there, has_due_dates(database));
  if (!there) return ok_status();
  std::vector<DueKey> gone = leaving.dates;
  for (const std::size_t slot : leaving.slots) gone.emplace_back(slot);
  // Only who has a date is looked for in the graphs that are left.
  std::vector<std::string> dated;
  for (const std::string& id : leaving.subjects) {
    UNSCATTER_TRY(row, read_due_row(database, id));
    if (row) dated.push_back(id);
  }
  std::sort(dated.begin(), dated.end());
  dated.erase(std::unique(dated.begin(), dated.end()), dated.end());
  UNSCATTER_TRY(slots, slots_with(tables, dated));
  for (std::size_t i = 0; i < dated.size(); ++i) {
    if (slots[i].empty()) gone.emplace_back(dated[i]);
  }
  wipe(dated);
  // Most removals are about nothing that has a date.  They need no new signature.
  UNSCATTER_TRY(any, any_has_date(database, gone));
  if (!any) return ok_status();
  UNSCATTER_TRY(change, DueChange::begin(database, identity));
  for (const DueKey& what : gone) UNSCATTER_CHECK_OK(change.erase(what));
  return change.finish(key);
}

}  // namespace unscatter
