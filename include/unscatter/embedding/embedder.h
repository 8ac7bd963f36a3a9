// From graphs to rows of Z.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"
#include "unscatter/embedding/transform.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter {

// One part of an embedding: features, and the transform that is applied to them.
struct EmbeddingBlock {
  FeatureMap features;
  std::shared_ptr<const Transform> transform;  // shared with an embedder whose features are fitted again
};

class EmbedCrew;  // other processes that embed too, where a program runs on many machines
struct TransformSpec;

struct EmbedOptions {
  std::size_t threads = 0;  // 0: all; the result does not depend on it
  Progress* progress = nullptr;
  EmbedCrew* crew = nullptr;  // null: this process alone; the result does not depend on it
};

// The embeddings of all blocks, side by side.  Every block is a function of one graph and of public constants.  So a
// row depends on its own graph and on nothing else.  The removal certificates rest on this.  Immutable.  Any number of
// threads may use it at the same time.
class Embedder {
 public:
  // Memory that one thread reuses from graph to graph.  After some graphs nothing is allocated any more.
  struct Scratch {
    FeatureMap::Scratch features;
    NodeSignals signals;
    std::vector<std::unique_ptr<Transform::Scratch>> transforms;  // one per block
    BlockRow part;
  };

  // At least one block.  `symmetrise`: features and transforms see symmetrised() graphs, and so does every fit.
  // `spec`: what make_embedder() makes it of.
  explicit Embedder(std::vector<EmbeddingBlock> blocks, RowNorm norm = RowNorm::kNone, bool symmetrise = false,
                    std::shared_ptr<const TransformSpec> spec = nullptr);

  // Columns of Z.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] const std::vector<EmbeddingBlock>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] RowNorm row_norm() const noexcept { return norm_; }
  [[nodiscard]] bool symmetrises() const noexcept { return symmetrise_; }
  // With the description of the features it says all about this embedder.  Null if make_embedder() did not make it.
  [[nodiscard]] const TransformSpec* spec() const noexcept { return spec_.get(); }
  // F with |z| <= F for every graph there can be, or nothing if no such number is known.
  [[nodiscard]] std::optional<double> row_norm_upper_bound() const noexcept;
  // A description for people: features with their constants, transforms and the last step.
  [[nodiscard]] std::string describe() const;

  // Where the constants of the features come from, block by block.
  [[nodiscard]] std::vector<ConstantOrigin> origins() const;
  // Is there a constant that must be fitted again after removals (ConstantKind::kPrivateFit)?
  [[nodiscard]] bool refits() const noexcept;
  // The embedder whose private fits see these graphs and no others.  Null if all constants stay as they are.  Errors:
  // those of FeatureMap::refit().
  [[nodiscard]] Result<std::shared_ptr<const Embedder>> refitted(std::span<const Graph* const> graphs) const;
  // As the functions of FeatureBlock, over all blocks.
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const;
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const;

  [[nodiscard]] Scratch make_scratch() const;
  // Replaces `row`.  Errors: those of features and transforms; kUnsupported for a row that cannot be clipped because it
  // is not finite.
  [[nodiscard]] Status embed(const Graph& graph, Scratch& scratch, BlockRow& row) const;
  [[nodiscard]] Result<BlockRow> embed(const Graph& graph) const;
  // One row per graph.  An error names the first graph (by index) that cannot be embedded.
  [[nodiscard]] Result<SparseBlockRows> embed(const Dataset& dataset, const EmbedOptions& options = {}) const;
  // The same for graphs that lie somewhere else.  A null pointer gives a row without values.
  [[nodiscard]] Result<SparseBlockRows> embed(std::span<const Graph* const> graphs,
                                              const EmbedOptions& options = {}) const;

 private:
  // The row of a graph as features and transforms see it.
  [[nodiscard]] Status embed_seen(const Graph& graph, Scratch& scratch, BlockRow& row) const;

  std::vector<EmbeddingBlock> blocks_;
  RowNorm norm_;
  bool symmetrise_;
  std::shared_ptr<const TransformSpec> spec_;
  std::size_t width_ = 0;
};

// A graph after an edit, and its row of Z.
struct Reembedding {
  Graph graph;
  BlockRow row;
};

// Applies the edit and embeds what is left.  Empty if the graph is gone.  The row equals the embedding of the edited
// graph from scratch, bit for bit, because it is one.  Sparse re-application was faster than every incremental scheme
// that we measured, where those apply at all (docs/re-embedding.md).
[[nodiscard]] Result<std::optional<Reembedding>> reembed(const Embedder& embedder, const Graph& graph,
                                                         const GraphEdit& edit);

}  // namespace unscatter
