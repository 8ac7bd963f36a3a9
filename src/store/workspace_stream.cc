// A workspace of a data set that does not have to fit memory: the second pass (survey.cc is the first one).
//
// Labels and digests are in memory, the rows (those of this process, where a crew has the others), and a few graphs at
// a time.  Nothing is on disk before the training is done.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/freed_memory.h"
#include "base/wipe.h"
#include "store/expiry.h"
#include "store/kept_state.h"
#include "store/member_index.h"
#include "store/schema.h"
#include "store/stored_curvature.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"
#include "store/streamed_graphs.h"
#include "store/workspace_state.h"
#include "unlearn/row_pile.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

namespace fs = std::filesystem;

// Labels as places among the classes that the session has.  It leaves out classes without a graph.
std::vector<std::uint32_t> labels_of_session(std::vector<std::uint32_t> labels, const std::vector<std::string>& named,
                                             const std::vector<std::string>& kept) {
  std::vector<std::uint32_t> place(named.size(), 0);
  for (std::size_t k = 0; k < named.size(); ++k) {
    const auto found = std::find(kept.begin(), kept.end(), named[k]);
    if (found != kept.end()) place[k] = static_cast<std::uint32_t>(found - kept.begin());
  }
  for (std::uint32_t& label : labels) label = place.at(label);
  return labels;
}

// A file that this call has made.  It goes unless it was finished, whatever happens in between.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(fs::path path) : path_(std::move(path)) {}
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() {
    if (!finished_) remove_files(path_);
  }
  void finish() noexcept { finished_ = true; }

 private:
  fs::path path_;
  bool finished_ = false;
};

// The rows in their order: first those of the session, then those that other processes keep.
class RowsInOrder {
 public:
  RowsInOrder(std::optional<Session> session, RowPile& pile)
      : session_(std::move(session)), pile_(pile), here_(session_->embeddings().rows()) {}

  [[nodiscard]] const BlockRow& row(std::size_t slot) {
    if (slot < here_) return session_->embeddings().row(slot);
    // The learner goes, and so do its mirrors, which had the rows.
    session_.reset();
    return pile_.row_elsewhere(slot);
  }

 private:
  std::optional<Session> session_;
  RowPile& pile_;
  std::size_t here_;
};

// The graphs of the second pass and their kept rows.  Errors: kMalformedInput if they are not those of the first pass.
struct WrittenGraphs {
  std::vector<Digest> leaves;
  std::vector<std::size_t> members;  // of every part, as the index of ids counts them
};
Result<WrittenGraphs> write_streamed_graphs(const WorkspaceTables& tables, const StreamedData& stream,
                                            const std::string& name, const std::vector<std::uint32_t>& labels,
                                            RowsInOrder rows, RandomSource& random) {
  WrittenGraphs written;
  written.leaves.reserve(labels.size());
  written.members.assign(tables.parts(), 0);
  StreamComparison seen(stream.content);
  UNSCATTER_TRY(graphs, stream.open());
  for (;;) {
    UNSCATTER_TRY(next, graphs.next());
    if (!next) break;
    const std::size_t slot = written.leaves.size();
    if (slot == labels.size()) return changed_while_read(name);
    seen.add(*next);
    SlotSnapshot kept{slot, std::move(next->graph), labels[slot], std::move(next->id).value_or(""), 0, {}};
    kept.node_count_at_creation = static_cast<std::uint32_t>(kept.graph->node_count());
    written.members[tables.partition().part_of(slot)] += members_of(*kept.graph);
    GraphRow row = to_row(kept, random);
    UNSCATTER_CHECK_OK(write_graph(tables, slot, row));
    const Digest leaf = row.leaf(slot);
    wipe(row.content);
    kept.graph->wipe();
    UNSCATTER_CHECK_OK(write_row(tables, slot, rows.row(slot), labels[slot], leaf));
    written.leaves.push_back(leaf);
  }
  if (written.leaves.size() != labels.size() || !seen.same()) return changed_while_read(name);
  return written;
}

