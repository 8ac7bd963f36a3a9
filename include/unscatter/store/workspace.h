// A classifier that can forget, in one file: graphs, model, promise, ledger, receipts.  The file format is documented
// in docs/workspace-format.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/progress.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/read.h"
#include "unscatter/store/ledger_record.h"
#include "unscatter/store/receipt.h"
#include "unscatter/store/request_text.h"
#include "unscatter/store/signing_key.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/session.h"
#include "unscatter/unlearn/session_options.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

class RowPile;
class ShardCrew;

// How a workspace is opened.
struct WorkspaceOptions {
  // Signs receipts.  Needed by create(), forget() and release().  A workspace keeps to the key that it was created
  // with.
  std::shared_ptr<const SigningKey> key = nullptr;
  // A workspace is used by one process at a time.  This is how long to wait for another one before giving up.
  std::chrono::milliseconds wait{10000};
  std::size_t threads = 0;  // 0: all; results do not depend on it
  // How many updates this process is to make; 0: many (SessionOptions::expected_updates).
  std::size_t expected_updates = 0;
  Progress* progress = nullptr;
  ShardCrew* crew = nullptr;  // other processes that embed, train and update too; results do not depend on them
  // Seconds since 1970; default: the system's clock.
  std::function<std::int64_t()> clock = nullptr;
  // Salts and noise; default: SecureRandom.  Called once per source that is needed.
  std::function<std::unique_ptr<RandomSource>()> random = nullptr;
  // The file of the signing key.  Beside it lies the record against rollback, "<this>.<workspace id>.record".  With the
  // key the record is made if there is none, and grows with the ledger.  A file that is older than its record can be
  // looked at, but it takes no removal and publishes nothing: errors kOutdated.  Empty: there is no record, and an
  // older copy passes for the present file.
  std::filesystem::path record = {};
  // Only looks: nothing can be removed, published, renewed or shredded.  Any number of processes can look at the same
  // time.  They wait for one that writes, and it waits for them.
  bool read_only = false;
};

// What a workspace that is trained again takes over from the one before.
struct Predecessor {
  Digest head;                        // hash of its last entry
  std::vector<EarlierCount> earlier;  // all its counts, the present one included
};

