#include "unscatter/store/workspace.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/wipe.h"
#include "store/expiry.h"
#include "store/kept_state.h"
#include "store/schema.h"
#include "store/shard_crew.h"
#include "store/stored_graph.h"
#include "store/upgrade.h"
#include "store/workspace_state.h"
#include "unlearn/limit.h"
#include "unscatter/base/version.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

Status check_target(const fs::path& path, const WorkspaceOptions& options) {
  if (options.key == nullptr)
    return Error{ErrorCode::kInvalidArgument, "a workspace needs a key that signs its receipts"};
  std::error_code ignored;
  // Not status(): a link that leads nowhere is something that is there.
  if (fs::symlink_status(path, ignored).type() != fs::file_type::not_found) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("'{}' exists already", path.string())};
  }
  return ok_status();
}

// A name and no secret: half of the digits are enough to tell workspaces apart.
std::string random_id(RandomSource& random) { return Salt::random(random).hex().substr(0, 32); }

}  // namespace

Result<Contents> constants_of(const WorkspaceSetup& setup, const WorkspaceOptions& options, RandomSource& random) {
  UNSCATTER_TRY(chosen, make_embedder(setup.features, setup.transform, setup.dataset, setup.fit));
  Contents contents;
  contents.constants = {setup.dataset.name, {}, setup.features, setup.transform, setup.options};
  // Classes that follow the data stand with the model, where a removal can overwrite them.
  if (setup.options.classes != ConstantKind::kPrivateFit) {
    contents.constants.class_names = setup.dataset.class_names;
  }
  contents.constants.fit = setup.fit.kind;
  // Level everyone derives its noise, from these numbers and no data.  The file says what it is.
  const std::size_t classes = setup.dataset.class_names.size();
  const std::size_t width = chosen->width() + (setup.options.bias ? 1 : 0);
  // What the function of rows costs changes no noise.  The session looks at it, with the embedder's constants.
  SessionOptions derived = setup.options;
  derived.embedding_guarantee.reset();
  UNSCATTER_TRY(limit, Limit::create(derived, width * classes, classes));
  contents.constants.options.noise_stddev = limit.options().noise_stddev;
  contents.constants.options.threads = 0;
  contents.constants.options.expected_updates = 0;
  contents.constants.options.progress = nullptr;
  contents.constants.options.crew = nullptr;
  // Names that no text can hold are refused here too, although they stand elsewhere.
  Constants with_classes = contents.constants;
  with_classes.class_names = setup.dataset.class_names;
  UNSCATTER_CHECK_OK(constants_text(with_classes));
  UNSCATTER_TRY(text, constants_text(contents.constants));
  UNSCATTER_TRY(embedder, make_embedder(contents.constants, chosen->blocks().front().features.describe()));
  contents.embedder = std::move(embedder);
  contents.format = kFormatVersion;
  contents.identity = {random_id(random), time_text(options), options.key->public_key(), std::move(text),
                       Salt::random(random)};
  return contents;
}

namespace {

// All rows of a new workspace, in one transaction of the caller.  Fills in the chain and the digest of the graphs.
// Graphs go from the session to the file one by one: a second copy of all would be the most memory that a workspace
// ever takes.
Status write_all(const WorkspaceTables& tables, const Session& session, RandomSource& random, const std::string& time,
                 const SigningKey& key, const std::optional<Digest>& continues, const DueDates& dates,
                 Contents& contents) {
  const Database& database = tables.main();
  UNSCATTER_CHECK_OK(write_identity(database, contents.identity));
  std::vector<Digest> leaves;
  leaves.reserve(session.slots());
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    const GraphRow row = to_row(session.slot_snapshot(slot), random);
    UNSCATTER_CHECK_OK(write_graph(tables, slot, row));
    leaves.push_back(row.leaf(slot));
  }
  UNSCATTER_CHECK_OK(write_kept_state(tables, session, leaves, contents.identity.list_key, contents.tree));
  contents.tree.written();
  contents.has_kept_state = true;
  UNSCATTER_CHECK_OK(add_due_dates(tables, contents.identity, key, dates.graphs, 0, dates.subjects, true));
  return write_first_entry(database, random, time, key, continues, contents);
}

}  // namespace

Status write_first_entry(const Database& database, RandomSource& random, const std::string& time, const SigningKey& key,
                         const std::optional<Digest>& continues, Contents& contents) {
  // A workspace that is trained again goes on counting where its predecessor stopped.
  const std::size_t published = published_in(contents.constants.options.earlier);
  const ModelRow model = to_row(model_of(contents.snapshot, published), random);
  UNSCATTER_CHECK_OK(write_model(database, model));

  LedgerRecord record;
  record.continues = continues;
  record.published = published;
  record.workspace = contents.identity.id;
  record.time = time;
  record.software = fmt::format("unscatter {}", version());
  record.constants = constants_digest(contents.identity);
  // A creation changes no data.  So the rule that links entries holds for the first one too.
  record.data_before = record.data_after = contents.tree.root();
  record.model = model.digest();
  set_certificate(record, contents.snapshot.certificate);
  const LedgerRow row = make_entry(record, key);
  contents.chain = {1, row.hash, std::move(record), row.signature};
  return append_entry(database, 0, row);
}

