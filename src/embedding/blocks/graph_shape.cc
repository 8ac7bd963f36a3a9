#include "embedding/blocks/graph_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/wipe.h"
#include "embedding/blocks/drawing.h"

namespace unscatter {
namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

// How far apart the ends of an edge are without it, by a search from `from` among the nodes of the 2-core: no other
// node lies on a cycle.  kUnseen beyond `furthest`.  `depths` is kUnseen everywhere, before and after.
std::uint32_t detour(const NeighbourRows& rows, std::span<const std::uint32_t> cores, NodeIndex from, NodeIndex to,
                     std::uint32_t furthest, std::vector<std::uint32_t>& depths, std::vector<NodeIndex>& queue) {
  queue.clear();
  queue.push_back(from);
  depths[from] = 0;
  std::uint32_t found = kUnseen;
  for (std::size_t head = 0; head < queue.size() && found == kUnseen; ++head) {
    const NodeIndex i = queue[head];
    if (depths[i] == furthest) break;
    for (const NodeIndex j : rows.neighbours(i)) {
      if (depths[j] != kUnseen || cores[j] < 2 || (i == from && j == to)) continue;
      depths[j] = depths[i] + 1;
      queue.push_back(j);
      if (j == to) found = depths[j];
    }
  }
  for (const NodeIndex i : queue) depths[i] = kUnseen;
  return found;
}

}  // namespace

GraphShape::~GraphShape() {
  for (std::vector<NodeIndex>* nodes :
       {&originals_, &entries_, &places_, &out_entries_, &queue_, &shape_memory_.nodes, &shape_memory_.marks}) {
    wipe(*nodes);
  }
  for (std::vector<std::uint32_t>* counts :
       {&offsets_, &out_offsets_, &cores_, &depths_, &shape_memory_.starts, &shape_memory_.places}) {
    wipe(*counts);
  }
  for (std::vector<double>* values :
       {&degrees_, &log_degrees_, &log_neighbour_degrees_, &log_second_degrees_, &out_degrees_}) {
    wipe(*values);
  }
  wipe(triangles_);
  wipe(cycle_lengths_);
  for (std::vector<double>& pad : numbers_) wipe(pad);
  for (std::vector<std::uint64_t>& pad : words_) wipe(pad);
  for (std::vector<NodeIndex>& pad : indices_) wipe(pad);
}

void GraphShape::look_at(const Graph& graph, bool edges) {
  graph_ = &graph;
  originals_.clear();
  log_degrees_.clear();
  log_neighbour_degrees_.clear();
  log_second_degrees_.clear();
  triangles_.clear();
  cores_.clear();
  cycles_known_ = false;
  image_known_ = false;
  out_degrees_.clear();
  rows_ = {};
  if (!edges) return;
  const bool whole = graph.living_node_count() == graph.node_count();
  if (whole && !graph.directed()) {
    rows_ = {graph.offsets(), graph.entries()};
  } else {
    copy_rows();
  }
}

// Without directions and without tombstones.  A tombstone has no edges.
void GraphShape::copy_rows() {
  const std::size_t n = graph_->node_count();
  places_.resize(n);
  for (NodeIndex i = 0; i < n; ++i) {
    places_[i] = static_cast<NodeIndex>(originals_.size());
    if (graph_->state(i) != NodeState::kTombstone) originals_.push_back(i);
  }
  // The rows of the other direction.  Rows are visited in ascending order, so these rows ascend too.
  out_offsets_.assign(n + 1, 0);
  out_entries_.resize(graph_->directed() ? graph_->entry_count() : 0);
  if (graph_->directed()) {
    for (const NodeIndex from : graph_->entries()) ++out_offsets_[from + std::size_t{1}];
    for (std::size_t i = 1; i <= n; ++i) out_offsets_[i] += out_offsets_[i - 1];
    for (NodeIndex i = 0; i < n; ++i) {
      for (const NodeIndex from : graph_->neighbours(i)) out_entries_[out_offsets_[from]++] = i;
    }
    // Every start has moved to the start of the next row.
    for (std::size_t i = n; i > 0; --i) out_offsets_[i] = out_offsets_[i - 1];
    out_offsets_[0] = 0;
  }
  offsets_.assign(1, 0);
  entries_.clear();
  for (const NodeIndex i : originals_) {
    const std::span<const NodeIndex> in = graph_->neighbours(i);
    const auto out = std::span<const NodeIndex>(out_entries_)
                         .subspan(out_offsets_[i], out_offsets_[i + std::size_t{1}] - out_offsets_[i]);
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < in.size() || b < out.size()) {
      const bool from_in = b == out.size() || (a < in.size() && in[a] <= out[b]);
      const NodeIndex next = from_in ? in[a] : out[b];
      if (a < in.size() && in[a] == next) ++a;
      if (b < out.size() && out[b] == next) ++b;
      entries_.push_back(places_[next]);
    }
    offsets_.push_back(static_cast<std::uint32_t>(entries_.size()));
  }
  rows_ = {offsets_, entries_};
}

