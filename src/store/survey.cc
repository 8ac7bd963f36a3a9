// The first pass over a data set that does not have to fit memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "embedding/embed_crew.h"
#include "embedding/features/registry.h"
#include "embedding/fit_sample.h"
#include "graph/readers/text_scanner.h"
#include "store/constants.h"
#include "store/shard_crew.h"
#include "store/streamed_graphs.h"
#include "store/survey_notes.h"
#include "unlearn/refit.h"
#include "unlearn/row_pile.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/store/workspace.h"

namespace unscatter {
namespace {

// Checksums that occur more than once.  For texts that are all different there are none but for an accident.
std::unordered_set<std::uint64_t> repeated(std::vector<std::uint64_t> sums) {
  std::sort(sums.begin(), sums.end());
  std::unordered_set<std::uint64_t> found;
  for (std::size_t i = 1; i < sums.size(); ++i) {
    if (sums[i] == sums[i - 1]) found.insert(sums[i]);
  }
  return found;
}

class Survey {
 public:
  Survey(WorkspaceSetup& setup, const SurveyOptions& options)
      : setup_(setup), options_(options), sample_(empty_sample()) {}

  Status run(const std::function<Result<GraphStream>()>& open) {
    UNSCATTER_TRY(stream, open());
    UNSCATTER_TRY(together, read_together(stream));
    if (!together) {
      if (began_together_) {
        UNSCATTER_TRY(from_the_start, open());
        stream = std::move(from_the_start);
      }
      UNSCATTER_CHECK_OK(read_alone(std::move(stream), open));
    }
    UNSCATTER_CHECK_OK(refuse_repeated_ids(open));
    return fill_in(open);
  }

 private:
  [[nodiscard]] FitSample empty_sample() const { return {setup_.features, setup_.fit, setup_.transform.symmetrise}; }

  // Every process of the crew reads its own part of a file.  False: this process is to read all, from the start.
  // Whatever is wrong with the file, a pass over all of it finds the words.
  Result<bool> read_together(GraphStream& stream) {
    const std::optional<GraphStream::Lines> lines = stream.lines();
    if (options_.crew == nullptr || !lines) return false;
    began_together_ = true;
    // The first graphs often show all there is to fit.
    Result<std::vector<StreamedGraph>> first = stream.next_some();
    if (!first.ok()) return false;
    for (StreamedGraph& graph : *first) {
      sample_.show(graph.graph);
      graph.graph.wipe();
    }
    for (bool again = false;; again = true) {
      if (!make_fitted_embedder().ok() || rows_->processes() == 1) break;
      std::optional<SharedSurvey> found = options_.crew->survey_file(
          *lines, {setup_.features, setup_.fit.kind, setup_.transform.symmetrise, setup_.options.bias}, *embedder_,
          {.threads = options_.threads, .progress = options_.progress});
      if (!found) break;
      if (again && found->notes.content != notes_.content) return changed_while_read(setup_.dataset.name);
      notes_ = std::move(found->notes);
      bool fit_changed = false;
      for (Graph& graph : found->sample) {
        fit_changed = sample_.show(graph) || fit_changed;
        graph.wipe();
      }
      if (!fit_changed) {
        if (!found->rows) break;
        rows_->made_everywhere(*std::move(found->rows), found->rows_of_processes);
        return true;
      }
      if (again) return changed_while_read(setup_.dataset.name);
    }
    rows_.reset();
    sample_ = empty_sample();
    return false;
  }

  Status read_alone(GraphStream stream, const std::function<Result<GraphStream>()>& open) {
    UNSCATTER_CHECK_OK(pass(std::move(stream), &Survey::look_and_embed));
    notes_ = taker_.finish();
    if (settled_) return ok_status();
    // Some rows are of an earlier fit.  Now the fit is that of all graphs.
    UNSCATTER_CHECK_OK(make_fitted_embedder());
    again_.emplace(notes_.content);
    UNSCATTER_TRY(second, open());
    UNSCATTER_CHECK_OK(pass(std::move(second), &Survey::embed_again));
    return again_->same() ? ok_status() : changed_while_read(setup_.dataset.name);
  }

  Status pass(GraphStream stream, Status (Survey::*take)(std::vector<StreamedGraph>&)) {
    for (;;) {
      const double began_at = stream.share_read().value_or(0);
      UNSCATTER_TRY(graphs, stream.next_some());
      UNSCATTER_CHECK_OK(finish_embedding());
      if (graphs.empty()) return ok_status();
      began_at_ = began_at;
      ended_at_ = stream.share_read().value_or(0);
      UNSCATTER_CHECK_OK((this->*take)(graphs));
      // With a crew, its other members embed while the next graphs are read.
      if (options_.crew == nullptr) UNSCATTER_CHECK_OK(finish_embedding());
      for (StreamedGraph& graph : graphs) graph.graph.wipe();
    }
  }

