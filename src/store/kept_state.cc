#include "store/kept_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/wipe.h"
#include "linalg/row_products.h"
#include "store/graph_blob.h"
#include "store/member_index.h"
#include "store/schema.h"
#include "store/stored_curvature.h"
#include "store/stored_graph.h"
#include "store/stored_rows.h"

namespace unscatter {
namespace {

Error not_derived(std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("the workspace is damaged: {} not what its graphs give", what)};
}

Status check_members(const WorkspaceTables& tables, const Contents& contents, const Session& session) {
  std::map<std::string, std::vector<std::size_t>, std::less<>> subjects;
  std::map<std::string, std::vector<std::size_t>, std::less<>> ids;
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    const Graph* graph = session.graph(slot);
    if (graph == nullptr) continue;
    for (std::size_t i = 0; graph->has_node_ids() && i < graph->node_count(); ++i) {
      if (graph->state(i) != NodeState::kTombstone) subjects[graph->node_id(i)].push_back(slot);
    }
    const std::string_view id = session.graph_id(slot);
    if (!id.empty()) ids[std::string(id)].push_back(slot);
  }
  UNSCATTER_TRY(index, MemberIndex::open(tables, contents.identity.list_key));
  const auto compare = [&](MemberKind kind, auto& expected) -> Status {
    // An id comes once for each part that it is in, and slots ascend.
    std::map<std::string, std::size_t, std::less<>> seen;
    UNSCATTER_CHECK_OK(index.visit(tables, kind, [&](const std::string& id, const std::vector<std::size_t>& slots) {
      const auto entry = expected.find(id);
      if (entry == expected.end()) return Status(not_derived("the kept index is"));
      std::size_t& place = seen[id];
      const std::vector<std::size_t>& all = entry->second;
      if (slots.size() > all.size() - place ||
          !std::equal(slots.begin(), slots.end(), all.begin() + static_cast<std::ptrdiff_t>(place))) {
        return Status(not_derived("the kept index is"));
      }
      place += slots.size();
      if (place == all.size()) {
        expected.erase(entry);
        seen.erase(id);
      }
      return ok_status();
    }));
    if (!expected.empty()) return not_derived("the kept index is");
    return ok_status();
  };
  UNSCATTER_CHECK_OK(compare(MemberKind::kSubject, subjects));
  return compare(MemberKind::kGraphId, ids);
}

// Near enough: the two were added up in another order.
bool nearly_equal(const Matrix& one, const Matrix& other) { return (one - other).norm() <= 1e-7 * other.norm(); }

Status check_curvature(const KeptCurvature& kept, const Session& session) {
  const SparseBlockRows& rows = session.embeddings();
  const Objective objective(rows, session.labels(), session.classes(), session.options().loss, kept.ridge, nullptr,
                            session.options().threads);
  const Vector ones = Vector::Ones(static_cast<Eigen::Index>(rows.rows()));
  if (kept.square.size() != 0 && !nearly_equal(kept.square, weighted_square(rows, ones))) {
    return not_derived("the kept curvature is");
  }
  const Matrix curvatures = objective.curvatures(objective.margins(kept.anchor));
  for (std::size_t k = 0; k < kept.hessians.size(); ++k) {
    Matrix hessian = weighted_square(rows, curvatures.col(static_cast<Eigen::Index>(k)));
    hessian.diagonal().array() += kept.ridge;
    if (!nearly_equal(kept.hessians[k], hessian)) return not_derived("the kept curvature is");
  }
  return ok_status();
}

}  // namespace

CurvatureShape curvature_shape(const Contents& contents) {
  return {weight_rows(contents), class_count(contents), contents.constants.options.loss.curvature_lipschitz() == 0};
}

CurvatureShape curvature_shape(const Session& session) {
  return {session.embeddings().columns(), session.classes(), session.options().loss.curvature_lipschitz() == 0};
}

