// Digests that tell whether two workspaces did the same.
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wipe.h"
#include "store/merkle_tree.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"
#include "store/workspace_state.h"
#include "unscatter/base/digest.h"

namespace unscatter {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they are stored");

std::span<const std::byte> bytes_of_digest(const Digest& digest) { return std::as_bytes(std::span(digest.bytes)); }

// What differs between two runs that did the same, or between two workspaces: names, times, and all that depends on
// salts.
void drop_names(LedgerRecord& record) {
  record.workspace.clear();
  record.time.clear();
  record.software.clear();
  record.previous = record.constants = record.data_before = record.data_after = record.model = {};
  for (Digest& commitment : record.commitments) commitment = {};
}

// What depends on the way that led to a state: where an update began, and so on which rung and how close to the optimum
// it ended.  Every published model has noise of its own.
void drop_way(LedgerRecord& record) {
  record.sequence = 0;  // entries of an upgrade are passed over
  record.binding = {};
  record.residual_upper_bound = record.distance_upper_bound = record.shift_upper_bound = 0;
  record.rung = {};
  record.newton_steps = 0;
  for (std::optional<Digest>* digest : {&record.published_model, &record.supersedes, &record.continues}) {
    if (*digest) **digest = {};
  }
}

// All entries but those that say that the format is another one, which is no part of what was done.
template <typename Change>
Status add_entries(const Database& database, Hasher& hasher, const Change& change) {
  return visit_entries(database, [&](std::size_t, const LedgerRow& row) -> Status {
    UNSCATTER_TRY(record, parse_ledger_text(row.body));
    if (record.kind == EntryKind::kUpgraded) return ok_status();
    drop_names(record);
    change(record);
    hasher.add(ledger_text(record));
    return ok_status();
  });
}

// The digest of all graphs without their salts.  One graph is in memory at a time.  `leaves` gets their salted digests,
// which have to lead to the root that the head signs.
Result<Digest> digest_of_graphs(const WorkspaceTables& tables, const Digest& root, std::vector<Digest>& leaves) {
  Hasher hasher;
  UNSCATTER_CHECK_OK(visit_graphs(tables, [&](std::size_t slot, GraphRow& row) {
    leaves.push_back(row.leaf(slot));
    hasher.add(std::uint64_t{row.number}).add(std::uint64_t{row.present});
    if (row.present) {
      hasher.add(std::uint64_t{row.label}).add(row.graph_id).add(std::uint64_t{row.nodes_at_creation});
      hasher.add(std::uint64_t{row.node_numbers.size()}).add_bytes(row.node_numbers);
      hasher.add(std::uint64_t{row.content.size()}).add_bytes(row.content);
    }
    wipe(row.content);
    wipe(row.graph_id);
    return ok_status();
  }));
  if (MerkleTree(leaves).root() != root) {
    return Error{ErrorCode::kMalformedInput, "the workspace is damaged: the graphs are not what the ledger says"};
  }
  return hasher.finish();
}

// The rows that the file keeps; nothing if one of them is not what was written for its graph (docs/workspace-format.md,
// "Kept state").
Result<std::optional<Digest>> digest_of_kept_rows(const WorkspaceTables& tables, std::span<const Digest> leaves,
                                                  std::size_t graphs) {
  Hasher hasher;
  const auto add = [&](std::size_t slot, std::span<const std::byte> content) {
    hasher.add(std::uint64_t{slot}).add(std::uint64_t{content.size()}).add_bytes(content);
    return ok_status();
  };
  const Status visited = visit_row_contents(tables, leaves, graphs, add);
  if (visited.ok()) return std::optional(hasher.finish());
  if (visited.error().code == ErrorCode::kMalformedInput) return std::optional<Digest>();
  return visited.error();
}

// The same from the rows of a session: label, number of segments, segments, values, as the file keeps them.
Digest digest_of_session_rows(const Session& session) {
  Hasher hasher;
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    if (session.graph(slot) == nullptr) continue;
    const BlockRow& row = session.embeddings().row(slot);
    const std::uint32_t head[] = {session.labels()[slot], static_cast<std::uint32_t>(row.segments.size())};
    const auto segments = std::as_bytes(std::span(row.segments));
    const auto values = std::as_bytes(std::span(row.values));
    hasher.add(std::uint64_t{slot}).add(std::uint64_t{sizeof(head) + segments.size() + values.size()});
    hasher.add_bytes(std::as_bytes(std::span(head))).add_bytes(segments).add_bytes(values);
  }
  return hasher.finish();
}

// What was chosen or fitted, as it is now.  The name of the data set decides about nothing.
Status add_constants(const Contents& contents, Hasher& hasher) {
  Constants constants = contents.constants;
  constants.name.clear();
  constants.class_names = contents.class_names;
  UNSCATTER_TRY(text, constants_text(constants));
  hasher.add(text).add(contents.embedder->blocks().front().features.describe());
  return ok_status();
}

}  // namespace

Result<Digest> Workspace::replay_digest() {
  State& state = *state_;
  // What is in memory may be older than the disk.
  if (state.uncertain) return state.require_writable().error();
  UNSCATTER_CHECK_OK(check_links(state.database));
  const LedgerRecord& last = state.contents.chain.last;
  std::vector<Digest> leaves;
  UNSCATTER_TRY(graphs, digest_of_graphs(state.tables, last.data_after, leaves));
  std::optional<Digest> rows;
  if (state.contents.has_kept_state) {
    UNSCATTER_TRY(kept, digest_of_kept_rows(state.tables, leaves, last.graphs));
    rows = kept;
  }
  if (!rows) {
    UNSCATTER_TRY(session, state.live());
    rows = digest_of_session_rows(*session);
  }
  Hasher hasher;
  hasher.add(std::string_view("unscatter replay 2"));
  UNSCATTER_CHECK_OK(add_constants(state.contents, hasher));
  hasher.add_bytes(bytes_of_digest(graphs)).add_bytes(bytes_of_digest(*rows));
  UNSCATTER_CHECK_OK(add_entries(state.database, hasher, [](LedgerRecord& record) {
    record.version = kLedgerVersion;  // all of the promise
    drop_way(record);
  }));
  return hasher.finish();
}

Result<Digest> Workspace::state_digest() {
  UNSCATTER_TRY(session, state_->live());
  Hasher hasher;
  hasher.add(std::string_view("unscatter replay 1"));
  hasher.add_bytes(bytes_of_digest(content_digest(session->remaining())));
  hasher.add_bytes(to_blob(session->weights()));
  // As unscatter 0.1 spelled them, so that its digests can be compared with.
  UNSCATTER_CHECK_OK(add_entries(state_->database, hasher, [](LedgerRecord& record) { record.version = 1; }));
  return hasher.finish();
}

}  // namespace unscatter
