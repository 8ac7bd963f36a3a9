#include "store/check.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "store/chain.h"
#include "store/expiry.h"
#include "store/guarantee.h"
#include "store/kept_state.h"
#include "store/request_queue_contents.h"
#include "store/rollback_record.h"
#include "store/schema.h"
#include "store/tables.h"
#include "store/unused_pages.h"
#include "store/workspace_files.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

Error unsound(std::string what) { return {ErrorCode::kMalformedInput, std::move(what)}; }

// Makes checks one after the other.  A check that fails ends only those that rest on it: whoever has a damaged file
// wants to know all that is wrong with it.
class QuickCheck {
 public:
  QuickCheck(const WorkspaceTables& tables, const fs::path& path, const fs::path& key)
      : tables_(tables), database_(tables.main()), path_(path), key_(key) {}

  CheckedFile run() {
    // Pages that do not hang together may show any row twice or not at all.
    if (note("file", check_structure(tables_, path_)) && note("constants", constants()) && note("chain", chain())) {
      note("signature", signature());
      if (!key_.empty()) note("record", check_record(database_, path_, key_, contents_));
      const bool data = note("data", check_data(tables_, contents_));
      const bool model = note("model", read_learned(database_, contents_), "weights and counts are as the ledger says");
      if (data && model) note("certificate", certificate());
      // Without the constants that stand with the model, nobody knows how large a published one should be.
      if (contents_.embedder != nullptr) note("published", check_published(database_, contents_));
      note("seals", seals(data));
      if (data && model) note("kept", kept());
    }
    note("erasure", check_erasure(tables_, path_));
    CheckedFile checked;
    checked.verification.passed = true;
    for (const Check& check : checks_) checked.verification.passed = checked.verification.passed && check.passed;
    checked.verification.checks = std::move(checks_);
    checked.contents = std::move(contents_);
    return checked;
  }

 private:
  bool note(std::string name, Result<std::string> outcome) {
    const bool passed = outcome.ok();
    checks_.push_back({std::move(name), passed, passed ? *std::move(outcome) : std::move(outcome).error().message});
    return passed;
  }
  bool note(std::string name, const Status& status, std::string words) {
    return note(std::move(name), status.ok() ? Result<std::string>(std::move(words)) : status.error());
  }

  Result<std::string> constants() {
    UNSCATTER_CHECK_OK(read_constants(database_, contents_));
    return fmt::format("workspace {}, created {}, format {}", contents_.identity.id, contents_.identity.created,
                       contents_.format);
  }

  Result<std::string> chain() {
    UNSCATTER_TRY(end, check_links(database_));
    contents_.chain = std::move(end);
    return fmt::format("{} entries, each with the hash of the one before; head {}", contents_.chain.entries,
                       contents_.chain.head.hex());
  }

  // Through the links this one signature speaks for all entries.  It covers the digest of the constants too.
  Result<std::string> signature() const {
    UNSCATTER_CHECK_OK(check_head_signature(contents_.chain, contents_.identity.signer));
    if (contents_.chain.last.constants != constants_digest(contents_.identity)) {
      return unsound("the constants are not what the ledger says");
    }
    return fmt::format("the last entry is signed by {}, the key that the workspace names",
                       contents_.identity.signer.hex());
  }

  Result<std::string> certificate() const {
    UNSCATTER_TRY(guaranteed, guarantee_of(contents_));
    UNSCATTER_CHECK_OK(check_certificate(contents_, guaranteed));
    return std::string("the model meets its guarantee as far as its kept residuals say");
  }

  // Rows that no entry commits to.  Their seals are checked while they are read.
  Result<std::string> seals(bool data_holds) {
    std::size_t salts_kept = 0;
    UNSCATTER_CHECK_OK(visit_salts(database_, [&](std::size_t, std::vector<Salt>& salts) -> Status {
      salts_kept += salts.size();
      return ok_status();
    }));
    UNSCATTER_TRY(lists, read_lists(database_));
    UNSCATTER_TRY(dates, check_due_dates(database_, contents_, data_holds));
    UNSCATTER_TRY(queue, check_queue(database_, contents_));
    return fmt::format("{} salts and {} lists of requests are as they were written; {}{}{}", salts_kept, lists.size(),
                       dates, queue.empty() ? "" : "; ", queue);
  }

  // Derived rows: are they what was written?  Whether they are what the graphs give is left to verify.
  Result<std::string> kept() {
    UNSCATTER_TRY(there, has_kept_tables(database_));
    if (!there) return std::string("nothing is kept beside graphs and model; the next removal keeps more");
    UNSCATTER_CHECK_OK(check_kept_seals(tables_, contents_));
    return std::string("rows, tree, index and curvature are as they were written");
  }

  WorkspaceTables tables_;
  const Database& database_;
  const fs::path& path_;
  const fs::path& key_;
  Contents contents_;
  std::vector<Check> checks_;
};

}  // namespace

Result<std::string> check_structure(const WorkspaceTables& tables, const fs::path& path) {
  const std::vector<FileOfTables> files = files_of(tables, path);
  for (const FileOfTables& file : files) UNSCATTER_CHECK_OK(check_pages(*file.database, file.path));
  if (files.size() == 1) return std::string("the pages hang together and the log is empty");
  return fmt::format("the pages of {} files hang together and their logs are empty", files.size());
}