  Status look_and_embed(std::vector<StreamedGraph>& graphs) {
    const bool first = !looked_;
    looked_ = true;
    bool fit_changed = false;
    for (const StreamedGraph& graph : graphs) {
      UNSCATTER_CHECK_OK(taker_.add(graph));
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
    for (const StreamedGraph& graph : graphs) again_->add(graph);
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
    const std::size_t columns = embedder_->width() + (setup_.options.bias ? 1 : 0);
    rows_ = std::make_shared<RowPile>(columns, options_.crew, options_.threads);
    return ok_status();
  }

  // Takes the graphs.
  void begin_embedding(std::vector<StreamedGraph>& graphs) {
    waiting_ = std::make_unique<Waiting>();
    waiting_->graphs = std::move(graphs);
    graphs.clear();
    waiting_->pointers.reserve(waiting_->graphs.size());
    for (const StreamedGraph& graph : waiting_->graphs) waiting_->pointers.push_back(&graph.graph);
    if (options_.crew == nullptr) return;
    waiting_->rows = options_.crew->begin_embed(*embedder_, waiting_->pointers, {.threads = options_.threads});
  }

  // An embedding that fails in the first pass ends the fit that it was made by, and in the second one the survey.
  Status finish_embedding() {
    if (waiting_ == nullptr) return ok_status();
    const std::unique_ptr<Waiting> done = std::move(waiting_);
    Result<SparseBlockRows> rows =
        done->rows != nullptr ? done->rows->rows() : embedder_->embed(done->pointers, {.threads = options_.threads});
    Status status = rows.ok() ? ok_status() : in_all_graphs(done->graphs, rows.error());
    if (status.ok()) append_rows(slots_from_rows(*std::move(rows), done->pointers, setup_.options.bias));
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

  // A removal that names a graph by its id must find exactly one.
  Status refuse_repeated_ids(const std::function<Result<GraphStream>()>& open) {
    has_ids_ = !notes_.ids.empty();
    const std::unordered_set<std::uint64_t> suspects = repeated(std::move(notes_.ids));
    if (suspects.empty()) return ok_status();
    // The texts decide, and the place of the second one is named.
    std::unordered_set<std::string> seen;
    UNSCATTER_TRY(stream, open());
    for (;;) {
      UNSCATTER_TRY(graph, stream.next());
      if (!graph) return ok_status();
      if (!graph->id || !suspects.contains(text_checksum(*graph->id))) continue;
      if (!seen.insert(*graph->id).second) {
        return Error{ErrorCode::kMalformedInput,
                     fmt::format("{}: id {} occurs twice", graph->place, readers::excerpt(*graph->id))};
      }
    }
  }

  Status fill_in(const std::function<Result<GraphStream>()>& open) {
    ClassIndex classes = index_classes(notes_.classes);
    for (std::uint32_t& label : notes_.labels) label = classes.labels[label];

    Dataset dataset;
    dataset.name = std::move(setup_.dataset.name);
    dataset.class_names = std::move(classes.class_names);
    dataset.graphs = sample_.take();
    setup_.dataset = std::move(dataset);
    StreamedData stream;
    stream.open = open;
    stream.rows = std::move(rows_);
    stream.labels = std::move(notes_.labels);
    stream.features = embedder_->blocks().front().features.describe();
    stream.has_graph_ids = has_ids_;
    stream.subjects = notes_.subjects.size();
    stream.content = std::move(notes_.content);
    stream.due = std::move(notes_.due);
    stream.form = notes_.form;
    setup_.stream = std::move(stream);
    return ok_status();
  }

  WorkspaceSetup& setup_;
  SurveyOptions options_;
  FitSample sample_;
  SurveyNoteTaker taker_;
  SurveyNotes notes_;
  std::shared_ptr<const Embedder> embedder_;
  bool settled_ = true;  // all rows so far are of the present fit
  bool looked_ = false;  // some graphs were seen
  bool began_together_ = false;
  std::optional<StreamComparison> again_;  // in the second pass
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
  bool has_ids_ = false;
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

Status survey(WorkspaceSetup& setup, const std::function<Result<GraphStream>()>& open, const SurveyOptions& options) {
  if (const auto reason = reason_against_streaming(setup)) {
    return Error{ErrorCode::kUnsupported, fmt::format("the data cannot be streamed: {}", *reason)};
  }
  return Survey(setup, options).run(open);
}

}  // namespace unscatter
