#include "store/rollback_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <thread>
#include <utility>

#include "base/files.h"
#include "store/tables.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecordFormat = "unscatter-record-1";
// Far above what a ledger of millions of entries takes.
constexpr std::size_t kRecordLimit = std::size_t{1} << 32;

std::string first_line(std::string_view workspace) { return fmt::format("{} {}\n", kRecordFormat, workspace); }

std::string spelled(const RecordLine& line) {
  return fmt::format("{} {} {} {} {}{}{}\n", line.sequence, line.hash.hex(), line.published, line.requests,
                     line.commitments.hex(), line.kind ? " " : "", line.kind ? name(*line.kind) : "");
}

// The kinds that a line names.  Lines of all others are spelled as before there were such entries.
std::optional<EntryKind> named_kind(EntryKind kind) {
  if (kind == EntryKind::kAdded || kind == EntryKind::kCorrected) return kind;
  return std::nullopt;
}

// The next word of a line, which ends with a space or with the line.
std::string_view next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

template <typename Number>
bool read_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

std::optional<RecordLine> parse_line(std::string_view text) {
  RecordLine line;
  std::string_view rest = text;
  if (!read_number(next_word(rest), line.sequence)) return std::nullopt;
  const Result<Digest> hash = parse_digest(next_word(rest));
  if (!hash.ok()) return std::nullopt;
  line.hash = *hash;
  if (!read_number(next_word(rest), line.published) || !read_number(next_word(rest), line.requests))
    return std::nullopt;
  const Result<Digest> commitments = parse_digest(next_word(rest));
  if (!commitments.ok()) return std::nullopt;
  line.commitments = *commitments;
  for (const EntryKind kind : {EntryKind::kAdded, EntryKind::kCorrected}) {
    if (rest == name(kind)) line.kind = kind;
  }
  // One spelling only, as everywhere.
  if (spelled(line) != std::string(text) + '\n') return std::nullopt;
  return line;
}

void take_over(RecordedLedger& ledger, const RecordLine& line) {
  ledger.lines.resize(line.sequence);
  ledger.lines.push_back(line);
  // Never less than before: a model that was published stays published, whatever becomes of the ledger.
  ledger.published = std::max(ledger.published, line.published);
}

Error record_io_error(const fs::path& path, std::string_view what) {
  return {ErrorCode::kIo, fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(errno))};
}

}  // namespace

RecordLine line_of(const LedgerRecord& record, const Digest& hash) {
  return {
      record.sequence,        hash, record.published, record.commitments.size(), commitments_digest(record.commitments),
      named_kind(record.kind)};
}

Digest commitments_digest(std::span<const Digest> commitments) {
  Hasher hasher;
  hasher.add(std::string_view("unscatter record commitments 1")).add(std::uint64_t{commitments.size()});
  for (const Digest& commitment : commitments) hasher.add_bytes(std::as_bytes(std::span(commitment.bytes)));
  return hasher.finish();
}

Result<RecordedLedger> parse_record(std::string_view text, std::string_view workspace) {
  RecordedLedger ledger;
  // A crash while the file was made leaves less than its first line.
  if (text.find('\n') == std::string_view::npos) return ledger;
  if (!text.starts_with(first_line(workspace))) {
    return Error{ErrorCode::kMalformedInput, fmt::format("this is no record of workspace {}", workspace)};
  }
  ledger.bytes = first_line(workspace).size();
  text.remove_prefix(ledger.bytes);
  for (std::size_t number = 2;; ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return ledger;
    const std::optional<RecordLine> line = parse_line(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (!line || line->sequence > ledger.lines.size()) {
      // A power cut may write the end of a line and not its beginning.
      if (text.empty()) return ledger;
      return Error{ErrorCode::kMalformedInput, fmt::format("line {} of this record is damaged", number)};
    }
    take_over(ledger, *line);
    ledger.bytes += end + 1;
  }
}

fs::path record_path(const fs::path& key, const std::string& workspace) {
  return fs::path(key) += fmt::format(".{}.record", workspace);
}

// A descriptor, and the lock that goes with it.
struct RollbackRecord::File {
  File(fs::path where, int opened) : path(std::move(where)), descriptor(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor); }

  [[nodiscard]] Status lock(std::chrono::milliseconds wait) const {
    const auto give_up = std::chrono::steady_clock::now() + wait;
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR)
        return record_io_error(path, "cannot be locked; keep the key on a local disk");
      if (std::chrono::steady_clock::now() >= give_up) {
        return Error{
            ErrorCode::kUnavailable,
            fmt::format("{}: another process works on a copy of this workspace; wait longer for it", path.string())};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return ok_status();
  }

  // Cuts off what is behind `size`, appends, and makes it durable.
  [[nodiscard]] Status write(std::size_t size, std::string_view text) const {
    if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0) return record_io_error(path, "cannot be cut");
    if (::lseek(descriptor, static_cast<off_t>(size), SEEK_SET) < 0) return record_io_error(path, "cannot be written");
    UNSCATTER_CHECK_OK(write_fully(descriptor, path, text));
    if (::fdatasync(descriptor) != 0) return record_io_error(path, "cannot be made durable");
    return ok_status();
  }

  fs::path path;
  int descriptor;
};