// A data set of any length, of which a few graphs are in memory at a time.  survey() makes it.
struct StreamedData {
  // Some neighbouring graphs, by their content, labels, ids and due dates.
  struct Part {
    std::size_t graphs = 0;
    Digest content = {};
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::function<Result<GraphStream>()> open = nullptr;  // from the first graph on; the same graphs every time
  std::shared_ptr<RowPile> rows = nullptr;              // of all graphs, embedded; for one workspace
  std::vector<std::uint32_t> labels = {};               // places in dataset.class_names
  std::string features = {};                            // by which they were embedded, with all constants
  bool has_graph_ids = false;
  std::size_t subjects = 0;        // ids of nodes that differ; counted by checksums of 64 bits
  std::vector<Part> content = {};  // all graphs, in their order
  DueDates due = {};
  FormCounts form = {};
};

// How a new workspace is cut into files (docs/workspace-format.md, "Sharded workspaces").  Both zero: it is one file.
// A sharded one is a folder, and everything works on it as on a file.
struct ShardPlan {
  std::size_t shards = 0;           // at most so many of equal size, each of 128 slots times a power of two
  std::size_t slots_per_shard = 0;  // or: of this size; the last one takes what is added later
};

// What a workspace is made of; all public constants of the model.
struct WorkspaceSetup {
  Dataset dataset;                // what to learn from; dataset.numbers are the graphs' numbers in requests
  std::string features = "auto";  // as FeatureMap::resolve() reads, with `dataset` and `fit`
  TransformSpec transform;
  SessionOptions options;
  FitSource fit = {};  // what missing constants of features are computed from
  // Workspace::predecessor() of the workspace that `dataset` is what is left of.  The first entry names it, and the
  // count of published models goes on.
  std::optional<Predecessor> predecessor = {};
  // If it is there, graphs come from here.  `dataset` then has the name, the classes, and a few graphs on which
  // constants are fitted as on all.
  std::optional<StreamedData> stream = {};
  ShardPlan shards = {};
};

// Why a workspace with this setup needs all graphs in memory at the same time; nothing if it does not.  The data set
// and the stream of the setup are not looked at.
[[nodiscard]] std::optional<std::string> reason_against_streaming(const WorkspaceSetup& setup);

// The first of two passes over a data set that does not have to fit memory: finds its classes, embeds every graph, and
// drops it.  Fills in setup.stream and, apart from its name, setup.dataset; the rest of the setup must be complete.
// Workspace::create() then trains, and writes the graphs in a second pass.  If features have to be fitted on graphs
// that come late, there is one more pass.  Errors: kUnsupported with reason_against_streaming(); those of
// read_dataset() for JSONL, of FeatureMap::resolve() and of embedding.
struct SurveyOptions {
  std::size_t threads = 0;
  ShardCrew* crew = nullptr;     // other processes, each of which reads its own part; results do not depend on them
  Progress* progress = nullptr;  // of what is read together with them
};
[[nodiscard]] Status survey(WorkspaceSetup& setup, const std::function<Result<GraphStream>()>& open,
                            const SurveyOptions& options = {});

struct WorkspaceInfo {
  std::filesystem::path path;
  std::string id;       // 32 hexadecimal digits
  std::string name;     // of the data set
  std::string created;  // 2026-01-31T23:59:59Z
  std::uint32_t format = 0;
  PublicKey signer;
  std::string features;  // with all constants, as they are now
  std::string rule;      // as the user wrote them, before constants were filled in; empty for format 1
  ConstantKind fit = ConstantKind::kStated;  // what missing constants were computed from
  TransformSpec transform;
  SessionOptions options;
  std::vector<std::string> class_names;
  std::size_t slots = 0;    // graphs at creation, and those that were added
  std::size_t graphs = 0;   // left
  std::size_t entries = 0;  // of the ledger
  Digest head;              // hash of its last entry
  std::size_t updates = 0;
  std::size_t published = 0;           // of all counts
  std::size_t published_in_count = 0;  // of the present one, which covers options.releases of them
  RungCounts rungs;                    // of the updates
  Certificate certificate;             // of the present state
  std::size_t shards = 0;              // 0: the workspace is one file
  std::size_t slots_per_shard = 0;
  std::optional<Error> outdated = {};  // why the file takes no removal, if its record says that it is an older copy
};

// From this time on, in seconds since 1970, a graph or a subject must not be kept.
struct DueDate {
  RemovalRequest what;  // ForgetGraph, by number, or ForgetSubject
  std::int64_t due = 0;
};
struct DueSummary {
  std::size_t dates = 0;               // of graphs and subjects
  std::size_t overdue = 0;             // at the time that was asked for
  std::optional<std::int64_t> oldest;  // of these
  std::optional<DueDate> next;         // the first one that is not due yet
};

// What a workspace holds about a subject.
struct HeldEdge {
  enum class Direction { kBoth, kFromSubject, kToSubject };
  std::size_t node = 0;  // number of the other end
  std::string id;        // its external id
  Direction direction = Direction::kBoth;
  std::optional<double> weight;
};
struct HeldNode {
  std::size_t number = 0;
  bool has_features = true;  // false: they were removed
  std::optional<std::int64_t> label;
  std::vector<double> attributes;
  std::vector<double> position;  // empty or two numbers
  std::vector<HeldEdge> edges;
};
struct HeldGraph {
  std::size_t number = 0;
  std::string id;  // external, empty if there is none
  std::string class_name;
  std::optional<std::int64_t> due;  // of the graph
  std::vector<HeldNode> nodes;      // that are the subject: one per graph, as ids are distinct there
};
struct HeldSubject {
  std::optional<std::int64_t> due;
  std::vector<HeldGraph> graphs;  // none: nothing is held
};
struct SubjectSearch {
  std::string text = {};  // part of the id, or a pattern for all of it with * and ?
  std::size_t limit = 0;  // 0: all
  std::size_t offset = 0;
};
struct SubjectList {
  struct Entry {
    std::string id;
    std::size_t graphs = 0;
    std::optional<std::int64_t> due;
  };
  std::size_t subjects = 0;    // in the workspace
  std::size_t found = 0;       // of them fit the search
  std::vector<Entry> entries;  // of these, in the order of their ids
};

struct Forgotten;

struct ForgetOptions {
  // Salts open commitments.  Whoever has the salts and a guess of who was forgotten can check the guess.  So they are
  // handed out and not kept in the file, unless this is set.
  bool keep_salts = false;
  // Do not even hand them out: nobody will ever be able to show what the commitments in the ledger were about.
  bool shred = false;
  // Called with the outcome before anything is written.  This is the place to make salts durable: a crash after the
  // commit would lose them.  An error drops the removal.  If the process ends before the commit, what was handed out
  // opens nothing.
  std::function<Status(const Forgotten& outcome)> hand_out = nullptr;
};

// A `released` entry of the ledger.
struct PublishedEntry {
  std::uint64_t sequence = 0;
  std::size_t number = 0;  // of the model
  std::string time;
};

// A removal, an addition or corrections, in force and on disk.
struct Forgotten {
  Certificate certificate;
  LedgerRecord entry;  // of the ledger
  Receipt receipt;
  std::vector<RemovalRequest> requests;  // that were honoured, in the order of the receipt's commitments
  std::vector<std::string> asked = {};   // of an addition or corrections: request_text() of each, in that order
  // One per request; empty if shredded.  With its salt a request can be matched to its commitment.
  std::vector<Salt> salts;
  Exposure exposure;  // for whoever runs the workspace; it is neither in the file nor in the receipt
};

// Where the time of a removal went, in seconds, summed over all removals since the workspace was opened.
struct StageTimes {
  double update = 0;      // editing, embedding, Newton, certificate
  double record = 0;      // digests, salts, ledger entry, signature
  double write = 0;       // SQL
  double commit = 0;      // making it durable
  double checkpoint = 0;  // emptying the write-ahead log, so that no old page stays
};

struct BackupOptions {
  bool replace = false;  // a workspace that is there already; no other file is replaced
};

// A copy of a workspace.
struct Backup {
  std::size_t entries = 0;  // of its ledger
  Digest head;              // hash of its last entry, which tells how old the copy is
  std::string time;         // of this entry
  std::uintmax_t bytes = 0;
};

// Not thread-safe; movable.  An operation that fails leaves file and object as they were, with two exceptions.  After
// them the object refuses further work until it is opened again.
//
// The first is an I/O error while committing: it is not known which of the two states the disk has.  The second is an
// I/O error while the log is emptied after a commit: the operation is in force, and the message says so, but old pages
// may still be on the disk.
// What Workspace::convert() wrote.
struct Conversion {
  std::size_t shards = 0;  // 0: one file
  std::size_t slots_per_shard = 0;
  std::uintmax_t bytes = 0;
  std::size_t entries = 0;
  Digest head;
};

class Workspace {
 public:
  // Embeds, trains and writes.  Errors: kInvalidArgument if the file exists; those of Session::create() and of the file
  // system; kMalformedInput if a stream (WorkspaceSetup::stream) is not what survey() saw.  A failure leaves no file
  // behind.
  [[nodiscard]] static Result<Workspace> create(const std::filesystem::path& path, WorkspaceSetup setup,
                                                const WorkspaceOptions& options);
  // Reads the end of the ledger, constants and model, and checks them: the signature of the last entry, what it commits
  // to, and whether the model meets its guarantee as far as its residuals say.  This takes the same time among a
  // thousand and a billion graphs.  Graphs are read when they are needed, and held against the same entry.  A file of
  // an older format is brought to the present one, in one transaction, if the key is given; otherwise it is read as it
  // is. Errors: kNotFound; kMalformedInput if the file is no workspace, is damaged, does not meet its guarantee, or is
  // of a newer format; kUnsupported for another version of the embedding; kIo; kUnavailable if another process holds it
  // for longer than `wait`.
  [[nodiscard]] static Result<Workspace> open(const std::filesystem::path& path, const WorkspaceOptions& options);

  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  [[nodiscard]] WorkspaceInfo info() const;
  [[nodiscard]] const Embedder& embedder() const;
  // Weights as kept.  No noise protects them: publish what release() returns.
  [[nodiscard]] const Matrix& kept_weights() const;
  // The session of all graphs.  When first called, it reads and checks all of the file, and evaluates the residual of
  // the kept weights.  Nothing below needs it.  Errors: kMalformedInput if something is not what was written, or if
  // this residual is above what is certified or allowed.
  [[nodiscard]] Result<const Session*> session();

