// What was done to a workspace, remembered outside of it.
//
// A workspace is a file, and a file can be put back.  An older copy has a good chain and good signatures, knows nothing
// of later removals, and counts fewer published models.  So a small record lies beside the signing key, one per
// workspace.  It only grows: one line per ledger entry, written after the entry is on disk.  docs/workspace-format.md,
// "The record against rollback", says why no crash blocks the owner or loses the protection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/chain.h"
#include "store/sqlite.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/store/ledger_record.h"

namespace unscatter {

// One ledger entry.
struct RecordLine {
  std::uint64_t sequence = 0;
  Digest hash;                // of the entry
  std::size_t published = 0;  // models published so far
  std::size_t requests = 0;   // that it honoured
  Digest commitments;         // commitments_digest() of theirs
  // kAdded or kCorrected, or nothing for all other kinds: a replay has to know what it cannot repeat.
  std::optional<EntryKind> kind = {};
  friend bool operator==(const RecordLine&, const RecordLine&) = default;
};
[[nodiscard]] RecordLine line_of(const LedgerRecord& record, const Digest& hash);
// Of the commitments of one entry, in their order.
[[nodiscard]] Digest commitments_digest(std::span<const Digest> commitments);

// The lines of the ledger as it stands.  Where a line has the number of an earlier one, an older copy was brought up to
// date: that line and those after it replace the earlier ones.
struct RecordedLedger {
  std::vector<RecordLine> lines;  // of entries 0, 1, 2, ...
  std::size_t published = 0;      // the most that any line counts
  std::size_t bytes = 0;          // of the whole lines
};
// Errors: kMalformedInput.  A last line that is not whole is what a crash left of it.  It is passed over: whoever wrote
// it had not been told yet that it is there.
[[nodiscard]] Result<RecordedLedger> parse_record(std::string_view text, std::string_view workspace);

// Where the record of a workspace lies: "<key>.<workspace>.record".
[[nodiscard]] std::filesystem::path record_path(const std::filesystem::path& key, const std::string& workspace);

// The record, open for writing.  As long as it is open, no other process can write to it: two copies of one workspace
// cannot grow at the same time.
class RollbackRecord {
 public:
  // Makes the file (mode 0600) if there is none.  Errors: kIo; kUnavailable if another process holds it for longer than
  // `wait`; kMalformedInput.
  [[nodiscard]] static Result<RollbackRecord> open(const std::filesystem::path& path, const std::string& workspace,
                                                   std::chrono::milliseconds wait);
  // Without writing or waiting.  Nothing if there is no file.
  [[nodiscard]] static Result<std::optional<RecordedLedger>> read(const std::filesystem::path& path,
                                                                  const std::string& workspace);

  [[nodiscard]] const RecordedLedger& ledger() const { return ledger_; }
  // Durable when it returns.  Errors: kIo.
  [[nodiscard]] Status append(std::span<const RecordLine> lines);

 private:
  struct File;
  explicit RollbackRecord(std::shared_ptr<File> file) : file_(std::move(file)) {}

  std::shared_ptr<File> file_;
  RecordedLedger ledger_;
};

// A file beside its record.
enum class Standing {
  kCurrent,  // the same entries
  kAhead,    // the recorded entries and more: a crash came between commit and record
  kOlder,    // fewer entries, all of them recorded: an older copy
  kOther,    // other entries than recorded
};
struct Comparison {
  Standing standing = Standing::kOther;
  std::size_t known = 0;  // entries of the file that the record has, from the first on
};
// Errors: those of the database.
[[nodiscard]] Result<Comparison> compare(const RecordedLedger& record, const Database& database, const ChainEnd& chain);
// Lines of the entries from `first` on.
[[nodiscard]] Result<std::vector<RecordLine>> lines_from(const Database& database, std::size_t first);
// Why a file that is older, or another one, is refused, and what to do about it.
[[nodiscard]] Error refusal(const std::filesystem::path& path, const RecordedLedger& record, const ChainEnd& chain,
                            const Comparison& comparison);

}  // namespace unscatter
