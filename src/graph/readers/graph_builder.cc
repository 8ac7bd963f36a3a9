#include "graph/readers/graph_builder.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "graph/weighted_rows.h"
#include "unscatter/base/invariant.h"

namespace unscatter::readers {
namespace {

struct Rows {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeIndex> entries;
};

// A stable counting sort by the `from` end.  A list that is in order already is left alone, and most files are in
// order.
void sort_by_from(std::vector<Edge>& edges, std::size_t n) {
  if (std::is_sorted(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; })) return;
  std::vector<std::uint32_t> next(n + 1, 0);
  for (const Edge& edge : edges) ++next[edge.from + 1];
  for (std::size_t i = 1; i <= n; ++i) next[i] += next[i - 1];
  std::vector<Edge> sorted(edges.size());
  for (const Edge& edge : edges) sorted[next[edge.from]++] = edge;
  edges.swap(sorted);
}

// Puts edges from -> to, which are in order of `from`, into rows `to`.  Each row comes out in ascending order without a
// sort of its own.  Self-loops and repetitions are left out.
Rows rows_of(const std::vector<Edge>& edges, std::size_t n, Dropped& dropped) {
  // Counts two places ahead, as in graph.cc: filling a row moves its begin to its end.
  std::vector<std::uint32_t> start(n + 2, 0);
  for (const Edge& edge : edges) ++start[edge.to + 2];
  for (std::size_t i = 2; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<NodeIndex> placed(edges.size());
  for (const Edge& edge : edges) placed[start[edge.to + 1]++] = edge.from;

  Rows rows;
  rows.offsets.reserve(n + 1);
  rows.offsets.push_back(0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row_begin = kept;
    for (std::size_t k = start[i]; k < start[i + 1]; ++k) {
      if (placed[k] == i) {
        ++dropped.self_loops;
      } else if (kept > row_begin && placed[kept - 1] == placed[k]) {
        ++dropped.duplicate_edges;
      } else {
        placed[kept++] = placed[k];
      }
    }
    rows.offsets.push_back(static_cast<std::uint32_t>(kept));
  }
  // A copy of the right size.  A repeated edge in the file must not cost memory in the graph.
  rows.entries.assign(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(kept));
  return rows;
}

// Rows are visited in order, so the rows of the result come out sorted.
Rows transposed(const Rows& rows) {
  const std::size_t n = rows.offsets.size() - 1;
  std::vector<std::uint32_t> next(n + 2, 0);
  for (const NodeIndex column : rows.entries) ++next[column + 2];
  for (std::size_t i = 2; i < next.size(); ++i) next[i] += next[i - 1];
  Rows result{{}, std::vector<NodeIndex>(rows.entries.size())};
  for (NodeIndex i = 0; i < n; ++i) {
    for (std::uint32_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k)
      result.entries[next[rows.entries[k] + 1]++] = i;
  }
  next.pop_back();
  result.offsets = std::move(next);
  return result;
}

// An edge wherever there is one in either direction.  Most files list both directions, so the first test usually ends
// it.
Rows symmetric(Rows rows) {
  const Rows mirrored = transposed(rows);
  if (mirrored.offsets == rows.offsets && mirrored.entries == rows.entries) return rows;
  Rows merged{{0}, {}};
  merged.offsets.reserve(rows.offsets.size());
  const auto row = [](const Rows& of, std::size_t i) {
    return std::pair(of.entries.begin() + of.offsets[i], of.entries.begin() + of.offsets[i + 1]);
  };
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
    const auto [a, a_end] = row(rows, i);
    const auto [b, b_end] = row(mirrored, i);
    std::set_union(a, a_end, b, b_end, std::back_inserter(merged.entries));
    merged.offsets.push_back(static_cast<std::uint32_t>(merged.entries.size()));
  }
  merged.entries.shrink_to_fit();
  return merged;
}

}  // namespace

Result<Graph> build_graph(GraphParts parts, Dropped& dropped) {
  const std::size_t n = parts.node_count;
  // Twice the number of edges must fit into 32 bits, since mirror images are merged in below.
  if (parts.edges.size() >= std::numeric_limits<std::uint32_t>::max() / 2) {
    return Error{ErrorCode::kLimitExceeded, "2^31 edges in one graph"};
  }
  if (!parts.weights.empty()) {
    UNSCATTER_TRY(weighted, weighted_rows(n, parts.directed, parts.edges, parts.weights));
    dropped.self_loops += weighted.self_loops;
    dropped.duplicate_edges += weighted.duplicate_edges;
    std::vector<Edge>().swap(parts.edges);
    parts.weights = std::move(weighted.weights);
    return Graph::from_rows(std::move(parts), std::move(weighted.offsets), std::move(weighted.neighbours));
  }
  sort_by_from(parts.edges, n);
  Rows rows = rows_of(parts.edges, n, dropped);
  // Frees the list before the rows are doubled.  A cleared vector would keep its memory.
  std::vector<Edge>().swap(parts.edges);
  if (!parts.directed) rows = symmetric(std::move(rows));
  return Graph::from_rows(std::move(parts), std::move(rows.offsets), std::move(rows.entries));
}

Status build_graphs(std::size_t count, const ReadOptions& options, Dataset& dataset,
                    const std::function<Result<Graph>(std::size_t, Dropped&)>& build) {
  if (options.progress != nullptr) options.progress->begin("building graphs", count);
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  // Graphs are small: 64 of them make handing out a chunk cheap beside building it.
  constexpr std::size_t kGrain = 64;
  std::vector<std::optional<Graph>> graphs(count);
  std::vector<Dropped> dropped((count + kGrain - 1) / kGrain);
  std::vector<std::optional<Error>> errors(dropped.size());
  std::atomic<std::size_t> first_failed = kNone;
  parallel_for(dropped.size(), options.threads, 1, [&](std::size_t chunk, std::size_t) {
    const std::size_t end = std::min(count, (chunk + 1) * kGrain);
    for (std::size_t g = chunk * kGrain; g < end; ++g) {
      // Chunks before the one that failed still have to run: they may hold an earlier error.
      if (chunk > first_failed.load(std::memory_order_relaxed)) return;
      Result<Graph> graph = build(g, dropped[chunk]);
      if (!graph.ok()) {
        errors[chunk] = std::move(graph).error();
        std::size_t seen = first_failed.load();
        // The lowest chunk that failed, whichever thread came first.
        while (chunk < seen && !first_failed.compare_exchange_weak(seen, chunk)) {
        }
        return;
      }
      graphs[g].emplace(std::move(graph).value());
    }
    if (options.progress != nullptr) options.progress->advance(end - chunk * kGrain);
  });
  if (options.progress != nullptr) options.progress->end();
  if (first_failed != kNone) return *errors[first_failed];

  dataset.graphs.reserve(count);
  for (std::optional<Graph>& graph : graphs) dataset.graphs.push_back(std::move(*graph));
  for (const Dropped& part : dropped) {
    dataset.dropped_self_loops += part.self_loops;
    dataset.dropped_duplicate_edges += part.duplicate_edges;
  }
  return ok_status();
}

}  // namespace unscatter::readers
