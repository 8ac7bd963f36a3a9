// The first pass over a data set that does not have to fit memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "embedding/embed_crew.h"
#include "embedding/features/registry.h"
#include "graph/readers/jsonl_line.h"
#include "graph/readers/text_scanner.h"
#include "store/constants.h"
#include "store/streamed_graphs.h"
#include "unlearn/refit.h"
#include "unlearn/row_pile.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

Error malformed_at(const StreamedGraph& graph, std::string_view what) {
  return {ErrorCode::kMalformedInput, fmt::format("{}: {}", graph.place, what)};
}

// A checksum tells texts apart well enough to count them, in 8 bytes each.
class DistinctTexts {
 public:
  void add(std::string_view text) {
    if (sums_.size() == sums_.capacity()) shrink();
    sums_.push_back(text_checksum(text));
  }
  [[nodiscard]] std::size_t count() {
    drop_copies();
    return sums_.size();
  }
  // Checksums that came more than once.  For texts that are all different, this is empty but for an accident.
  [[nodiscard]] std::unordered_set<std::uint64_t> repeated() {
    std::sort(sums_.begin(), sums_.end());
    std::unordered_set<std::uint64_t> found;
    for (std::size_t i = 1; i < sums_.size(); ++i) {
      if (sums_[i] == sums_[i - 1]) found.insert(sums_[i]);
    }
    return found;
  }
  // For repeated(): copies are kept.
  void add_with_copies(std::string_view text) { sums_.push_back(text_checksum(text)); }

  [[nodiscard]] static std::uint64_t text_checksum(std::string_view text) {
    return checksum(std::as_bytes(std::span(text)), 0);
  }

 private:
  void drop_copies() {
    std::sort(sums_.begin(), sums_.end());
    sums_.erase(std::unique(sums_.begin(), sums_.end()), sums_.end());
  }
  // The same people come again and again, so there are fewer of them than nodes.  Grows only if that does not help.
  void shrink() {
    drop_copies();
    if (2 * sums_.size() > sums_.capacity()) sums_.reserve(std::max<std::size_t>(1024, 2 * sums_.capacity()));
  }

  std::vector<std::uint64_t> sums_;
};

// Graphs on which the features are fitted as on all that were shown.  A graph joins only if the fit changes with it.
// This is right for fits that are unions and maxima (fits_graph_by_graph()): what a graph adds, it adds to any others.
class FitSample {
 public:
  explicit FitSample(const WorkspaceSetup& setup)
      : rule_(setup.features),
        source_(setup.fit),
        symmetrise_(setup.transform.symmetrise),
        looks_at_data_(setup.fit.kind != ConstantKind::kPublicData) {}

  // True: the fit is another one than before.
  bool show(const Graph& graph) {
    if (!sample_.graphs.empty() && !looks_at_data_) return false;
    // Most graphs are fitted like one that was seen before, and that one has been looked at.
    Dataset alone;
    alone.graphs.push_back(symmetrise_ ? symmetrised(graph) : graph);
    if (!seen_.insert(fit_of(alone)).second) return false;
    fitted_on_.graphs.push_back(std::move(alone.graphs.front()));
    std::string with_it = fit_of(fitted_on_);
    if (with_it == fit_ && !sample_.graphs.empty()) {
      fitted_on_.graphs.pop_back();
      return false;
    }
    fit_ = std::move(with_it);
    sample_.graphs.push_back(graph);
    return true;
  }
  [[nodiscard]] const Dataset& graphs() const { return sample_; }
  [[nodiscard]] std::vector<Graph> take() { return std::move(sample_.graphs); }

 private:
  // A fit that fails is told apart by its error, and the sample fails in the end as all graphs would.
  [[nodiscard]] std::string fit_of(const Dataset& graphs) const {
    const Result<FeatureMap> map = FeatureMap::resolve(rule_, graphs, source_);
    return map.ok() ? map->describe() : "error: " + map.error().message;
  }

  std::string rule_;
  FitSource source_;
  bool symmetrise_;
  bool looks_at_data_;
  Dataset sample_;     // as they came
  Dataset fitted_on_;  // the same, as the features see them
  std::string fit_;
  std::unordered_set<std::string> seen_;  // fits of single graphs
};

class Survey {
 public:
  Survey(WorkspaceSetup& setup, std::size_t threads, const std::function<void(const Graph&)>& look)
      : setup_(setup), look_(look), sample_(setup) {
    embedding_.bias = setup.options.bias;
    embedding_.threads = threads;
    embedding_.crew = setup.options.crew;
  }

  Status run(const std::function<Result<GraphStream>()>& open) {
    UNSCATTER_CHECK_OK(pass(open, &Survey::look_and_embed));
    UNSCATTER_CHECK_OK(refuse_repeated_ids(open));
    const Digest content = content_.finish();
    if (!settled_) {
      // Some rows are of an earlier fit.  Now the fit is that of all graphs.
      UNSCATTER_CHECK_OK(make_fitted_embedder());
      content_ = StreamDigest();
      again_ = true;
      UNSCATTER_CHECK_OK(pass(open, &Survey::embed_again));
      if (content_.finish() != content) return changed_while_read(setup_.dataset.name);
    }
    return fill_in(open, content);
  }

