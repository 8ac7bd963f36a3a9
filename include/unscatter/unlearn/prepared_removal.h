// An update (a removal, an addition or corrections) that is computed and not yet in force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "unscatter/base/error.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/graph/graph.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/linalg/sparse_block_rows.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/request.h"

namespace unscatter {

// What a graph becomes.  A graph that only gets another label, because a class left or was corrected, is listed too.
struct SlotChange {
  std::size_t slot = 0;
  const Graph* graph = nullptr;                 // null: the graph goes
  std::span<const std::uint32_t> node_numbers;  // at creation; empty: 0, 1, 2, ...
  std::uint32_t label = 0;                      // of its class; 0 if the graph goes
  const BlockRow* row = nullptr;                // its embedding, with the bias; null if the graph goes
  // Of a graph that comes.  Its slot is one more than the last one so far.
  bool added = false;
  std::size_t number = 0;
  const std::string* graph_id = nullptr;  // null: graphs have no ids
};

// What somebody who kept the models published so far can tell about a removal (docs/theory.md, "Exposure").  It is
// computed from the removed data without noise, so it is for whoever runs the session.  No ledger entry, receipt or
// model has it.
struct Exposure {
  // mu: for the best observer, "the removed data was in" and "it never was" are as far apart as N(mu, 1) and N(0, 1).
  // sqrt(models) |W_before - W_after|_F / sigma.  Infinite under the objective mechanism once a model was published:
  // models before and after share their noise.  Exact for models published since the last removal.  Models from before
  // another removal count as if they had been published then.  Infinite if there are `older` models.
  double shift = 0;
  // Published so far by this training, since data was last added; all of them had learned from what is removed or
  // replaced now.  Of an addition: 1, because no model so far knows the new graphs, and the shift is what the next one
  // alone tells.
  std::size_t models = 0;
  // Others that had learned from it: published before data was added, or by an earlier training.  Fewer graphs or other
  // options may have made it far more visible there than it is now, and nothing is left to compute that from.
  std::size_t older = 0;
  // What one of `models` tells alone.
  double one = 0;
};
// Phi(mu/2): how often the best guess between the two is right, if they are equally likely beforehand.  1/2 is blind
// guessing.
[[nodiscard]] double best_guess(const Exposure& exposure);

// What requests take out of graphs or put into them.  Counted from private data: for whoever runs the session.
struct EditCounts {
  std::size_t graphs_edited = 0;   // that stay
  std::size_t graphs_removed = 0;  // whole: asked for, or they lost their last node
  std::size_t nodes = 0;           // with those of removed graphs
  std::size_t edges = 0;           // that go with a node, with a graph, or alone; undirected ones count once
  std::size_t features = 0;        // nodes that stay and lose their features
  std::size_t graphs_added = 0;
  std::size_t nodes_added = 0;
  std::size_t edges_added = 0;
  std::size_t features_corrected = 0;  // nodes with other features
  std::size_t labels_corrected = 0;    // graphs of another class
  // One graph that one edit makes another; null: it goes.
  void add(const Graph* before, const Graph* after);
  friend bool operator==(const EditCounts&, const EditCounts&) = default;
};

// Session::prepare() gives one.  commit() puts it in force.  If it is destroyed without commit(), the session stays as
// it was.  Whoever has to write the update down does so between the two.  Then what cannot be written does not happen,
// and what is written does.  Not thread-safe; movable.
class PreparedRemoval {
 public:
  PreparedRemoval(PreparedRemoval&& other) noexcept;
  PreparedRemoval& operator=(PreparedRemoval&& other) noexcept;
  ~PreparedRemoval();

  // Puts it in force and overwrites what it replaces.  Called once.
  void commit() noexcept;

  // Requests that were passed over, in their order, each with its place among those given.
  [[nodiscard]] const std::vector<Error>& refused() const;
  // No request was left.  There is nothing to do, and commit() does nothing.
  [[nodiscard]] bool empty() const;

  // What the update says of itself.  These are counts and never names, so nothing here tells what was removed.
  [[nodiscard]] const Certificate& certificate() const;
  // Private, unlike the counts.
  [[nodiscard]] const Exposure& exposure() const;
  [[nodiscard]] const RequestCounts& requests() const;
  [[nodiscard]] std::size_t graphs_edited() const;
  [[nodiscard]] std::size_t graphs_removed() const;
  [[nodiscard]] std::size_t graphs_added() const;
  // Private as well.  Of each request that is honoured, after those before it, and of all together.
  [[nodiscard]] const std::vector<EditCounts>& edits() const;
  [[nodiscard]] const EditCounts& edits_together() const;

  // The state that it leads to.  References and views hold until commit() or until the object goes.
  [[nodiscard]] std::span<const SlotChange> changes() const;
  // Those that a removal can change (ConstantKind::kPrivateFit), after it.
  [[nodiscard]] const std::shared_ptr<const Embedder>& embedder() const;
  [[nodiscard]] const std::vector<std::string>& class_names() const;
  [[nodiscard]] const Matrix& weights() const;
  [[nodiscard]] const Vector& residuals() const;     // per class
  [[nodiscard]] const Matrix* perturbation() const;  // null under the release mechanism
  [[nodiscard]] const RungCounts& rungs() const;     // this update included
  // All rows, after an update that changed constants and so every row; else null.
  [[nodiscard]] const SparseBlockRows* all_rows() const;
  [[nodiscard]] std::span<const std::uint32_t> all_labels() const;  // with them
  // What the fast rung would need to go on from there, if it may be kept.
  [[nodiscard]] std::optional<KeptCurvature> curvature() const;

 private:
  friend class Session;
  struct Update;
  explicit PreparedRemoval(std::unique_ptr<Update> update);
  // Climbs the ladder, unless there is nothing to do.
  [[nodiscard]] static Result<PreparedRemoval> computed(std::unique_ptr<Update> update);

  std::unique_ptr<Update> update_;
};

}  // namespace unscatter
