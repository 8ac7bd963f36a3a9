// Due dates in a workspace file: tables `expiry` and `expiry_summary` (docs/workspace-format.md, "Due dates").
//
// Dates are not learned from, so no ledger entry speaks of them.  But a date that is lost would keep somebody longer
// than agreed.  So every row has a seal, and one row sums all of them up and is signed with the key of the workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "store/row_total.h"
#include "store/sqlite.h"
#include "store/stored_graph.h"
#include "store/tables.h"
#include "store/workspace_tables.h"
#include "unscatter/base/result.h"
#include "unscatter/store/signing_key.h"

namespace unscatter {

// The slot of a graph, or the id of a subject.
using DueKey = std::variant<std::size_t, std::string>;

// Files from before these tables have none, and then nothing has a due date.
[[nodiscard]] Result<bool> has_due_dates(const Database& database);
// The tables of a file from before, in a transaction of its own.  Nothing if they are there.
[[nodiscard]] Status ensure_due_dates(const Database& database, const Identity& identity, const SigningKey& key);

// Changes of due dates in a transaction of the caller.
class DueChange {
 public:
  // `first`: the tables are new and have no summary yet.  Errors: kMalformedInput where the summary is not signed:
  // nothing is signed on top of it.
  [[nodiscard]] static Result<DueChange> begin(const Database& database, const Identity& identity, bool first = false);
  [[nodiscard]] Status set(const DueKey& key, std::int64_t due);
  // The same for what has no date yet.
  [[nodiscard]] Status add(const DueKey& key, std::int64_t due);
  // Nothing if there is no such row.
  [[nodiscard]] Status erase(const DueKey& key);
  // Writes the new summary, unless nothing has changed.
  [[nodiscard]] Status finish(const SigningKey& key);

 private:
  DueChange(const Database& database, Identity identity, RowTotal total, bool changed)
      : database_(&database), identity_(std::move(identity)), total_(total), changed_(changed) {}

  const Database* database_;
  Identity identity_;
  RowTotal total_;
  bool changed_;
};

// One date, if there is one.  Errors: kMalformedInput for a row that is not what was written.
[[nodiscard]] Result<std::optional<std::int64_t>> read_due(const Database& database, const DueKey& key);
// Calls take(key, due) for all rows, graphs first, and checks them against the signed summary.  An error may come after
// the last call.
[[nodiscard]] Status visit_due(const Database& database, const Identity& identity,
                               const std::function<Status(const DueKey& key, std::int64_t due)>& take);
struct DueCounts {
  std::size_t rows = 0;
  std::size_t overdue = 0;                              // at `now` or before
  std::optional<std::int64_t> oldest;                   // of them
  std::optional<std::pair<DueKey, std::int64_t>> next;  // after `now`
};
// By the index on dates: rows that are not due are not read.
[[nodiscard]] Result<DueCounts> count_due(const Database& database, const Identity& identity, std::int64_t now);

// Dates of graphs, the first of which is in slot `first`, and of subjects, by id, in the caller's transaction, after
// the graphs were written.  What the file does not hold gets no date.  Where there is one already, the earlier counts.
// `fresh`: the tables are new.
[[nodiscard]] Status add_due_dates(const WorkspaceTables& tables, const Identity& identity, const SigningKey& key,
                                   std::span<const std::optional<std::int64_t>> graphs, std::size_t first,
                                   const std::map<std::string, std::int64_t>& subjects, bool fresh = false);

// What a removal takes out of the file, as far as due dates have to follow.
struct Leaving {
  std::vector<std::size_t> slots;     // graphs that go
  std::vector<std::string> subjects;  // that leave a graph, and may be in others
  std::vector<DueKey> dates = {};     // that go in any case
};
// False: no subject has a date, and nobody has to be looked for.
[[nodiscard]] Result<bool> has_subject_dates(const Database& database);
// The subjects that are in `before` and not in `after` (null: the graph goes).
[[nodiscard]] std::vector<std::string> subjects_that_leave(const Graph& before, const Graph* after);
// Erases the dates of what is gone, in the transaction of the removal, after the graphs were written.
[[nodiscard]] Status erase_due_dates(const WorkspaceTables& tables, const Identity& identity, const SigningKey& key,
                                     const Leaving& leaving);

}  // namespace unscatter
