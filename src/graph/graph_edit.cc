#include "unscatter/graph/graph_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "graph/weighted_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

// The only class that may build a Graph piece by piece.  Every edit makes a new graph: a request that fails halfway
// must leave the old one as it was.
class GraphEditor {
 public:
  explicit GraphEditor(const Graph& graph) : graph_(graph) {}

  [[nodiscard]] Result<std::optional<Graph>> operator()(const RemoveGraph&) const { return std::optional<Graph>(); }

  [[nodiscard]] Result<std::optional<Graph>> operator()(const RemoveNode& edit) const {
    UNSCATTER_CHECK_OK(check_living(edit.node));
    // The last living node takes the graph with it, since an embedding of no nodes does not exist.
    if (graph_.living_node_count() == 1) return std::optional<Graph>();
    return std::optional<Graph>(edit.style == NodeRemoval::kCompact ? without_node(edit.node)
                                                                    : with_tombstone(edit.node));
  }

  [[nodiscard]] Result<std::optional<Graph>> operator()(const RemoveFeatures& edit) const {
    UNSCATTER_CHECK_OK(check_living(edit.node));
    // A second removal would change nothing.  It is refused, like that of a node that is gone.
    if (!graph_.has_features(edit.node)) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("the features of node {} are removed already", edit.node)};
    }
    Graph edited = graph_;
    clear_features(edited, edit.node, NodeState::kFeatureless);
    return std::optional<Graph>(std::move(edited));
  }

  [[nodiscard]] Result<std::optional<Graph>> operator()(const RemoveEdge& edit) const {
    if (!graph_.has_edge(edit.from, edit.to)) {
      return Error{ErrorCode::kNotFound, fmt::format("there is no edge {}, {}", edit.from, edit.to)};
    }
    return std::optional<Graph>(with_entries([&](NodeIndex row, NodeIndex column) {
      const bool forward = row == edit.to && column == edit.from;
      // An undirected edge has an entry in the row of either end.
      const bool backward = !graph_.directed() && row == edit.from && column == edit.to;
      return !forward && !backward;
    }));
  }

  [[nodiscard]] Result<Graph> operator()(const ReplaceFeatures& correction) const {
    UNSCATTER_CHECK_OK(check_living(correction.node));
    UNSCATTER_CHECK_OK(check_given(correction));
    Graph corrected = graph_;
    if (correction.attributes) {
      std::copy(correction.attributes->begin(), correction.attributes->end(),
                corrected.attributes_.begin() + static_cast<std::ptrdiff_t>(correction.node * graph_.attribute_count_));
    }
    if (correction.label) corrected.labels_[correction.node] = *correction.label;
    if (!corrected.states_.empty()) {
      corrected.states_[correction.node] = NodeState::kPresent;
      // No states means that every node is present.  This is the only spelling, so that equal graphs compare equal.
      const auto present = [](NodeState state) { return state == NodeState::kPresent; };
      if (std::all_of(corrected.states_.begin(), corrected.states_.end(), present)) corrected.states_.clear();
    }
    return corrected;
  }

  [[nodiscard]] Result<Graph> operator()(const InsertEdge& correction) const {
    UNSCATTER_CHECK_OK(check_living(correction.from));
    UNSCATTER_CHECK_OK(check_living(correction.to));
    // Without numbers: whoever asks may know the nodes by others.
    const auto wrong = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
    if (correction.from == correction.to) return wrong("the edge would join a node to itself");
    if (graph_.has_edge(correction.from, correction.to)) {
      return wrong("the edge is there already; to change its weight, drop it and add it again");
    }
    if (graph_.has_weights() && !correction.weight)
      return wrong("edges of this graph have weights, so this one needs a weight too");
    // Written so that NaN fails too.
    if (correction.weight && !(std::abs(*correction.weight) <= kMaxEdgeWeight)) {
      return wrong(fmt::format("weight {} is not between -1e300 and 1e300", *correction.weight));
    }
    return with_edge(correction);
  }

  // A graph with an edge in both directions wherever this one has an edge.
  [[nodiscard]] Graph symmetrised() const {
    if (graph_.has_weights()) return symmetrised_with_weights();
    GraphParts parts;
    parts.node_count = graph_.node_count();
    for (NodeIndex row = 0; row < graph_.node_count(); ++row) {
      for (const NodeIndex column : graph_.neighbours(row)) parts.edges.push_back({column, row});
    }
    // Only the rows are taken from here.  Features, ids and states stay those of the graph.
    Result<Graph> rows = Graph::create(std::move(parts));
    Graph result = graph_;
    result.directed_ = false;
    result.offsets_ = std::move(rows.value().offsets_);
    result.neighbours_ = std::move(rows.value().neighbours_);
    return result;
  }

 private:
  [[nodiscard]] Graph symmetrised_with_weights() const {
    WeightedRows rows = symmetric_sums(graph_);
    Graph result = graph_;
    result.directed_ = false;
    result.offsets_ = std::move(rows.offsets);
    result.neighbours_ = std::move(rows.neighbours);
    result.weights_ = std::move(rows.weights);
    return result;
  }

  // A node without features must get all of them: what is not given would be the zeros that a removal left.
  [[nodiscard]] Status check_given(const ReplaceFeatures& correction) const {
    const auto wrong = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
    if (!correction.attributes && !correction.label) return wrong("no new attributes and no new label are given");
    if (correction.attributes) {
      if (correction.attributes->size() != graph_.attribute_count()) {
        return wrong(fmt::format("{} attributes are given, and nodes of this graph have {}",
                                 correction.attributes->size(), graph_.attribute_count()));
      }
      for (const double value : *correction.attributes) {
        if (!std::isfinite(value)) return wrong(fmt::format("the attribute {} is not a finite number", value));
      }
    }
    if (correction.label && !graph_.has_labels()) return wrong("nodes of this graph have no labels");
    if (graph_.has_features(correction.node)) return ok_status();
    const bool complete = (correction.attributes || graph_.attribute_count() == 0) &&
                          (correction.label || !graph_.has_labels()) && !graph_.has_positions();
    if (complete) return ok_status();
    return wrong("the features of the node were removed, so all of them have to be given (a position cannot be)");
  }

  // Rows with one more entry, or two if undirected.  Weights stay beside their entries.
  [[nodiscard]] Graph with_edge(const InsertEdge& correction) const {
    const bool weighted = graph_.has_weights() || (correction.weight && (*correction.weight != 1.0));
    Graph result = graph_;
    result.offsets_.assign(1, 0);
    result.neighbours_.clear();
    result.weights_.clear();
    for (NodeIndex row = 0; row < graph_.node_count(); ++row) {
      const std::span<const NodeIndex> columns = graph_.neighbours(row);
      const std::span<const double> weights = graph_.weights(row);
      std::optional<NodeIndex> added;
      if (row == correction.to) added = correction.from;
      if (!graph_.directed() && row == correction.from) added = correction.to;
      const auto add = [&](NodeIndex column, double weight) {
        result.neighbours_.push_back(column);
        if (weighted) result.weights_.push_back(weight);
      };
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (added && *added < columns[k]) add(*std::exchange(added, std::nullopt), correction.weight.value_or(1.0));
        add(columns[k], weights.empty() ? 1.0 : weights[k]);
      }
      if (added) add(*added, correction.weight.value_or(1.0));
      result.offsets_.push_back(static_cast<std::uint32_t>(result.neighbours_.size()));
    }
    return result;
  }

  [[nodiscard]] Status check_living(NodeIndex node) const {
    if (node >= graph_.node_count()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("there is no node {} in a graph of {} nodes", node, graph_.node_count())};
    }
    if (graph_.state(node) == NodeState::kTombstone) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("node {} is removed already", node)};
    }
    return ok_status();
  }

  // A copy of the graph with only those entries (row, column) that `keep` accepts.
  template <typename Keep>
  [[nodiscard]] Graph with_entries(Keep keep) const {
    Graph edited = graph_;
    edited.neighbours_.clear();
    edited.weights_.clear();
    for (NodeIndex row = 0; row < graph_.node_count(); ++row) {
      const std::span<const double> weights = graph_.weights(row);
      for (std::size_t k = 0; k < graph_.degree(row); ++k) {
        const NodeIndex column = graph_.neighbours(row)[k];
        if (!keep(row, column)) continue;
        edited.neighbours_.push_back(column);
        if (!weights.empty()) edited.weights_.push_back(weights[k]);
      }
      edited.offsets_[row + 1] = static_cast<std::uint32_t>(edited.neighbours_.size());
    }
    // Spare capacity would still hold the removed entries.
    edited.neighbours_.shrink_to_fit();
    edited.weights_.shrink_to_fit();
    return edited;
  }

  static void clear_features(Graph& graph, NodeIndex node, NodeState state) {
    if (graph.states_.empty()) graph.states_.resize(graph.node_count(), NodeState::kPresent);
    // The state remembers that zeros mean "removed" here and not a measured zero.
    graph.states_[node] = state;
    const std::size_t c = graph.attribute_count_;
    std::fill_n(graph.attributes_.begin() + static_cast<std::ptrdiff_t>(node * c), c, 0.0);
    if (graph.has_labels()) graph.labels_[node] = 0;
    if (graph.has_positions()) std::fill_n(graph.positions_.begin() + 2 * std::ptrdiff_t{node}, 2, 0.0);
  }

  [[nodiscard]] Graph with_tombstone(NodeIndex node) const {
    Graph edited = with_entries([node](NodeIndex row, NodeIndex column) { return row != node && column != node; });
    clear_features(edited, node, NodeState::kTombstone);
    // Ids must stay distinct and not empty, so the removed one is replaced by one that names nobody.
    if (edited.has_node_ids()) edited.node_ids_[node] = fmt::format("#removed-{}", node);
    return edited;
  }

  [[nodiscard]] Graph without_node(NodeIndex node) const {
    Graph edited;
    edited.directed_ = graph_.directed_;
    // Built from what is kept, and not by erasing in a copy: nothing of the node is copied.
    edited.offsets_.reserve(graph_.node_count());
    edited.neighbours_.reserve(graph_.entry_count());
    edited.weights_.reserve(graph_.entry_weights().size());
    for (NodeIndex row = 0; row < graph_.node_count(); ++row) {
      if (row == node) continue;
      const std::span<const double> weights = graph_.weights(row);
      for (std::size_t k = 0; k < graph_.degree(row); ++k) {
        const NodeIndex column = graph_.neighbours(row)[k];
        if (column == node) continue;
        // Later nodes move up by one.  Rows stay sorted.
        edited.neighbours_.push_back(column - (column > node ? 1 : 0));
        if (!weights.empty()) edited.weights_.push_back(weights[k]);
      }
      edited.offsets_.push_back(static_cast<std::uint32_t>(edited.neighbours_.size()));
    }
    edited.neighbours_.shrink_to_fit();
    edited.weights_.shrink_to_fit();
    edited.attribute_count_ = graph_.attribute_count_;
    edited.attributes_ = without_row(graph_.attributes_, graph_.attribute_count_, node);
    edited.labels_ = without_row(graph_.labels_, 1, node);
    edited.positions_ = without_row(graph_.positions_, 2, node);
    edited.node_ids_ = without_row(graph_.node_ids_, 1, node);
    edited.states_ = without_row(graph_.states_, 1, node);
    // No states means that every node is present.  So the result equals the graph that is built without the node.
    const auto present = [](NodeState s) { return s == NodeState::kPresent; };
    if (std::all_of(edited.states_.begin(), edited.states_.end(), present)) edited.states_.clear();
    return edited;
  }

  template <typename T>
  static std::vector<T> without_row(const std::vector<T>& values, std::size_t width, NodeIndex row) {
    std::vector<T> kept;
    if (values.empty()) return kept;
    kept.reserve(values.size() - width);
    // Two copies around the row.  The row itself is never copied.
    const auto cut = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    kept.insert(kept.end(), values.begin(), cut);
    kept.insert(kept.end(), cut + static_cast<std::ptrdiff_t>(width), values.end());
    return kept;
  }

  const Graph& graph_;
};

Result<std::optional<Graph>> apply(const Graph& graph, const GraphEdit& edit) {
  return std::visit(GraphEditor(graph), edit);
}

Result<Graph> correct(const Graph& graph, const GraphCorrection& correction) {
  return std::visit(GraphEditor(graph), correction);
}

Graph symmetrised(const Graph& graph) { return graph.directed() ? GraphEditor(graph).symmetrised() : graph; }

}  // namespace unscatter