std::unique_ptr<RandomSource> make_random(const WorkspaceOptions& options) {
  if (options.random) return options.random();
  return std::make_unique<SecureRandom>();
}

std::string time_text(const WorkspaceOptions& options) {
  const auto seconds = static_cast<std::time_t>(options.clock ? options.clock() : std::time(nullptr));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

SessionOptions session_options(const SessionOptions& stored, const WorkspaceOptions& how) {
  // What decides about results comes from the file.  Only what changes no result comes from the caller.
  SessionOptions options = stored;
  options.threads = how.threads;
  options.expected_updates = how.expected_updates;
  options.progress = how.progress;
  options.crew = how.crew;
  return options;
}

Workspace::State::State(fs::path where, WorkspaceFiles open, Contents parts, const WorkspaceOptions& how)
    : path(std::move(where)),
      files(std::move(open)),
      database(files.main()),
      tables(files.tables()),
      contents(std::move(parts)),
      options(how),
      random(make_random(how)) {}

WorkspaceInfo Workspace::State::info() const {
  WorkspaceInfo info;
  info.path = path;
  info.id = contents.identity.id;
  info.name = contents.constants.name;
  info.created = contents.identity.created;
  info.format = static_cast<std::uint32_t>(contents.format);
  info.signer = contents.identity.signer;
  info.features = contents.embedder->blocks().front().features.describe();
  if (contents.constants.version >= 2) info.rule = contents.constants.features;
  info.fit = contents.constants.fit;
  info.transform = contents.constants.transform;
  info.options = contents.constants.options;
  info.class_names = contents.class_names;
  info.slots = contents.tree.leaves();
  info.entries = contents.chain.entries;
  info.head = contents.chain.head;
  info.published = published();
  info.published_in_count = published() - published_in(contents.constants.options.earlier);
  info.rungs = session ? session->rungs() : contents.snapshot.rungs;
  info.updates = info.rungs.total();
  info.certificate = certificate();
  info.graphs = info.certificate.graphs;
  if (files.sharded()) {
    info.shards = tables.parts();
    info.slots_per_shard = tables.partition().slots_per_part;
  }
  info.outdated = outdated;
  return info;
}

std::string Workspace::State::now() const { return time_text(options); }

Status Workspace::State::require_writable() const {
  if (uncertain) {
    return Error{ErrorCode::kIo, fmt::format("{}: an earlier write failed; open the workspace again", path.string())};
  }
  // Before the key: whoever holds an old copy should hear that first.
  if (outdated) return *outdated;
  if (options.read_only) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{} was opened to look at it only", path.string())};
  }
  if (options.key == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "the key that signs this workspace's receipts is needed"};
  }
  // Invariant 3: one key signs all entries.  An entry by another key would make the whole workspace fail its
  // verification.
  const PublicKey& signer = contents.identity.signer;
  if (options.key->public_key() != signer) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is signed with the key {}, and the key at hand is {}", path.string(), signer.hex(),
                             options.key->public_key().hex())};
  }
  return ok_status();
}

Status Workspace::State::meet_record() {
  if (options.record.empty()) return ok_status();
  const fs::path where = record_path(options.record, contents.identity.id);
  const bool may_write =
      !options.read_only && options.key != nullptr && options.key->public_key() == contents.identity.signer;
  if (may_write) {
    UNSCATTER_TRY(opened, RollbackRecord::open(where, contents.identity.id, options.wait));
    record = std::move(opened);
  }
  RecordedLedger known;
  if (record) {
    known = record->ledger();
  } else {
    UNSCATTER_TRY(read, RollbackRecord::read(where, contents.identity.id));
    if (!read) return ok_status();
    known = *std::move(read);
  }
  UNSCATTER_TRY(comparison, compare(known, database, contents.chain));
  entries_on_record = comparison.known;
  if (comparison.standing == Standing::kOlder || comparison.standing == Standing::kOther) {
    outdated = refusal(path, known, contents.chain, comparison);
    return ok_status();
  }
  if (!record || comparison.standing == Standing::kCurrent) return ok_status();
  // The head is signed and holds the hashes of all entries, so the lines are about what the owner of the key wrote.
  UNSCATTER_TRY(lines, lines_from(database, entries_on_record));
  entries_on_record = contents.chain.entries;
  return record->append(lines);
}

Status Workspace::State::remember(std::string_view what_was_done) {
  if (!record) return ok_status();
  const auto append = [&]() -> Status {
    if (entries_on_record + 1 == contents.chain.entries) {
      const RecordLine line = line_of(contents.chain.last, contents.chain.head);
      return record->append(std::span(&line, 1));
    }
    // A replay follows an upgrade that no record has.
    UNSCATTER_TRY(lines, lines_from(database, entries_on_record));
    return record->append(lines);
  };
  const Status status = append();
  if (status.ok()) {
    entries_on_record = contents.chain.entries;
    return ok_status();
  }
  uncertain = true;
  // What was removed leaves the disk all the same.
  static_cast<void>(database.empty_log());
  return Error{
      ErrorCode::kIo,
      fmt::format("{}, but the record beside the signing key could not be written; open the workspace again to "
                  "write it: {}",
                  what_was_done, status.error().message)};
}