// Ids are read from the graphs that were just written.
Status write_streamed_members(const WorkspaceTables& tables, std::span<const std::size_t> members, const Salt& key,
                              std::size_t memory) {
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    UNSCATTER_CHECK_OK(write_members_of_part(tables, part, members[part], key, memory));
  }
  return ok_status();
}

}  // namespace

Result<Workspace> Workspace::create_from_stream(const fs::path& path, WorkspaceSetup setup,
                                                const WorkspaceOptions& options) {
  StreamedData stream = *std::move(setup.stream);
  setup.stream.reset();
  const auto continues = setup.predecessor ? std::optional(setup.predecessor->head) : std::nullopt;
  const std::unique_ptr<RandomSource> random = make_random(options);
  UNSCATTER_TRY(contents, constants_of(setup, options, *random));
  for (Graph& graph : setup.dataset.graphs) graph.wipe();
  invariant(contents.embedder->blocks().front().features.describe() == stream.features,
            "a setup keeps its features between survey() and create()");
  std::shared_ptr<RowPile> pile = std::move(stream.rows);
  if (pile->taken()) return Error{ErrorCode::kInvalidArgument, "what a survey() has found makes one workspace"};
  std::vector<std::uint32_t> labels = std::move(stream.labels);
  std::optional<Session> session;
  {
    UNSCATTER_TRY(trained, Session::create_part(setup.dataset.name, setup.dataset.class_names, pile->share(labels),
                                                contents.embedder, session_options(setup.options, options),
                                                make_random(options)));
    session = std::move(trained);
  }
  contents.snapshot = session->snapshot_without_slots();
  contents.class_names = session->class_names();
  labels = labels_of_session(std::move(labels), setup.dataset.class_names, contents.class_names);

  const std::size_t slots = labels.size();
  UNSCATTER_TRY(files, create_files(path, partition_of(setup.shards, slots), options.wait));
  UnfinishedFile unfinished(path);
  const WorkspaceTables tables = files.tables();
  const Database& database = tables.main();
  UNSCATTER_TRY(transaction, NewFiles::begin(tables));
  UNSCATTER_CHECK_OK(write_identity(database, contents.identity));
  const std::size_t row_bytes = session->embeddings().stored_values() * sizeof(double);
  const bool keep = worth_keeping(curvature_shape(contents), row_bytes);
  const std::optional<KeptCurvature> curvature = keep ? session->curvature() : std::nullopt;
  UNSCATTER_TRY(written, write_streamed_graphs(tables, stream, setup.dataset.name, labels,
                                               RowsInOrder(std::move(session), *pile), *random));
  // The rows are gone, here and in other processes, and the index may take their place in memory.
  pile.reset();
  return_freed_memory();
  constexpr std::size_t kLeastIndexMemory = std::size_t{1} << 27;
  UNSCATTER_CHECK_OK(write_streamed_members(tables, written.members, contents.identity.list_key,
                                            std::max(kLeastIndexMemory, row_bytes)));
  contents.tree = StoredTree(written.leaves);
  UNSCATTER_CHECK_OK(contents.tree.write(database));
  // Read again where it is needed.
  contents.tree.forget_parts(contents.tree.leaves(), contents.tree.root());
  UNSCATTER_CHECK_OK(write_curvature(database, curvature, contents.tree.root()));
  contents.has_kept_state = true;
  UNSCATTER_CHECK_OK(
      add_due_dates(tables, contents.identity, *options.key, stream.due.graphs, 0, stream.due.subjects, true));
  UNSCATTER_CHECK_OK(
      write_first_entry(database, *random, contents.identity.created, *options.key, continues, contents));
  UNSCATTER_CHECK_OK(transaction.commit(contents.identity.id, *options.key));
  auto state = std::make_unique<State>(path, std::move(files), std::move(contents), options);
  UNSCATTER_CHECK_OK(state->meet_record());
  unfinished.finish();
  return Workspace(std::move(state));
}

}  // namespace unscatter