  // A removal (or an addition, or corrections) that is computed, and neither written nor in force.  If it is destroyed
  // without commit(), nothing changes.  It must not outlive its workspace; movable.
  class Removal {
   public:
    Removal(Removal&& other) noexcept;
    Removal& operator=(Removal&& other) noexcept;
    ~Removal();

    // Until commit().
    [[nodiscard]] const std::vector<RemovalRequest>& requests() const;  // that are honoured
    [[nodiscard]] const Certificate& certificate() const;
    [[nodiscard]] const Exposure& exposure() const;
    // What each request takes out of graphs, after those before it, and all together.
    [[nodiscard]] const std::vector<EditCounts>& edits() const;
    [[nodiscard]] const EditCounts& edits_together() const;
    // The touched graphs as they become.  slot() tells what they are.
    [[nodiscard]] std::span<const SlotChange> changes() const;
    // One transaction, one ledger entry, one receipt.  When it returns, the removal is durable, and file and log hold
    // nothing of what was removed.  Called once.  An error drops the removal.  Errors: kInvalidArgument without the
    // key; kIo.
    [[nodiscard]] Result<Forgotten> commit(const ForgetOptions& options = {});

    struct Parts;  // the inside; not for users

   private:
    friend class Workspace;
    explicit Removal(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
  };
  // Errors as Session::prepare().  Until the removal is committed or dropped, no other can be prepared and no model
  // published.
  [[nodiscard]] Result<Removal> prepare(std::span<const RemovalRequest> requests);
  // prepare() and commit().
  [[nodiscard]] Result<Forgotten> forget(std::span<const RemovalRequest> requests, const ForgetOptions& options = {});
  // What forget() would do and cost.
  [[nodiscard]] Result<Certificate> preview(std::span<const RemovalRequest> requests, Exposure* exposure = nullptr);