 private:
  Status pass(const std::function<Result<GraphStream>()>& open, Status (Survey::*take)(std::vector<StreamedGraph>&)) {
    UNSCATTER_TRY(stream, open());
    for (;;) {
      const double began_at = stream.share_read().value_or(0);
      UNSCATTER_TRY(graphs, next_graphs(stream));
      UNSCATTER_CHECK_OK(finish_embedding());
      if (graphs.empty()) return ok_status();
      began_at_ = began_at;
      ended_at_ = stream.share_read().value_or(0);
      UNSCATTER_CHECK_OK((this->*take)(graphs));
      // With a crew, its other members embed while the next graphs are read.
      if (embedding_.crew == nullptr) UNSCATTER_CHECK_OK(finish_embedding());
      for (StreamedGraph& graph : graphs) graph.graph.wipe();
    }
  }

  Status look_and_embed(std::vector<StreamedGraph>& graphs) {
    const bool first = provisional_labels_.empty();
    bool fit_changed = false;
    for (const StreamedGraph& graph : graphs) {
      UNSCATTER_CHECK_OK(note(graph));
      fit_changed = sample_.show(graph.graph) || fit_changed;
    }
    // The first graphs often show all there is to fit.
    if (fit_changed && !first) settled_ = false;
    // A fit that fails now may still go well with all graphs, and so may an embedding.  The next pass tells.
    if (settled_ && first) settled_ = make_fitted_embedder().ok();
    if (settled_) {
      begin_embedding(graphs);
    } else {
      rows_.reset();
    }
    return ok_status();
  }

  Status embed_again(std::vector<StreamedGraph>& graphs) {
    for (const StreamedGraph& graph : graphs) content_.add(graph);
    begin_embedding(graphs);
    return ok_status();
  }

  // The embedder that the constants mean as a workspace writes them down.
  Status make_fitted_embedder() {
    UNSCATTER_TRY(chosen, unscatter::make_embedder(setup_.features, setup_.transform, sample_.graphs(), setup_.fit));
    Constants constants;
    constants.features = setup_.features;
    constants.transform = setup_.transform;
    constants.fit = setup_.fit.kind;
    UNSCATTER_TRY(embedder, unscatter::make_embedder(constants, chosen->blocks().front().features.describe()));
    embedder_ = std::move(embedder);
    rows_.reset();  // there is one pile at a time
    rows_ =
        std::make_shared<RowPile>(embedder_->width() + (embedding_.bias ? 1 : 0), embedding_.crew, embedding_.threads);
    return ok_status();
  }

  // Takes the graphs.
  void begin_embedding(std::vector<StreamedGraph>& graphs) {
    waiting_ = std::make_unique<Waiting>();
    waiting_->graphs = std::move(graphs);
    graphs.clear();
    waiting_->pointers.reserve(waiting_->graphs.size());
    for (const StreamedGraph& graph : waiting_->graphs) waiting_->pointers.push_back(&graph.graph);
    if (embedding_.crew == nullptr) return;
    waiting_->rows = embedding_.crew->begin_embed(*embedder_, waiting_->pointers, {.threads = embedding_.threads});
  }

  // An embedding that fails in the first pass ends the fit that it was made by, and in the second one the survey.
  Status finish_embedding() {
    if (waiting_ == nullptr) return ok_status();
    const std::unique_ptr<Waiting> done = std::move(waiting_);
    Result<SparseBlockRows> rows =
        done->rows != nullptr ? done->rows->rows() : embedder_->embed(done->pointers, {.threads = embedding_.threads});
    const Status status = rows.ok() ? ok_status() : in_all_graphs(done->graphs, std::move(rows).error());
    if (status.ok()) append_rows(slots_from_rows(*std::move(rows), done->pointers, embedding_.bias));
    for (StreamedGraph& graph : done->graphs) graph.graph.wipe();
    if (status.ok() || again_) return status;
    settled_ = false;
    rows_.reset();
    return ok_status();
  }

  void append_rows(SparseBlockRows embedded) {
    for (std::size_t i = 0; i < embedded.rows(); ++i) {
      BlockRow row;
      embedded.swap_row(i, row);
      // A bias may have doubled the room, and there are as many rows as graphs.
      row.values.shrink_to_fit();
      row.segments.shrink_to_fit();
      const double part = static_cast<double>(i) / static_cast<double>(embedded.rows());
      rows_->append(std::move(row), began_at_ + part * (ended_at_ - began_at_));
    }
  }

  // The message counts from the first of these graphs.  A reader counts from the first of all.
  [[nodiscard]] Error in_all_graphs(const std::vector<StreamedGraph>& graphs, Error error) const {
    Embedder::Scratch scratch = embedder_->make_scratch();
    BlockRow row;
    for (const StreamedGraph& graph : graphs) {
      const Status status = embedder_->embed(graph.graph, scratch, row);
      if (!status.ok()) return {status.error().code, fmt::format("graph {}: {}", graph.number, status.error().message)};
    }
    return error;
  }