Result<RollbackRecord> RollbackRecord::open(const fs::path& path, const std::string& workspace,
                                            std::chrono::milliseconds wait) {
  UNSCATTER_CHECK_OK(make_private_folders(path.parent_path()));
  std::error_code ignored;
  if (!fs::exists(path, ignored)) UNSCATTER_CHECK_OK(write_new_file(path, first_line(workspace), 0600));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return record_io_error(path, "cannot be opened");
  RollbackRecord record(std::make_shared<File>(path, descriptor));
  UNSCATTER_CHECK_OK(record.file_->lock(wait));
  // Read after the lock is held: another process may have written until then.
  UNSCATTER_TRY(text, read_file(path, kRecordLimit));
  Result<RecordedLedger> ledger = parse_record(text, workspace);
  if (!ledger.ok()) return Error{ledger.error().code, fmt::format("{}: {}", path.string(), ledger.error().message)};
  record.ledger_ = *std::move(ledger);
  if (record.ledger_.bytes == 0) {
    UNSCATTER_CHECK_OK(record.file_->write(0, first_line(workspace)));
    record.ledger_.bytes = first_line(workspace).size();
  }
  return record;
}

Result<std::optional<RecordedLedger>> RollbackRecord::read(const fs::path& path, const std::string& workspace) {
  Result<std::string> text = read_file(path, kRecordLimit);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return std::optional<RecordedLedger>();
  if (!text.ok()) return std::move(text).error();
  Result<RecordedLedger> ledger = parse_record(*text, workspace);
  if (!ledger.ok()) return Error{ledger.error().code, fmt::format("{}: {}", path.string(), ledger.error().message)};
  if (ledger->lines.empty()) return std::optional<RecordedLedger>();
  return std::optional(*std::move(ledger));
}

Status RollbackRecord::append(std::span<const RecordLine> lines) {
  std::string text;
  for (const RecordLine& line : lines) text += spelled(line);
  UNSCATTER_CHECK_OK(file_->write(ledger_.bytes, text));
  ledger_.bytes += text.size();
  for (const RecordLine& line : lines) take_over(ledger_, line);
  return ok_status();
}

Result<Comparison> compare(const RecordedLedger& record, const Database& database, const ChainEnd& chain) {
  const std::size_t recorded = record.lines.size();
  // The last entry that both have is enough: it holds the hashes of all before it.
  const std::size_t common = std::min(recorded, chain.entries);
  if (common == 0) return Comparison{Standing::kAhead, 0};
  UNSCATTER_TRY(row, read_entry(database, common - 1));
  if (row.hash == record.lines[common - 1].hash) {
    if (chain.entries < recorded) return Comparison{Standing::kOlder, common};
    return Comparison{chain.entries == recorded ? Standing::kCurrent : Standing::kAhead, common};
  }
  // Somewhere the two part.  A copy that was brought up to date says which ledger it takes the place of.  That entry
  // was signed after all removals of that ledger were seen to be repeated.  An old copy that was only brought to the
  // present format is still an old copy.
  std::size_t known = 0;
  bool parted = false;
  bool replayed = false;
  bool only_upgraded = true;
  UNSCATTER_CHECK_OK(visit_entries(database, [&](std::size_t sequence, const LedgerRow& entry) -> Status {
    if (!parted && sequence < recorded && entry.hash == record.lines[sequence].hash) {
      known = sequence + 1;
      return ok_status();
    }
    parted = true;
    UNSCATTER_TRY(parsed, parse_ledger_text(entry.body));
    replayed = replayed || (parsed.kind == EntryKind::kReplayed && parsed.supersedes == record.lines.back().hash);
    only_upgraded = only_upgraded && parsed.kind == EntryKind::kUpgraded;
    return ok_status();
  }));
  if (known == 0) return Comparison{Standing::kOther, 0};
  if (replayed) return Comparison{Standing::kAhead, known};
  return Comparison{only_upgraded ? Standing::kOlder : Standing::kOther, known};
}

Result<std::vector<RecordLine>> lines_from(const Database& database, std::size_t first) {
  std::vector<RecordLine> lines;
  UNSCATTER_CHECK_OK(visit_entries(database, [&](std::size_t sequence, const LedgerRow& row) -> Status {
    if (sequence < first) return ok_status();
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    lines.push_back(line_of(record, row.hash));
    return ok_status();
  }));
  return lines;
}

Error refusal(const fs::path& path, const RecordedLedger& record, const ChainEnd& chain, const Comparison& comparison) {
  const RecordLine& last = record.lines.back();
  if (comparison.standing == Standing::kOlder) {
    return {ErrorCode::kOutdated,
            fmt::format("{} is older than the record beside the signing key: it ends with entry {}, and entry {} was "
                        "written; removals and published models after its end are missing.  Use the newest file, or "
                        "let 'unscatter forget --workspace FILE --replay OPENINGS' bring this one up to date",
                        path.string(), chain.entries - 1, last.sequence)};
  }
  return {ErrorCode::kOutdated,
          fmt::format("{} is not the workspace that the record beside the signing key knows: entry {} was written with "
                      "the hash {}, and here it is another one or missing.  Two copies of the workspace have gone "
                      "separate ways; use the one that the record knows",
                      path.string(), last.sequence, last.hash.hex())};
}

}  // namespace unscatter
