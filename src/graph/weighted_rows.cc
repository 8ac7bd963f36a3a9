#include "graph/weighted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/wipe.h"

namespace unscatter {
namespace {

// One entry of a row.
struct WeightedEntry {
  NodeIndex row;
  NodeIndex column;
  double weight;

  // The weight takes part, so that the sum of copies does not depend on the order of the file.
  friend bool operator<(const WeightedEntry& a, const WeightedEntry& b) {
    return std::tuple(a.row, a.column, a.weight) < std::tuple(b.row, b.column, b.weight);
  }
};

// Sorts, adds up what has one place, and returns how many copies went.
std::size_t merge_entries(std::vector<WeightedEntry>& entries) {
  std::sort(entries.begin(), entries.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (kept > 0 && entries[kept - 1].row == entries[k].row && entries[kept - 1].column == entries[k].column) {
      entries[kept - 1].weight += entries[k].weight;
    } else {
      entries[kept++] = entries[k];
    }
  }
  const std::size_t copies = entries.size() - kept;
  entries.resize(kept);
  return copies;
}

// Adds the mirror image of every entry that lacks one.
Status mirror_entries(std::vector<WeightedEntry>& entries) {
  std::vector<WeightedEntry> missing;
  const auto by_place = [](const WeightedEntry& a, const WeightedEntry& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  };
  for (const WeightedEntry& entry : entries) {
    const WeightedEntry mirrored{entry.column, entry.row, entry.weight};
    const auto found = std::lower_bound(entries.begin(), entries.end(), mirrored, by_place);
    if (found == entries.end() || found->row != mirrored.row || found->column != mirrored.column) {
      missing.push_back(mirrored);
    } else if (found->weight != mirrored.weight) {
      return Error{ErrorCode::kMalformedInput,
                   fmt::format("edge {}, {} has the weight {} and edge {}, {} the weight {}, but the graph is "
                               "undirected; list the edge in one direction, or make the graph directed",
                               entry.column, entry.row, entry.weight, entry.row, entry.column, found->weight)};
    }
  }
  entries.insert(entries.end(), missing.begin(), missing.end());
  std::sort(entries.begin(), entries.end());
  wipe(missing);
  return ok_status();
}

// Consumes the entries: a freed block would keep the weights.
WeightedRows rows_of_entries(std::size_t nodes, std::vector<WeightedEntry>& entries) {
  WeightedRows rows;
  rows.offsets.assign(nodes + 1, 0);
  rows.neighbours.reserve(entries.size());
  rows.weights.reserve(entries.size());
  for (const WeightedEntry& entry : entries) {
    ++rows.offsets[entry.row + 1];
    rows.neighbours.push_back(entry.column);
    rows.weights.push_back(entry.weight);
  }
  for (std::size_t i = 1; i <= nodes; ++i) rows.offsets[i] += rows.offsets[i - 1];
  wipe(entries);
  return rows;
}

}  // namespace

Result<WeightedRows> weighted_rows(std::size_t nodes, bool directed, std::span<const Edge> edges,
                                   std::span<const double> weights) {
  std::vector<WeightedEntry> entries;
  entries.reserve(edges.size());
  std::size_t self_loops = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].from == edges[k].to) {
      ++self_loops;
    } else {
      entries.push_back({edges[k].to, edges[k].from, weights[k]});
    }
  }
  const std::size_t copies = merge_entries(entries);
  if (!directed) UNSCATTER_CHECK_OK(mirror_entries(entries));
  WeightedRows rows = rows_of_entries(nodes, entries);
  rows.self_loops = self_loops;
  rows.duplicate_edges = copies;
  return rows;
}

WeightedRows symmetric_sums(const Graph& graph) {
  std::vector<WeightedEntry> entries;
  entries.reserve(2 * graph.entry_count());
  for (NodeIndex row = 0; row < graph.node_count(); ++row) {
    for (std::size_t k = 0; k < graph.degree(row); ++k) {
      const NodeIndex column = graph.neighbours(row)[k];
      entries.push_back({row, column, graph.weights(row)[k]});
      entries.push_back({column, row, graph.weights(row)[k]});
    }
  }
  merge_entries(entries);
  return rows_of_entries(graph.node_count(), entries);
}

}  // namespace unscatter
