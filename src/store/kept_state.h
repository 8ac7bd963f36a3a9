// Everything in the file that is derived from the graphs: rows, curvature, the tree of digests, the index of ids
// (docs/workspace-format.md, "Kept state").  It is written with the graphs it is derived from, in the same transaction.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/contents.h"
#include "store/member_index.h"
#include "store/stored_curvature.h"
#include "store/stored_tree.h"
#include "store/workspace_tables.h"
#include "unscatter/base/digest.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/prepared_removal.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

[[nodiscard]] CurvatureShape curvature_shape(const Contents& contents);
[[nodiscard]] CurvatureShape curvature_shape(const Session& session);

// What a graph adds to the size of the index of ids.
[[nodiscard]] std::size_t members_of(const Graph& graph);

// All tables, which are empty, for the graphs that the session holds.  `leaves`: their digests, one per slot.  `tree`
// becomes the one of the file.  Within a transaction of the caller.
[[nodiscard]] Status write_kept_state(const WorkspaceTables& tables, const Session& session,
                                      const std::vector<Digest>& leaves, const Salt& key, StoredTree& tree);

// The index of ids of one part, whose table is empty, from the graphs that its file has.  `members`: as members_of()
// counts them.  `memory`: see MemberIndex::write_new().
[[nodiscard]] Status write_members_of_part(const WorkspaceTables& tables, std::size_t part, std::size_t members,
                                           const Salt& key, std::size_t memory);

// Whether the file keeps what is derived from the session's graphs, and in words what that is.  Rows, tree and index
// have to be the same bit for bit, curvature to seven digits.  Errors: kMalformedInput.
[[nodiscard]] Result<std::string> check_kept_state(const WorkspaceTables& tables, const Contents& contents,
                                                   const Session& session, StoredTree& tree);

// Whether it is what was written, as its seals and checksums tell.  Errors: kMalformedInput.
[[nodiscard]] Status check_kept_seals(const WorkspaceTables& tables, const Contents& contents);

// The same for what every update writes to, the index of ids and the tree: all of it, or what the update changes.  An
// update that is prepared must not find out that it cannot be written.
[[nodiscard]] Status check_index_and_tree(const WorkspaceTables& tables, const Contents& contents);
[[nodiscard]] Status check_index_and_tree(const WorkspaceTables& tables, Contents& contents,
                                          const PreparedRemoval& update);

// One graph that an update changes, as it was.
struct GraphBefore {
  const Graph* of_session = nullptr;  // where a session has it
  std::optional<Graph> read;          // from the file, where none has
  std::string graph_id;

  // Null: there was none.
  [[nodiscard]] const Graph* graph() const { return of_session != nullptr || !read ? of_session : &*read; }
};
// What an update changes of it, within the transaction of the update.  `before` and `leaves`: one per change, as the
// graphs were, and their digests after.  `tree` has the new leaves already.  `curvature`: nothing erases what is kept.
// `index` follows, also if the transaction fails later.
[[nodiscard]] Status write_kept_changes(const WorkspaceTables& tables, const PreparedRemoval& update,
                                        std::span<const GraphBefore> before, std::span<const Digest> leaves,
                                        MemberIndex& index, const std::optional<KeptCurvature>& curvature,
                                        StoredTree& tree);

}  // namespace unscatter
