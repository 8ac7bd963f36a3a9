#include "unscatter/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/wipe.h"
#include "graph/weighted_rows.h"

namespace unscatter {
namespace {

// Nodes and entries are counted in 32 bits, which halves the memory of a graph.
constexpr std::size_t kMaxIndex = std::numeric_limits<std::uint32_t>::max();

Error malformed(std::string message) { return {ErrorCode::kMalformedInput, std::move(message)}; }

Status check_finite(const std::vector<double>& values, std::size_t per_node, const char* what) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    // One NaN would spread to every coordinate of the embedding, and from there to all weights.
    if (!std::isfinite(values[k]))
      return malformed(fmt::format("node {}: {} {} is not finite", k / per_node, what, values[k]));
  }
  return ok_status();
}

Status check_node_ids(const std::vector<std::string>& ids) {
  // A request names a node by its id.  With two nodes of one id it would forget one of them and leave the other.
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].empty()) return malformed(fmt::format("node {}: empty node id", i));
    if (!seen.insert(ids[i]).second) return malformed(fmt::format("node {}: node id '{}' occurs twice", i, ids[i]));
  }
  return ok_status();
}

// Nothing at all, or one for each node.
Status check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size != 0 && size != expected) return malformed(fmt::format("{} {} for {} expected", size, what, expected));
  return ok_status();
}

// Everything but the edges.
Status check_parts(const GraphParts& parts) {
  const std::size_t n = parts.node_count;
  if (n == 0) return malformed("a graph needs at least one node");
  if (n >= kMaxIndex) return Error{ErrorCode::kLimitExceeded, fmt::format("{} nodes in one graph", n)};
  if (parts.attributes.size() != n * parts.attribute_count) {
    return malformed(fmt::format("{} attribute values for {} nodes with {} each", parts.attributes.size(), n,
                                 parts.attribute_count));
  }
  UNSCATTER_CHECK_OK(check_size(parts.labels.size(), n, "node labels"));
  UNSCATTER_CHECK_OK(check_size(parts.positions.size(), 2 * n, "coordinates"));
  UNSCATTER_CHECK_OK(check_size(parts.node_ids.size(), n, "node ids"));
  UNSCATTER_CHECK_OK(check_finite(parts.attributes, std::max<std::size_t>(parts.attribute_count, 1), "attribute"));
  UNSCATTER_CHECK_OK(check_finite(parts.positions, 2, "position"));
  return check_node_ids(parts.node_ids);
}

// Removals leave zeros and no edges.  A file whose states say something else is refused: it would bring removed data
// back.
Status check_states(const GraphParts& parts, const std::vector<std::uint32_t>& offsets,
                    const std::vector<NodeIndex>& neighbours) {
  UNSCATTER_CHECK_OK(check_size(parts.states.size(), parts.node_count, "node states"));
  if (parts.states.empty()) return ok_status();
  const std::size_t c = parts.attribute_count;
  bool any_living = false;
  for (std::size_t i = 0; i < parts.node_count; ++i) {
    const NodeState state = parts.states[i];
    any_living |= state != NodeState::kTombstone;
    if (state == NodeState::kPresent) continue;
    const auto attributes = parts.attributes.begin() + static_cast<std::ptrdiff_t>(i * c);
    bool cleared =
        std::all_of(attributes, attributes + static_cast<std::ptrdiff_t>(c), [](double x) { return x == 0; });
    cleared &= parts.labels.empty() || parts.labels[i] == 0;
    cleared &= parts.positions.empty() || (parts.positions[2 * i] == 0 && parts.positions[2 * i + 1] == 0);
    if (!cleared) return malformed(fmt::format("node {}: its features are removed, but not 0", i));
    if (state == NodeState::kTombstone && offsets[i] != offsets[i + 1]) {
      return malformed(fmt::format("node {} is removed, but has edges", i));
    }
  }
  // The row of a tombstone may be empty while another row still lists it, in a directed graph.
  for (const NodeIndex neighbour : neighbours) {
    if (parts.states[neighbour] == NodeState::kTombstone) {
      return malformed(fmt::format("node {} is removed, but has edges", neighbour));
    }
  }
  if (!any_living) return malformed("every node of the graph is removed");
  return ok_status();
}