Result<std::string> check_kept_state(const WorkspaceTables& tables, const Contents& contents, const Session& session,
                                     StoredTree& tree) {
  UNSCATTER_TRY(leaves, tree.all_leaves(tables.main()));
  const SparseBlockRows& rows = session.embeddings();
  UNSCATTER_TRY(kept, read_rows(tables, leaves, session.graph_count(), rows.columns(), session.classes()));
  for (std::size_t slot = 0; slot < rows.rows(); ++slot) {
    if (kept.rows.row(slot) != rows.row(slot) || kept.labels[slot] != session.labels()[slot]) {
      return not_derived(fmt::format("the kept row of slot {} is", slot));
    }
  }
  UNSCATTER_CHECK_OK(check_members(tables, contents, session));
  UNSCATTER_TRY(pieces, tables.main().integer("SELECT count(*) FROM curvature"));
  UNSCATTER_TRY(curvature, read_curvature(tables.main(), curvature_shape(session), tree.root()));
  // A removal passes over curvature that is damaged or of another state.  Here it is told.
  if (pieces > 0 && !curvature) return not_derived("the kept curvature is");
  if (curvature) UNSCATTER_CHECK_OK(check_curvature(*curvature, session));
  return fmt::format("the rows of {} graphs, their tree and the index of ids are those of the graphs; {}",
                     session.graph_count(), curvature ? "so is the curvature" : "no curvature is kept");
}

namespace {

// Reads every bucket, and with it every seal.
Status check_buckets(const WorkspaceTables& tables, const Contents& contents) {
  UNSCATTER_TRY(index, MemberIndex::open(tables, contents.identity.list_key));
  const auto pass_over = [](const std::string&, const std::vector<std::size_t>&) { return ok_status(); };
  return index.visit(tables, MemberKind::kSubject, pass_over);
}

}  // namespace

Status check_index_and_tree(const WorkspaceTables& tables, const Contents& contents) {
  StoredTree tree(contents.tree.leaves(), contents.chain.last.data_after);
  UNSCATTER_CHECK_OK(tree.all_leaves(tables.main()));
  return check_buckets(tables, contents);
}

Status check_index_and_tree(const WorkspaceTables& tables, Contents& contents, const PreparedRemoval& update) {
  UNSCATTER_TRY(index, MemberIndex::open(tables, contents.identity.list_key));
  for (const SlotChange& change : update.changes()) {
    UNSCATTER_CHECK_OK(contents.tree.leaf(tables.main(), change.slot));
    UNSCATTER_TRY(row, read_graph(tables, change.slot));
    UNSCATTER_TRY(before, slot_from_row(row));
    wipe(row.content);
    // In memory only: write_kept_changes() does it again, in the transaction.
    const Graph* graph = before.graph ? &*before.graph : nullptr;
    const Status followed = index.replace(tables, change.slot, graph, change.graph, before.graph_id);
    if (before.graph) before.graph->wipe();
    wipe(before.graph_id);
    UNSCATTER_CHECK_OK(followed);
  }
  return ok_status();
}

Status check_kept_seals(const WorkspaceTables& tables, const Contents& contents) {
  UNSCATTER_TRY(slots, count_slots(tables));
  const LedgerRecord& last = contents.chain.last;
  StoredTree tree(slots, last.data_after);
  UNSCATTER_TRY(leaves, tree.all_leaves(tables.main()));
  const std::size_t width = weight_rows(contents);
  UNSCATTER_CHECK_OK(read_rows(tables, leaves, last.graphs, width, class_count(contents)));
  UNSCATTER_CHECK_OK(check_buckets(tables, contents));
  UNSCATTER_TRY(pieces, tables.main().integer("SELECT count(*) FROM curvature"));
  UNSCATTER_TRY(curvature, read_curvature(tables.main(), curvature_shape(contents), last.data_after));
  if (pieces > 0 && !curvature) return not_derived("the kept curvature is");
  return ok_status();
}

std::size_t members_of(const Graph& graph) { return 1 + (graph.has_node_ids() ? graph.node_count() : 0); }