  // More graphs, learned from by one update, and corrections.  Each is one transaction, one ledger entry (`added`,
  // `corrected`) and one receipt.  The published model goes, as with a removal.  When a correction returns, file and
  // log hold nothing of the old values.  Commitments are about each new graph (its id or number, and
  // addition_digest()) or each correction.  Errors as Session::prepare_addition() and prepare_corrections().
  [[nodiscard]] Result<Removal> prepare_addition(Dataset graphs);
  [[nodiscard]] Result<Removal> prepare_corrections(std::span<const Correction> corrections);
  [[nodiscard]] Result<Forgotten> add(Dataset graphs, const ForgetOptions& options = {});
  [[nodiscard]] Result<Forgotten> correct(std::span<const Correction> corrections, const ForgetOptions& options = {});

  // A list of requests, honoured piece by piece, that remembers how far it came.  The workspace keeps a keyed digest of
  // the requests done, in the same transaction as their effect.  If the same list is given again after a crash, it goes
  // on where it stopped.  What follows the done part may have changed in the meantime.
  struct ListOptions {
    // Requests per update.  All of them share one Newton step, one commit and one receipt.
    std::size_t batch = 256;
    bool skip_refused = false;  // go on after a request that cannot be honoured; default: stop there
    bool keep_salts = false;    // this and the next two as in ForgetOptions
    bool shred = false;
    std::function<Status(const Forgotten& outcome)> hand_out = nullptr;
    // Asked before each update; true ends the run there.
    std::function<bool()> stop = nullptr;
    // Called after each update, when it is durable, with the number of requests of the list that are done.
    std::function<void(std::size_t done, const Forgotten& outcome)> acknowledge = nullptr;
  };
  struct ListOutcome {
    std::size_t done_before = 0;  // requests that an earlier run had honoured
    // Ledger entries of earlier runs, ascending.  An earlier run may have ended before it wrote their receipts down.
    std::vector<std::size_t> entries_before;
    std::size_t honoured = 0;  // by this run
    std::size_t updates = 0;
    bool stopped = false;        // by `stop`
    std::vector<Error> refused;  // why, each with its place in the list
  };
  // Errors: those of forget(); the first refusal, unless refusals are skipped, after the requests before it were
  // honoured.  Error::request is a place in the list: that of the refused request, or that of the first one of an
  // update that failed.
  [[nodiscard]] Result<ListOutcome> forget_list(std::span<const RemovalRequest> requests, const ListOptions& options);

  // Brings an older copy of the file up to date.  `openings` are those that forget() handed out.  All requests of all
  // entries that the record counts beyond the end of this copy must be among them.  They are honoured by one update,
  // whose entry says which ledger it takes the place of.  Models that were published since the copy was made stay
  // counted.  Errors: kInvalidArgument without a record, for a file that is not older, and where an opening is missing;
  // those of forget().
  [[nodiscard]] Result<Forgotten> replay(std::span<const Opening> openings, const ForgetOptions& options = {});

  // Destroys the kept salts of every earlier request that equals this one.  If there were any, it also destroys what is
  // remembered of lists.  Returns how many salts there were.
  [[nodiscard]] Result<std::size_t> shred(const RemovalRequest& request);

