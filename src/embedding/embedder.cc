#include "unscatter/embedding/embedder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/parallel.h"
#include "embedding/embed_crew.h"
#include "embedding/seen_graphs.h"
#include "linalg/rounding.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// An upper bound on |values|, infinite or not a number only if a value is.
double norm_upper_bound(std::span<const double> values) {
  double largest = 0;
  // Not std::max: it would pass over a value that is not a number.
  for (const double value : values) {
    if (!(std::abs(value) <= largest)) largest = std::abs(value);
  }
  if (largest == 0 || !std::isfinite(largest)) return largest;
  // Scaled, so that squares neither overflow nor vanish together.
  double sum = 0;
  for (const double value : values) sum += (value / largest) * (value / largest);
  // n + 4 roundings make the sum, the root and the product; n more than that are allowed for.
  return largest * std::sqrt(sum) * (1 + rounding_factor(2 * static_cast<double>(values.size()) + 16));
}

// z / |z| where |z| > 1.  The divisor errs high by more than the rounding of the quotients, so |z| <= 1 holds for the
// numbers as they are stored.
Status clip(BlockRow& row) {
  const double norm = norm_upper_bound(row.values);
  if (!std::isfinite(norm)) {
    return Error{ErrorCode::kUnsupported,
                 "the embedding is not finite: values of the graph are too large for these features; 'soft-attributes' "
                 "takes numbers of any size"};
  }
  if (norm <= 1) return ok_status();
  for (double& value : row.values) value /= norm;
  return ok_status();
}

}  // namespace

std::string_view name(RowNorm norm) { return norm == RowNorm::kClip ? "clip" : "none"; }

Result<RowNorm> parse_row_norm(std::string_view text) {
  for (const RowNorm norm : {RowNorm::kNone, RowNorm::kClip}) {
    if (name(norm) == text) return norm;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown row norm '{}'; there are none and clip", text)};
}

Result<std::shared_ptr<const Transform>> Transform::bound_to(std::string_view /*features*/) const {
  return std::shared_ptr<const Transform>();
}

Embedder::Embedder(std::vector<EmbeddingBlock> blocks, RowNorm norm, bool symmetrise,
                   std::shared_ptr<const TransformSpec> spec)
    : blocks_(std::move(blocks)), norm_(norm), symmetrise_(symmetrise), spec_(std::move(spec)) {
  invariant(!blocks_.empty(), "an embedder needs at least one block");
  for (const EmbeddingBlock& block : blocks_) width_ += block.transform->width(block.features.width());
}

std::string Embedder::describe() const {
  std::string text;
  for (const EmbeddingBlock& block : blocks_) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", block.transform->name());
    const std::string features = block.features.describe();
    if (features != "none") text += fmt::format(" of {}", features);
  }
  if (symmetrise_) text += "; directed graphs made undirected first";
  if (norm_ == RowNorm::kClip) text += "; rows clipped to norm 1";
  return text;
}

std::optional<double> Embedder::row_norm_upper_bound() const noexcept {
  if (norm_ == RowNorm::kClip) return 1.0;
  return std::nullopt;
}

std::vector<ConstantOrigin> Embedder::origins() const {
  std::vector<ConstantOrigin> all;
  for (const EmbeddingBlock& block : blocks_) {
    // "none" is the absence of features, and no constant.
    std::copy_if(block.features.origins().begin(), block.features.origins().end(), std::back_inserter(all),
                 [](const ConstantOrigin& origin) { return origin.name != "none"; });
    // Said here, and not by the caller, so that nobody can forget it.
    if (block.transform->made_outside()) all.push_back({"rows", ConstantKind::kOutside});
  }
  return all;
}

bool Embedder::refits() const noexcept {
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const EmbeddingBlock& block) { return block.features.refits(); });
}

Result<std::shared_ptr<const Embedder>> Embedder::refitted(std::span<const Graph* const> graphs) const {
  std::vector<EmbeddingBlock> blocks;
  bool changed = false;
  const SeenGraphs seen(graphs, symmetrise_);
  for (const EmbeddingBlock& block : blocks_) {
    UNSCATTER_TRY(features, block.features.refit(seen.graphs()));
    // The description has every constant with all its digits.
    const std::string description = features.describe();
    changed = changed || description != block.features.describe();
    UNSCATTER_TRY(bound, block.transform->bound_to(description));
    blocks.push_back({std::move(features), bound != nullptr ? bound : block.transform});
  }
  if (!changed) return std::shared_ptr<const Embedder>();
  return std::make_shared<const Embedder>(std::move(blocks), norm_, symmetrise_, spec_);
}

bool Embedder::fit_may_change(const Graph& before, const Graph* after) const {
  const Graph* const both[] = {&before, after};
  const SeenGraphs seen(both, symmetrise_);
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const EmbeddingBlock& block) {
    return block.features.fit_may_change(*seen.graphs()[0], seen.graphs()[1]);
  });
}