Result<std::string> check_record(const Database& database, const fs::path& path, const fs::path& key,
                                 const Contents& contents) {
  const fs::path where = record_path(key, contents.identity.id);
  UNSCATTER_TRY(known, RollbackRecord::read(where, contents.identity.id));
  if (!known) return fmt::format("{} is not there: an older copy of the workspace would pass", where.string());
  UNSCATTER_TRY(comparison, compare(*known, database, contents.chain));
  if (comparison.standing == Standing::kOlder || comparison.standing == Standing::kOther) {
    return refusal(path, *known, contents.chain, comparison);
  }
  return fmt::format("{} entries on record beside the signing key, and the file has all of them", known->lines.size());
}

Result<std::string> check_data(const WorkspaceTables& tables, Contents& contents) {
  UNSCATTER_CHECK_OK(read_data(tables, contents));
  std::size_t present = 0;
  for (const SlotSnapshot& slot : contents.snapshot.slots) present += slot.graph ? 1u : 0u;
  // The root says that the rows are the right ones.  The count in the entry is a claim of its own (invariant 5).
  if (present != contents.chain.last.graphs) {
    return unsound(fmt::format("{} graphs are there, and the ledger says {}", present, contents.chain.last.graphs));
  }
  return fmt::format("{} graphs of {} are there, as the last entry says", present, contents.snapshot.slots.size());
}

Result<std::string> check_published(const Database& database, const Contents& contents) {
  if (contents.format == kFirstFormat) {
    UNSCATTER_TRY(model, read_published(database, weight_rows(contents), class_count(contents), 1));
    return std::string(model ? "a published model to which format 1 does not commit: it is not handed out again"
                             : "no published model");
  }
  UNSCATTER_TRY(model, read_committed_model(database, contents));
  return std::string(model ? "a published model, the one of the last entry" : "no published model");
}

Result<std::string> check_due_dates(const Database& database, const Contents& contents, bool data_holds) {
  UNSCATTER_TRY(there, has_due_dates(database));
  if (!there) return std::string("made before there were due dates");
  std::size_t count = 0;
  std::set<std::string> subjects;
  const std::vector<SlotSnapshot>& slots = contents.snapshot.slots;
  UNSCATTER_CHECK_OK(visit_due(database, contents.identity, [&](const DueKey& key, std::int64_t) -> Status {
    ++count;
    const auto* slot = std::get_if<std::size_t>(&key);
    if (slot == nullptr) {
      subjects.insert(std::get<std::string>(key));
    } else if (data_holds && (*slot >= slots.size() || !slots[*slot].graph)) {
      return unsound(fmt::format("slot {} has a due date and no graph", *slot));
    }
    return ok_status();
  }));
  // By the graphs that were read and checked, and by no index.
  for (const SlotSnapshot& slot : slots) {
    for (std::size_t i = 0; slot.graph && slot.graph->has_node_ids() && i < slot.graph->node_count(); ++i) {
      if (slot.graph->state(i) != NodeState::kTombstone) subjects.erase(slot.graph->node_id(i));
    }
  }
  if (data_holds && !subjects.empty()) return unsound("a subject that is in no graph has a due date");
  return fmt::format("{} due dates", count);
}

Result<std::string> check_erasure(const WorkspaceTables& tables, const fs::path& path) {
  std::size_t pages = 0;
  for (const FileOfTables& file : files_of(tables, path)) {
    for (const char* suffix : {"-wal", "-journal"}) {
      std::error_code missing;
      const auto size = fs::file_size(fs::path(file.path.string() + suffix), missing);
      if (!missing && size > 0) return unsound(fmt::format("{}{} holds {} bytes", file.path.string(), suffix, size));
    }
    UNSCATTER_TRY(unused, examine_unused_pages(*file.database, file.path));
    if (unused.not_empty > 0) {
      return unsound(tables.sharded()
                         ? fmt::format("{} unused pages of {} are not empty", unused.not_empty, file.path.string())
                         : fmt::format("{} unused pages are not empty", unused.not_empty));
    }
    pages += unused.pages;
  }
  return fmt::format("nothing in the log, and nothing in the {} unused pages", pages);
}

CheckedFile check_database(const WorkspaceTables& tables, const fs::path& path, const fs::path& key) {
  return QuickCheck(tables, path, key).run();
}

Status require_sound(const Verification& verification, const fs::path& path) {
  for (const Check& check : verification.checks) {
    if (!check.passed) return unsound(fmt::format("{} is not sound: {}: {}", path.string(), check.name, check.detail));
  }
  return ok_status();
}

Result<Verification> check_workspace(const fs::path& path, const WorkspaceOptions& workspace) {
  const Result<WorkspaceFiles> files = open_files(path, workspace.wait, Access::kReader);
  if (files.ok()) return check_database(files->tables(), path, workspace.record).verification;
  // A damaged file is a finding.  A file that is locked or missing is an error, because nothing can be said about it.
  if (files.error().code != ErrorCode::kMalformedInput) return files.error();
  Verification verification;
  verification.checks.push_back({"file", false, files.error().message});
  return verification;
}

}  // namespace unscatter