Status write_kept_state(const WorkspaceTables& tables, const Session& session, const std::vector<Digest>& leaves,
                        const Salt& key, StoredTree& tree) {
  const SparseBlockRows& rows = session.embeddings();
  const std::span<const std::uint32_t> labels = session.labels();
  for (std::size_t slot = 0; slot < session.slots(); ++slot) {
    if (session.graph(slot) == nullptr) continue;
    UNSCATTER_CHECK_OK(write_row(tables, slot, rows.row(slot), labels[slot], leaves[slot]));
  }
  for (std::size_t part = 0; part < tables.parts(); ++part) {
    const std::size_t end = std::min(session.slots(), tables.partition().end(part));
    std::size_t members = 0;
    const auto visit = [&](const MemberIndex::Take& take) -> Status {
      for (std::size_t slot = tables.partition().first(part); slot < end; ++slot) {
        const Graph* graph = session.graph(slot);
        if (graph != nullptr) UNSCATTER_CHECK_OK(take(slot, subjects_of(graph), session.graph_id(slot)));
      }
      return ok_status();
    };
    for (std::size_t slot = tables.partition().first(part); slot < end; ++slot) {
      if (const Graph* graph = session.graph(slot)) members += members_of(*graph);
    }
    // All graphs are in memory, beside which the ids are little.
    constexpr std::size_t kIndexMemory = std::size_t{1} << 30;
    UNSCATTER_CHECK_OK(MemberIndex::write_new(tables.part(part), members, key, kIndexMemory, visit));
  }
  tree = StoredTree(leaves);
  UNSCATTER_CHECK_OK(tree.write(tables.main()));
  if (!worth_keeping(curvature_shape(session), rows.stored_values() * sizeof(double))) return ok_status();
  return write_curvature(tables.main(), session.curvature(), tree.root());
}

Status write_kept_changes(const WorkspaceTables& tables, const PreparedRemoval& update,
                          std::span<const GraphBefore> before, std::span<const Digest> leaves, MemberIndex& index,
                          const std::optional<KeptCurvature>& curvature, StoredTree& tree) {
  const std::span<const SlotChange> changes = update.changes();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const SlotChange& change = changes[i];
    UNSCATTER_CHECK_OK(index.replace(tables, change.slot, before[i].graph(), change.graph, before[i].graph_id));
    if (change.graph == nullptr) {
      UNSCATTER_CHECK_OK(erase_row(tables, change.slot));
      continue;
    }
    UNSCATTER_CHECK_OK(write_row(tables, change.slot, *change.row, change.label, leaves[i]));
  }
  UNSCATTER_CHECK_OK(index.write(tables));
  // Constants changed, and every row with them.
  if (const SparseBlockRows* all = update.all_rows()) {
    const std::span<const std::uint32_t> labels = update.all_labels();
    for (std::size_t slot = 0; slot < all->rows(); ++slot) {
      if (all->row(slot).values.empty() && all->row(slot).segments.empty()) continue;
      UNSCATTER_TRY(leaf, tree.leaf(tables.main(), slot));
      UNSCATTER_CHECK_OK(write_row(tables, slot, all->row(slot), labels[slot], leaf));
    }
  }
  UNSCATTER_CHECK_OK(tree.write(tables.main()));
  return write_curvature(tables.main(), curvature, tree.root());
}

Status write_members_of_part(const WorkspaceTables& tables, std::size_t part, std::size_t members, const Salt& key,
                             std::size_t memory) {
  return MemberIndex::write_new(tables.part(part), members, key, memory, [&](const MemberIndex::Take& take) {
    std::size_t next = tables.partition().first(part);
    return visit_graphs_of_part(tables, part, next, [&](std::size_t slot, GraphRow& row) -> Status {
      if (!row.present) return ok_status();
      UNSCATTER_TRY(subjects, node_ids_in_blob(row.content));
      UNSCATTER_CHECK_OK(take(slot, subjects, row.graph_id));
      wipe(row.content);
      return ok_status();
    });
  });
}

}  // namespace unscatter