Workspace::Workspace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

Result<Workspace> Workspace::create(const fs::path& path, WorkspaceSetup setup, const WorkspaceOptions& options) {
  UNSCATTER_CHECK_OK(check_target(path, options));
  // Earlier counts come from the workspace before, which the first entry names, and from nowhere else.
  setup.options.earlier = setup.predecessor ? setup.predecessor->earlier : std::vector<EarlierCount>();
  const auto continues = setup.predecessor ? std::optional(setup.predecessor->head) : std::nullopt;
  if (setup.stream) return create_from_stream(path, std::move(setup), options);
  const std::unique_ptr<RandomSource> random = make_random(options);
  UNSCATTER_TRY(contents, constants_of(setup, options, *random));
  const DueDates dates = std::move(setup.dataset.due);
  // Before there is a file: options that cannot be met, or an interrupted training, leave nothing behind.
  UNSCATTER_TRY(session, Session::create(std::move(setup.dataset), contents.embedder,
                                         session_options(setup.options, options), make_random(options)));
  contents.snapshot = session.snapshot_without_slots();
  contents.class_names = session.class_names();

  UNSCATTER_TRY(files, create_files(path, partition_of(setup.shards, session.slots()), options.wait));
  // One transaction for each file (invariant 1).
  const auto fill = [&]() -> Status {
    const WorkspaceTables tables = files.tables();
    UNSCATTER_TRY(transaction, NewFiles::begin(tables));
    UNSCATTER_CHECK_OK(
        write_all(tables, session, *random, contents.identity.created, *options.key, continues, dates, contents));
    return transaction.commit(contents.identity.id, *options.key);
  };
  Status filled = fill();
  if (!filled.ok()) {
    // The files were made by this call, so they are ours to remove.
    remove_files(path);
    return std::move(filled).error();
  }
  auto state = std::make_unique<State>(path, std::move(files), std::move(contents), options);
  // The session goes on as it is, instead of being restored from what was just written.
  state->session = std::move(session);
  state->contents.snapshot = {};
  // After the file is there: a crash in between leaves a good workspace, and the next opening makes the record.
  if (Status met = state->meet_record(); !met.ok()) {
    state.reset();
    remove_files(path);
    return std::move(met).error();
  }
  return Workspace(std::move(state));
}

Result<Workspace> Workspace::open(const fs::path& path, const WorkspaceOptions& options) {
  // Reading needs no key.  require_writable() asks for it where something is signed.
  UNSCATTER_TRY(files, open_files(path, options.wait, options.read_only ? Access::kReader : Access::kAlone));
  UNSCATTER_TRY(contents, read_contents(files.tables()));
  const bool has_key =
      !options.read_only && options.key != nullptr && options.key->public_key() == contents.identity.signer;
  if (contents.format < kFormatVersion && has_key) {
    UNSCATTER_TRY(upgraded, upgrade(files.tables(), std::move(contents), *options.key, *make_random(options),
                                    time_text(options)));
    contents = std::move(upgraded);
  }
  if (has_key) UNSCATTER_CHECK_OK(ensure_due_dates(files.main(), contents.identity, *options.key));
  auto state = std::make_unique<State>(path, std::move(files), std::move(contents), options);
  UNSCATTER_CHECK_OK(state->meet_record());
  return Workspace(std::move(state));
}

WorkspaceInfo Workspace::info() const { return state_->info(); }
const Embedder& Workspace::embedder() const { return *state_->contents.embedder; }
const StageTimes& Workspace::stage_times() const { return state_->times; }

const Matrix& Workspace::kept_weights() const {
  return state_->session ? state_->session->weights() : state_->contents.snapshot.weights;
}

Result<const Session*> Workspace::session() {
  UNSCATTER_TRY(session, state_->live());
  return static_cast<const Session*>(session);
}

Result<LedgerRecord> Workspace::entry(std::size_t sequence) const {
  UNSCATTER_TRY(row, read_entry(state_->database, sequence));
  return parse_ledger_text(row.body);
}

Result<Digest> Workspace::hash_of_entry(std::size_t sequence) const {
  UNSCATTER_TRY(row, read_entry(state_->database, sequence));
  return row.hash;
}

Result<Receipt> Workspace::receipt(std::size_t sequence) const {
  // An entry that does not exist is told apart from one without a receipt.
  UNSCATTER_CHECK_OK(read_entry(state_->database, sequence));
  UNSCATTER_TRY(text, read_receipt(state_->database, sequence));
  return parse_receipt(text);
}

Result<std::vector<Salt>> Workspace::salts(std::size_t sequence) const {
  UNSCATTER_CHECK_OK(read_entry(state_->database, sequence));
  return read_salts(state_->database, sequence);
}

}  // namespace unscatter