bool is_symmetric(const std::vector<std::uint32_t>& offsets, const std::vector<NodeIndex>& neighbours,
                  const std::vector<double>& weights) {
  // Rows are sorted.  So going through all rows in order meets the mirrored entries of each row in order too.  One
  // counter per row replaces a search.
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      std::uint32_t& mirrored = next[neighbours[k]];
      if (mirrored == offsets[neighbours[k] + 1] || neighbours[mirrored] != i) return false;
      if (!weights.empty() && weights[mirrored] != weights[k]) return false;
      ++mirrored;
    }
  }
  return true;
}

Status check_weights(const std::vector<double>& weights, const std::vector<std::uint32_t>& offsets,
                     const std::vector<NodeIndex>& neighbours) {
  UNSCATTER_CHECK_OK(check_size(weights.size(), neighbours.size(), "edge weights"));
  if (weights.empty()) return ok_status();
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      // Written so that NaN fails too.
      if (!(std::abs(weights[k]) <= kMaxEdgeWeight)) {
        return malformed(
            fmt::format("edge {}, {}: weight {} is not between -1e300 and 1e300", neighbours[k], i, weights[k]));
      }
    }
  }
  return ok_status();
}

// Everything that uses a Graph trusts these rows without looking again: kernels index memory with them.
Status check_rows(const GraphParts& parts, const std::vector<std::uint32_t>& offsets,
                  const std::vector<NodeIndex>& neighbours) {
  const std::size_t n = parts.node_count;
  if (offsets.size() != n + 1 || offsets.front() != 0 || offsets.back() != neighbours.size()) {
    return malformed(fmt::format("row offsets do not fit {} nodes and {} entries", n, neighbours.size()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > neighbours.size()) {
      return malformed(fmt::format("row offset {} descends", i));
    }
    for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
      if (neighbours[k] >= n) return malformed(fmt::format("node {}: neighbour {} of {} nodes", i, neighbours[k], n));
      if (neighbours[k] == i) return malformed(fmt::format("node {} is its own neighbour", i));
      if (k > offsets[i] && neighbours[k] <= neighbours[k - 1])
        return malformed(fmt::format("neighbours of node {} do not ascend", i));
    }
  }
  UNSCATTER_CHECK_OK(check_weights(parts.weights, offsets, neighbours));
  if (!parts.directed && !is_symmetric(offsets, neighbours, parts.weights))
    return malformed("rows of an undirected graph are not symmetric");
  return ok_status();
}

struct Rows {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeIndex> neighbours;
};

// A counting sort of the edges into rows: the edge from -> to lands in row `to`.  Then each row is sorted and made
// distinct.
Rows rows_from_edges(std::size_t n, bool directed, const std::vector<Edge>& edges) {
  // Counts are kept two places ahead.  After the sums, start[row + 1] is the begin of a row, and filling the row moves
  // it to the end.  Then row i lies between start[i] and start[i + 1].
  std::vector<std::uint32_t> start(n + 2, 0);
  const auto each_entry = [&](auto&& visit) {
    for (const Edge& edge : edges) {
      if (edge.from == edge.to) continue;
      visit(edge.to, edge.from);
      if (!directed) visit(edge.from, edge.to);
    }
  };
  each_entry([&](NodeIndex row, NodeIndex) { ++start[row + 2]; });
  for (std::size_t i = 2; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<NodeIndex> sorted(start.back());
  each_entry([&](NodeIndex row, NodeIndex column) { sorted[start[row + 1]++] = column; });

  Rows rows{{0}, {}};
  rows.offsets.reserve(n + 1);
  rows.neighbours.reserve(sorted.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = sorted.begin() + start[i];
    const auto end = sorted.begin() + start[i + 1];
    std::sort(begin, end);
    rows.neighbours.insert(rows.neighbours.end(), begin, std::unique(begin, end));
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.neighbours.size()));
  }
  rows.neighbours.shrink_to_fit();
  return rows;
}

}  // namespace