std::span<const double> GraphShape::log_degrees() {
  if (log_degrees_.empty()) {
    for (std::size_t i = 0; i < nodes(); ++i) log_degrees_.push_back(std::log1p(static_cast<double>(degree(i))));
  }
  return log_degrees_;
}

void GraphShape::mean_over_neighbours(std::span<const double> values, std::vector<double>& means) const {
  for (std::size_t i = 0; i < nodes(); ++i) {
    double sum = 0;
    for (const NodeIndex j : neighbours(i)) sum += values[j];
    means.push_back(degree(i) == 0 ? 0 : sum / static_cast<double>(degree(i)));
  }
}

std::span<const double> GraphShape::log_neighbour_degrees() {
  if (log_neighbour_degrees_.empty()) {
    degrees_.clear();
    for (std::size_t i = 0; i < nodes(); ++i) degrees_.push_back(static_cast<double>(degree(i)));
    mean_over_neighbours(degrees_, log_neighbour_degrees_);
    for (double& value : log_neighbour_degrees_) value = std::log1p(value);
  }
  return log_neighbour_degrees_;
}

std::span<const double> GraphShape::log_second_degrees() {
  if (log_second_degrees_.empty()) mean_over_neighbours(log_neighbour_degrees(), log_second_degrees_);
  return log_second_degrees_;
}

std::span<const std::uint64_t> GraphShape::triangles() {
  if (triangles_.empty()) count_triangles(rows_, shape_memory_, triangles_);
  return triangles_;
}

std::span<const std::uint32_t> GraphShape::cores() {
  if (cores_.empty()) find_cores(rows_, shape_memory_, cores_);
  return cores_;
}

std::span<const std::uint8_t> GraphShape::cycle_lengths() {
  if (cycles_known_) return cycle_lengths_;
  cycles_known_ = true;
  const auto n = static_cast<NodeIndex>(nodes());
  const std::span<const std::uint32_t> core = cores();
  cycle_lengths_.assign(rows_.entries.size(), 0);
  depths_.assign(n, kUnseen);
  std::vector<NodeIndex>& linked_to = shape_memory_.marks;  // by node: the last i that has it as a neighbour
  linked_to.assign(n, n);
  for (NodeIndex i = 0; i < n; ++i) {
    for (const NodeIndex j : neighbours(i)) linked_to[j] = i;
    for (std::uint32_t at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at) {
      const NodeIndex j = rows_.entries[at];
      if (j < i || core[i] < 2 || core[j] < 2) continue;
      const std::span<const NodeIndex> around = neighbours(j);
      const bool triangle = std::any_of(around.begin(), around.end(), [&](NodeIndex k) { return linked_to[k] == i; });
      const std::uint32_t around_it = triangle ? 2 : detour(rows_, core, i, j, kLongestCycle - 1, depths_, queue_);
      if (around_it == kUnseen) continue;
      const auto length = static_cast<std::uint8_t>(around_it + 1);
      cycle_lengths_[at] = length;
      const auto back = std::lower_bound(around.begin(), around.end(), i) - around.begin();
      cycle_lengths_[rows_.offsets[j] + static_cast<std::size_t>(back)] = length;
    }
  }
  return cycle_lengths_;
}

std::span<const double> GraphShape::out_degrees() {
  if (out_degrees_.empty()) {
    out_degrees_.assign(graph_->node_count(), 0.0);
    for (const NodeIndex from : graph_->entries()) out_degrees_[from] += 1;
  }
  return out_degrees_;
}

ImageShape& GraphShape::image() {
  if (!image_known_) image_.look_at(*graph_);
  image_known_ = true;
  return image_;
}

void GraphShape::set_image(const Drawing& drawing, std::size_t view) {
  image_known_ = true;
  image_.look_at(*graph_, [&](NodeIndex i) {
    const auto [row, column] = drawing.place(originals_.empty() ? i : places_[i], view);
    return std::array{row, column};
  });
}

std::span<double> GraphShape::numbers(std::size_t pad, std::size_t count) {
  numbers_[pad].assign(count, 0.0);
  return numbers_[pad];
}
std::span<std::uint64_t> GraphShape::words(std::size_t pad, std::size_t count) {
  words_[pad].assign(count, 0);
  return words_[pad];
}
std::span<NodeIndex> GraphShape::indices(std::size_t pad, std::size_t count) {
  indices_[pad].assign(count, 0);
  return indices_[pad];
}

}  // namespace unscatter