  // The published model of the present state.  It is the same one until the next removal, because publishing it again
  // tells nobody anything new.  With `fresh` it is another one, with noise of its own, counted against the guarantee.
  // It is on disk before this returns.  If that fails, it is counted for as long as the object lives.  Errors as
  // Session::release(), kInvalidArgument without the key, kIo.
  [[nodiscard]] Result<PublishedModel> release(bool fresh = false);
  // The model that release() gave last, as a signed file for outsiders.  Errors: kNotFound if nothing was published
  // since the last removal; kInvalidArgument without the key.
  [[nodiscard]] Result<PublishedDocument> published_document() const;

  // Another count of as many published models, with an entry of its own.  Models that are published stay what they are:
  // from here on every certificate, receipt and model states the promise for all counts together, beside that of the
  // new one (docs/theory.md, "Several counts").  The model and the graphs stay as they are.  Errors: kInvalidArgument
  // without the key, and where noise is in the objective; kIo.
  [[nodiscard]] Result<LedgerRecord> renew();
  // For a workspace that is trained again from remaining().  Errors: kOutdated for an older copy, which may hold what
  // was removed.
  [[nodiscard]] Result<Predecessor> predecessor() const;

  // Writes a copy of the file as it is now to `to`, for its owner only.  It is complete and sound, or it is not there.
  // It holds no unused page, and nothing that was removed.  Others that write wait meanwhile.  Errors: kInvalidArgument
  // if `to` exists and is not to be replaced, or is something else than a workspace; kUnavailable if it is in use;
  // kMalformedInput if this file is not sound; kOutdated for an older copy; kIo.
  [[nodiscard]] Result<Backup> backup(const std::filesystem::path& to, const BackupOptions& options = {}) const;

  // Writes the workspace as it is now to `to`, which must be free: as a folder of shards or, with an empty plan, as one
  // file.  Ledger, receipts and all else are the same, and this workspace does not change.  There are two of them then.
  // The record against rollback knows one ledger: once one of the two takes an update, the other is the older copy.
  // Graphs are copied one by one.  Errors leave nothing behind: kInvalidArgument without the key where shards are made,
  // and for a workspace of an older version; kMalformedInput if this workspace is not sound; kOutdated for an older
  // copy; kIo.
  [[nodiscard]] Result<Conversion> convert(const std::filesystem::path& to, const ShardPlan& plan) const;

  // Due dates.  A removal erases those of what it removes, in its own transaction.  Errors of all: kMalformedInput for
  // dates that are not what was written.
  //
  // What is due at `until` or before: graphs in the order of their numbers, then subjects in that of their ids.  Checks
  // that no date was changed and none is missing.
  [[nodiscard]] Result<std::vector<DueDate>> due(std::int64_t until) const;
  // By an index: reads neither graphs nor dates that are not due, and does not notice one that is missing.
  [[nodiscard]] Result<DueSummary> due_summary(std::int64_t now) const;
  // Sets the date of a graph or a subject that is there, or takes it away.  No ledger entry says so, because a date is
  // not learned from.  Errors: kNotFound; kInvalidArgument without the key, for other kinds of requests, and where
  // there is no date to take away; kIo.
  [[nodiscard]] Status set_due(const RemovalRequest& what, std::optional<std::int64_t> due);
  // prepare() for what due() gave: all of it by one update.  What is not there any more is passed over.  Nothing if all
  // of it is: drop_due() then takes its dates away.
  [[nodiscard]] Result<std::optional<Removal>> prepare_due(std::span<const DueDate> dates);
  // All of it for what is due at `until`: forgets it by one update, or takes away dates of what is not there any more.
  // Nothing if nothing was left to forget.
  [[nodiscard]] Result<std::optional<Forgotten>> expire(std::int64_t until, const ForgetOptions& options = {});
  // Takes away dates of graphs and subjects that are not there any more.  Others stay.  Returns how many went.
  [[nodiscard]] Result<std::size_t> drop_due(std::span<const DueDate> dates);

  // What is held about the nodes with this external id, and nothing about removed ones.  Reads graphs, no session.
  [[nodiscard]] Result<HeldSubject> subject(const std::string& id) const;
  [[nodiscard]] Result<SubjectList> subjects(const SubjectSearch& search = {}) const;