bool Embedder::fit_shown_by(const Graph& graph) const {
  const Graph* const one[] = {&graph};
  const SeenGraphs seen(one, symmetrise_);
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [&](const EmbeddingBlock& block) { return block.features.fit_shown_by(*seen.graphs()[0]); });
}

Embedder::Scratch Embedder::make_scratch() const {
  Scratch scratch;
  for (const EmbeddingBlock& block : blocks_) scratch.transforms.push_back(block.transform->make_scratch());
  return scratch;
}

Status Embedder::embed(const Graph& graph, Scratch& scratch, BlockRow& row) const {
  if (!symmetrise_ || !graph.directed()) return embed_seen(graph, scratch, row);
  const Graph* const one[] = {&graph};
  return embed_seen(*SeenGraphs(one, true).graphs()[0], scratch, row);
}

Status Embedder::embed_seen(const Graph& graph, Scratch& scratch, BlockRow& row) const {
  row.clear();
  std::size_t first_column = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const EmbeddingBlock& block = blocks_[b];
    const std::size_t channels = block.features.width();
    UNSCATTER_CHECK_OK(block.features.signals(graph, scratch.features, scratch.signals));
    // The first block is written in place.  With one block, which is the usual case, nothing is copied.
    BlockRow& part = b == 0 ? row : scratch.part;
    UNSCATTER_CHECK_OK(block.transform->embed(graph, scratch.signals, channels, *scratch.transforms[b], part));
    if (b > 0) row.append_shifted(part, first_column);
    first_column += block.transform->width(channels);
  }
  if (norm_ == RowNorm::kClip) return clip(row);
  return ok_status();
}

Result<BlockRow> Embedder::embed(const Graph& graph) const {
  BlockRow row;
  Scratch scratch = make_scratch();
  UNSCATTER_CHECK_OK(embed(graph, scratch, row));
  return row;
}

Result<SparseBlockRows> Embedder::embed(const Dataset& dataset, const EmbedOptions& options) const {
  std::vector<const Graph*> graphs;
  graphs.reserve(dataset.size());
  for (const Graph& graph : dataset.graphs) graphs.push_back(&graph);
  return embed(graphs, options);
}

Result<SparseBlockRows> Embedder::embed(std::span<const Graph* const> graphs, const EmbedOptions& options) const {
  if (options.crew != nullptr) return options.crew->embed(*this, graphs, options);
  struct Worker {
    std::optional<Scratch> scratch;
    std::size_t failed_graph = 0;
    std::optional<Error> error;
  };
  Progress& progress = options.progress != nullptr ? *options.progress : no_progress();
  const std::size_t threads = options.threads == 0 ? hardware_threads() : options.threads;
  std::vector<Worker> workers(threads);
  std::vector<BlockRow> rows(graphs.size());

  progress.begin("embedding", graphs.size());
  // Graphs differ in cost by orders of magnitude, so chunks are small.  With eight graphs per chunk, handing out the
  // work still costs next to nothing.
  parallel_for(graphs.size(), threads, 8, [&](std::size_t g, std::size_t w) {
    Worker& worker = workers[w];
    // Made by the thread that uses it.  A thread that gets no work needs none.
    if (!worker.scratch) worker.scratch = make_scratch();
    Status status = graphs[g] == nullptr ? ok_status() : embed(*graphs[g], *worker.scratch, rows[g]);
    // The first graph that fails is reported, by number and not by time.  So the message does not depend on threads.
    if (!status.ok() && (!worker.error || g < worker.failed_graph)) {
      worker.failed_graph = g;
      worker.error = std::move(status).error();
    }
    progress.advance(1);
  });
  progress.end();

  const Worker* first = nullptr;
  for (const Worker& worker : workers) {
    if (worker.error && (first == nullptr || worker.failed_graph < first->failed_graph)) first = &worker;
  }
  if (first != nullptr)
    return Error{first->error->code, fmt::format("graph {}: {}", first->failed_graph, first->error->message)};

  SparseBlockRows Z(graphs.size(), width_);
  // In the order of the graphs, whichever thread made a row.  A graph that is not there leaves an empty row.
  for (std::size_t g = 0; g < rows.size(); ++g) Z.set_row(g, std::move(rows[g]));
  return Z;
}

Result<std::optional<Reembedding>> reembed(const Embedder& embedder, const Graph& graph, const GraphEdit& edit) {
  // From scratch on the edited graph.  This is what makes the new row equal to the row of a graph built that way.
  UNSCATTER_TRY(edited, apply(graph, edit));
  if (!edited) return std::optional<Reembedding>();
  UNSCATTER_TRY(row, embedder.embed(*edited));
  return std::optional<Reembedding>(Reembedding{*std::move(edited), std::move(row)});
}

}  // namespace unscatter