Result<Graph> Graph::create(GraphParts parts) {
  // Before the edges are sorted into rows: they index memory there.
  for (const Edge& edge : parts.edges) {
    if (edge.from >= parts.node_count || edge.to >= parts.node_count) {
      return malformed(fmt::format("edge {}, {} in a graph of {} nodes", edge.from, edge.to, parts.node_count));
    }
  }
  // An undirected edge has two entries, and entries are counted in 32 bits.
  if (parts.edges.size() >= kMaxIndex / 2) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("{} edges in one graph", parts.edges.size())};
  }
  if (parts.node_count >= kMaxIndex) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("{} nodes in one graph", parts.node_count)};
  }
  if (!parts.weights.empty()) {
    UNSCATTER_CHECK_OK(check_size(parts.weights.size(), parts.edges.size(), "edge weights"));
    UNSCATTER_TRY(weighted, weighted_rows(parts.node_count, parts.directed, parts.edges, parts.weights));
    unscatter::wipe(parts.weights);
    parts.weights = std::move(weighted.weights);
    return from_rows(std::move(parts), std::move(weighted.offsets), std::move(weighted.neighbours));
  }
  Rows rows = rows_from_edges(parts.node_count, parts.directed, parts.edges);
  return from_rows(std::move(parts), std::move(rows.offsets), std::move(rows.neighbours));
}

Result<Graph> Graph::from_rows(GraphParts parts, std::vector<std::uint32_t> offsets,
                               std::vector<NodeIndex> neighbours) {
  // All checks come before the first part is moved, so an error never leaves half a graph.
  UNSCATTER_CHECK_OK(check_parts(parts));
  if (neighbours.size() >= kMaxIndex) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("{} edge entries in one graph", neighbours.size())};
  }
  UNSCATTER_CHECK_OK(check_rows(parts, offsets, neighbours));
  UNSCATTER_CHECK_OK(check_states(parts, offsets, neighbours));
  // No states means that every node is present.  This is the only spelling, so that equal graphs compare equal.
  const auto present = [](NodeState s) { return s == NodeState::kPresent; };
  if (std::all_of(parts.states.begin(), parts.states.end(), present)) parts.states.clear();
  Graph graph;
  graph.offsets_ = std::move(offsets);
  graph.neighbours_ = std::move(neighbours);
  graph.weights_ = std::move(parts.weights);
  graph.directed_ = parts.directed;
  graph.attribute_count_ = parts.attribute_count;
  graph.attributes_ = std::move(parts.attributes);
  graph.labels_ = std::move(parts.labels);
  graph.positions_ = std::move(parts.positions);
  graph.node_ids_ = std::move(parts.node_ids);
  graph.states_ = std::move(parts.states);
  return graph;
}

std::size_t Graph::living_node_count() const noexcept {
  if (states_.empty()) return node_count();
  return static_cast<std::size_t>(
      std::count_if(states_.begin(), states_.end(), [](NodeState s) { return s != NodeState::kTombstone; }));
}

bool Graph::has_edge(std::size_t from, std::size_t to) const {
  if (from >= node_count() || to >= node_count()) return false;
  const std::span<const NodeIndex> row = neighbours(to);
  // Row `to` lists the nodes that point to it.
  return std::binary_search(row.begin(), row.end(), static_cast<NodeIndex>(from));
}

void Graph::wipe() noexcept {
  // Everything that came from the data, ids and structure included.  What is left is a graph without nodes.
  unscatter::wipe(offsets_);
  unscatter::wipe(neighbours_);
  unscatter::wipe(weights_);
  unscatter::wipe(attributes_);
  unscatter::wipe(labels_);
  unscatter::wipe(positions_);
  unscatter::wipe(node_ids_);
  unscatter::wipe(states_);
  attribute_count_ = 0;
  offsets_.push_back(0);  // the capacity is kept, so this cannot fail
}

}  // namespace unscatter