  // What the file has of one slot.  An empty slot has a number and no graph.  Errors: kNotFound.
  [[nodiscard]] Result<SlotSnapshot> slot(std::size_t slot) const;
  // What is left, as a data set, with the graphs' numbers.  Removed features and tombstones are states of nodes.
  [[nodiscard]] Result<Dataset> remaining() const;
  // Models that the ledger tells of, in their order.  A workspace that was trained again, and a copy that was brought
  // up to date, count more than they tell of: see WorkspaceInfo::published.
  [[nodiscard]] Result<std::vector<PublishedEntry>> published_models() const;

  // Errors: kNotFound.
  [[nodiscard]] Result<LedgerRecord> entry(std::size_t sequence) const;
  [[nodiscard]] Result<Digest> hash_of_entry(std::size_t sequence) const;
  // Of a removal or a release.  Releases of unscatter 0.1 have none.
  [[nodiscard]] Result<Receipt> receipt(std::size_t sequence) const;
  // The salts of its commitments, in their order.  A salt that was destroyed is all zero.  None if none was kept.
  [[nodiscard]] Result<std::vector<Salt>> salts(std::size_t sequence) const;

  // Two BLAKE2b digests of what was done.  Keep them private: nothing in them is salted, so whoever has one can check a
  // guess of all data and all requests.  Due dates are in neither.
  //
  // Equal wherever the same data got the same requests in the same batches: in one session or by a process for each,
  // with any number of threads, key and time.  Covers the remaining graphs, their rows bit for bit, the constants as
  // they are now, and of every entry its kind, its counts and its promise.  Reads the file graph by graph.  Errors:
  // kMalformedInput where graphs or entries are not what was written; rows that are not are derived again.
  [[nodiscard]] Result<Digest> replay_digest();
  // Covers the bits of the kept weights and the certified numbers of every entry, too.  Equal on any number of threads,
  // and if the workspace was also opened anew at the same places.  A session that goes on has factors that a restored
  // one has to compute, and weights may differ in their last digits.  Makes the session of all graphs.
  [[nodiscard]] Result<Digest> state_digest();

  [[nodiscard]] const StageTimes& stage_times() const;

  struct State;  // the inside; not for users

 private:
  friend class RequestQueue;  // writes its rows in the transactions of removals
  explicit Workspace(std::unique_ptr<State> state);
  // create() with WorkspaceSetup::stream.
  [[nodiscard]] static Result<Workspace> create_from_stream(const std::filesystem::path& path, WorkspaceSetup setup,
                                                            const WorkspaceOptions& options);
  std::unique_ptr<State> state_;
};

// What a caller who trains a workspace again chose anew.  Features and transform belong together.
struct ChosenAnew {
  bool transform = false;  // or features
  bool constants = false;  // WorkspaceSetup::fit, or the list of classes
};
// For a workspace that is trained again from remaining(): gives `setup`, whose data set is that, the constants of the
// workspace before where none were chosen anew.  Those that were fitted are fitted again, on what is left.  Public data
// is not kept, so constants that came from it stay what they are.  A list of classes that was fitted once loses those
// that no graph has any more.  Errors: kInvalidArgument.
[[nodiscard]] Status take_over_constants(const WorkspaceInfo& before, const ChosenAnew& anew, WorkspaceSetup& setup);

// In bytes, of the file.
struct Compaction {
  std::uintmax_t bytes_before = 0;
  std::uintmax_t bytes_after = 0;
};
// Writes the file anew without unused pages, in one transaction.  What it says does not change, so no key is needed.
// Takes room for a second file on the disk, and as much memory.  Errors: those of Workspace::open(); kMalformedInput if
// the file is not sound.  The file is the old one or the new one, whatever happens.
[[nodiscard]] Result<Compaction> compact_workspace(const std::filesystem::path& path,
                                                   const WorkspaceOptions& options = {});

struct FormatUpgrade {
  std::uint32_t from = 0;  // format of the file before
  std::uint32_t to = 0;    // the present format
  bool done = false;       // by this call
  std::size_t entries = 0;
  Digest head;
  std::optional<Error> outdated = {};  // as in WorkspaceInfo
};
// Brings a file of an older format to the present one, as Workspace::open() with the key does, and says so.  With
// `dry_run` everything is checked and nothing is written.  A file of the present format needs no key.  Errors: those of
// Workspace::open(); kInvalidArgument without the key of the workspace.
[[nodiscard]] Result<FormatUpgrade> upgrade_workspace(const std::filesystem::path& path,
                                                      const WorkspaceOptions& options, bool dry_run = false);

}  // namespace unscatter