  Status note(const StreamedGraph& graph) {
    // A data set whose graphs have ids only in part could not be asked for a graph by its id.
    if (graph.number == 0) has_ids_ = graph.id.has_value();
    if (graph.id.has_value() != has_ids_) return malformed_at(graph, readers::kIdsForAllOrNone);
    if (!graph.label) return malformed_at(graph, readers::kLabelMissing);
    if (graph.id) ids_.add_with_copies(*graph.id);
    const auto next = static_cast<std::uint32_t>(place_of_class_.size());
    provisional_labels_.push_back(place_of_class_.emplace(*graph.label, next).first->second);
    for (std::size_t i = 0; graph.graph.has_node_ids() && i < graph.graph.node_count(); ++i) {
      if (graph.graph.state(i) != NodeState::kTombstone) subjects_.add(graph.graph.node_id(i));
    }
    due_.add_graph(graph.number, graph.expires);
    for (std::size_t i = 0; i < graph.node_expires.size(); ++i) {
      const bool is_there = graph.graph.state(i) != NodeState::kTombstone;
      if (graph.node_expires[i] && is_there) due_.add_subject(graph.graph.node_id(i), *graph.node_expires[i]);
    }
    content_.add(graph);
    if (look_) look_(graph.graph);
    return ok_status();
  }

  // A removal that names a graph by its id must find exactly one.
  Status refuse_repeated_ids(const std::function<Result<GraphStream>()>& open) {
    const std::unordered_set<std::uint64_t> suspects = ids_.repeated();
    ids_ = {};
    if (suspects.empty()) return ok_status();
    // The texts decide, and the place of the second one is named.
    std::unordered_set<std::string> seen;
    UNSCATTER_TRY(stream, open());
    for (;;) {
      UNSCATTER_TRY(graph, stream.next());
      if (!graph) return ok_status();
      if (!graph->id || !suspects.contains(DistinctTexts::text_checksum(*graph->id))) continue;
      if (!seen.insert(*graph->id).second) {
        return malformed_at(*graph, fmt::format("id {} occurs twice", readers::excerpt(*graph->id)));
      }
    }
  }

  Status fill_in(const std::function<Result<GraphStream>()>& open, const Digest& content) {
    std::vector<std::string> by_place(place_of_class_.size());
    for (const auto& [class_name, place] : place_of_class_) by_place[place] = class_name;
    ClassIndex classes = index_classes(by_place);
    for (std::uint32_t& label : provisional_labels_) label = classes.labels[label];

    Dataset dataset;
    dataset.name = std::move(setup_.dataset.name);
    dataset.class_names = std::move(classes.class_names);
    dataset.graphs = sample_.take();
    setup_.dataset = std::move(dataset);
    StreamedData stream;
    stream.open = open;
    stream.rows = std::move(rows_);
    stream.labels = std::move(provisional_labels_);
    stream.features = embedder_->blocks().front().features.describe();
    stream.has_graph_ids = has_ids_;
    stream.subjects = subjects_.count();
    stream.content = content;
    stream.due = std::move(due_);
    setup_.stream = std::move(stream);
    return ok_status();
  }

  WorkspaceSetup& setup_;
  const std::function<void(const Graph&)>& look_;
  FitSample sample_;
  SessionOptions embedding_;
  std::shared_ptr<const Embedder> embedder_;
  bool settled_ = true;  // all rows so far are of the present fit
  bool again_ = false;   // the second pass
  std::shared_ptr<RowPile> rows_;
  double began_at_ = 0;  // the graphs that are being embedded are this part of the data
  double ended_at_ = 0;
  // Graphs whose rows are being made.  They go first where the survey ends early: orders for rows come after rows.
  struct Waiting {
    std::vector<StreamedGraph> graphs;
    std::vector<const Graph*> pointers;
    std::unique_ptr<EmbedCrew::UnderWay> rows;  // null: this process makes them
  };
  std::unique_ptr<Waiting> waiting_;
  std::vector<std::uint32_t> provisional_labels_;  // classes by their first graph
  std::unordered_map<std::string, std::uint32_t> place_of_class_;
  bool has_ids_ = false;
  DistinctTexts ids_;
  DistinctTexts subjects_;
  StreamDigest content_;
  DueDates due_;
};

}  // namespace

std::optional<std::string> reason_against_streaming(const WorkspaceSetup& setup) {
  if (setup.options.protection == Protection::kEveryone) {
    return "level everyone bounds in how many graphs a subject is, which takes all graphs together";
  }
  if (setup.fit.kind != ConstantKind::kPublicData && !fits_graph_by_graph(setup.features)) {
    return fmt::format("constants of the features '{}' are fitted on all graphs together", setup.features);
  }
  return std::nullopt;
}

Status survey(WorkspaceSetup& setup, const std::function<Result<GraphStream>()>& open, std::size_t threads,
              const std::function<void(const Graph&)>& look) {
  if (const auto reason = reason_against_streaming(setup)) {
    return Error{ErrorCode::kUnsupported, fmt::format("the data cannot be streamed: {}", *reason)};
  }
  return Survey(setup, threads, look).run(open);
}

}  // namespace unscatter
