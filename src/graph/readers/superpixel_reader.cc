// What a hostile file could do: give offsets that descend or point outside, arrays of other lengths than the offsets
// say, or neighbours that do not exist.  check() comes before the first index is used.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "graph/readers/archive.h"
#include "graph/readers/entry_points.h"
#include "graph/readers/graph_builder.h"
#include "graph/readers/npy.h"
#include "unscatter/graph/read.h"

namespace unscatter::readers {
namespace {

// A neighbour is coded as a difference modulo 256.  So a graph has at most 256 nodes.
constexpr std::size_t kMostNodes = 256;

// The members of the archive and their types (docs/data-formats.md).  Anything else is refused, since numbers of
// another type would be read as garbage.
enum Member : std::size_t { kNodeOffsets, kLabels, kX, kPos, kNeighbours, kMemberCount };
struct MemberForm {
  std::string_view file;
  std::string_view type;
  std::size_t item_bytes;
  std::size_t dimensions;
};
constexpr std::array<MemberForm, kMemberCount> kForms = {{{"node_offsets.npy", "<i4", 4, 1},
                                                          {"labels.npy", "|u1", 1, 1},
                                                          {"x.npy", "<f2", 2, 2},
                                                          {"pos.npy", "<f2", 2, 2},
                                                          {"nbr_delta.npy", "|u1", 1, 2}}};

// All 65536 half-precision numbers as doubles, so that a conversion is one load.  Constant after it was made.
const std::vector<double>& all_halves() {
  static const std::vector<double> table = [] {
    std::vector<double> values(std::size_t{1} << 16);
    for (std::size_t bits = 0; bits < values.size(); ++bits)
      values[bits] = half_to_double(static_cast<std::uint16_t>(bits));
    return values;
  }();
  return table;
}

class SuperpixelReader {
 public:
  SuperpixelReader(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), budget_(options.limits.max_bytes), halves_(all_halves()) {}

  Result<Dataset> read() {
    UNSCATTER_CHECK_OK(load());
    UNSCATTER_CHECK_OK(check());
    Dataset dataset;
    dataset.name = input_.stem();
    std::vector<std::string> raw;
    raw.reserve(graph_count_);
    for (const char label : arrays_[kLabels].bytes) raw.push_back(std::to_string(static_cast<unsigned char>(label)));
    ClassIndex classes = index_classes(raw);
    dataset.class_names = std::move(classes.class_names);
    dataset.labels = std::move(classes.labels);
    UNSCATTER_CHECK_OK(build_graphs(graph_count_, options_, dataset,
                                    [this](std::size_t g, Dropped& dropped) { return build(g, dropped); }));
    return dataset;
  }

 private:
  // Reads all arrays at the same time, since each member is a compressed stream of its own.
  Status load() {
    std::array<std::unique_ptr<ByteSource>, kMemberCount> sources;
    std::uint64_t claimed = 0;
    for (std::size_t m = 0; m < kMemberCount; ++m) {
      UNSCATTER_TRY(source, open_member(input_, kForms[m].file, budget_));
      claimed += source->claimed_size();
      sources[m] = std::move(source);
    }
    if (options_.progress != nullptr) options_.progress->begin("reading " + input_.stem(), claimed);
    std::array<Status, kMemberCount> outcomes = {ok_status(), ok_status(), ok_status(), ok_status(), ok_status()};
    parallel_for(kMemberCount, options_.threads, 1, [&](std::size_t k, std::size_t) {
      const std::size_t m = kMemberCount - 1 - k;  // the long arrays are last in the list and start first
      const MemberForm& form = kForms[m];
      Result<NpyArray> array = read_npy(*sources[m], form.type, form.item_bytes, form.dimensions, options_.progress);
      if (array.ok()) {
        arrays_[m] = std::move(array).value();
      } else {
        outcomes[m] = std::move(array).error();
      }
    });
    if (options_.progress != nullptr) options_.progress->end();
    // The first error in the order of members, whichever thread met one first.
    for (const Status& outcome : outcomes) UNSCATTER_CHECK_OK(outcome);
    return ok_status();
  }

  // Checks shapes and offsets.  After that build() may index without further checks.
  Status check() {
    const std::uint64_t offset_count = arrays_[kNodeOffsets].shape[0];
    if (offset_count < 2) return malformed(kNodeOffsets, fmt::format("{} offsets, not even one graph", offset_count));
    graph_count_ = static_cast<std::size_t>(offset_count) - 1;
    if (graph_count_ > options_.limits.max_graphs)
      return over_limit(graph_count_, "graphs", options_.limits.max_graphs);
    UNSCATTER_CHECK_OK(check_extent(kLabels, 0, graph_count_, "graphs"));

    offsets_.resize(graph_count_ + 1);
    // Copied and not cast: the bytes of an array need not be aligned for integers.
    std::memcpy(offsets_.data(), arrays_[kNodeOffsets].bytes.data(), arrays_[kNodeOffsets].bytes.size());
    if (offsets_.front() != 0)
      return malformed(kNodeOffsets, fmt::format("the first offset is {}, not 0", offsets_.front()));
    for (std::size_t g = 0; g < graph_count_; ++g) {
      // In 64 bits: the difference of two hostile 32-bit numbers may overflow.
      const std::int64_t nodes = std::int64_t{offsets_[g + 1]} - offsets_[g];
      // Also refuses offsets that descend, which would make a graph overlap the one before.
      if (nodes < 1) return malformed(kNodeOffsets, fmt::format("graph {} has {} nodes", g, nodes));
      if (nodes > std::int64_t{kMostNodes}) {
        return malformed(kNodeOffsets, fmt::format("graph {} has {} nodes, more than {}", g, nodes, kMostNodes));
      }
    }
    const auto node_count = static_cast<std::uint64_t>(offsets_.back());
    if (node_count > options_.limits.max_nodes) return over_limit(node_count, "nodes", options_.limits.max_nodes);
    for (const Member member : {kX, kPos, kNeighbours})
      UNSCATTER_CHECK_OK(check_extent(member, 0, node_count, "nodes"));
    UNSCATTER_CHECK_OK(check_extent(kPos, 1, 2, "coordinates"));
    // One byte per neighbour, so the number of bytes is the number of edges.
    const std::uint64_t edge_count = arrays_[kNeighbours].bytes.size();
    if (edge_count > options_.limits.max_edges) return over_limit(edge_count, "edges", options_.limits.max_edges);
    return ok_status();
  }

  [[nodiscard]] Status check_extent(Member member, std::size_t dimension, std::uint64_t expected,
                                    const char* what) const {
    const std::uint64_t extent = arrays_[member].shape[dimension];
    if (extent != expected) return malformed(member, fmt::format("{} entries for {} {}", extent, expected, what));
    return ok_status();
  }

  Result<Graph> build(std::size_t g, Dropped& dropped) {
    const auto first = static_cast<std::size_t>(offsets_[g]);
    GraphParts parts;
    parts.node_count = static_cast<std::size_t>(offsets_[g + 1]) - first;
    // Each node names its nearest neighbours, which need not name it: the graph is directed unless the caller wants it
    // otherwise.
    parts.directed = !options_.symmetrise;
    parts.attribute_count = static_cast<std::size_t>(arrays_[kX].shape[1]);
    parts.attributes = halves(kX, first, parts.node_count);
    parts.positions = halves(kPos, first, parts.node_count);
    const auto width = static_cast<std::size_t>(arrays_[kNeighbours].shape[1]);
    parts.edges.reserve(parts.node_count * width);
    const char* delta = arrays_[kNeighbours].bytes.data() + first * width;
    for (std::size_t i = 0; i < parts.node_count; ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        // The difference is stored modulo 256.  An impossible one leaves the range of nodes and is found below.
        const std::size_t neighbour = (i + static_cast<unsigned char>(*delta++)) % kMostNodes;
        if (neighbour >= parts.node_count) {
          return malformed(kNeighbours, fmt::format("graph {}, node {}: neighbour {} of {} nodes", g, i, neighbour,
                                                    parts.node_count));
        }
        parts.edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(neighbour)});
      }
    }
    Result<Graph> graph = build_graph(std::move(parts), dropped);
    if (graph.ok()) return graph;
    return Error{graph.error().code, fmt::format("{}: graph {}: {}", input_.name, g, graph.error().message)};
  }

  [[nodiscard]] std::vector<double> halves(Member member, std::size_t first_node, std::size_t nodes) const {
    const auto width = static_cast<std::size_t>(arrays_[member].shape[1]);
    std::vector<double> values(nodes * width);
    const char* next = arrays_[member].bytes.data() + 2 * first_node * width;
    for (double& value : values) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, next, sizeof bits);
      next += sizeof bits;
      value = halves_[bits];
    }
    return values;
  }

  [[nodiscard]] Error malformed(Member member, const std::string& message) const {
    return {ErrorCode::kMalformedInput, fmt::format("{}/{}: {}", input_.name, kForms[member].file, message)};
  }
  [[nodiscard]] Error over_limit(std::uint64_t count, const char* what, std::uint64_t limit) const {
    return {ErrorCode::kLimitExceeded,
            fmt::format("{}: {} {}, more than the {} that the limits allow", input_.name, count, what, limit)};
  }

  const Input& input_;
  const ReadOptions& options_;
  ByteBudget budget_;
  const std::vector<double>& halves_;
  std::array<NpyArray, kMemberCount> arrays_;
  std::vector<std::int32_t> offsets_;
  std::size_t graph_count_ = 0;
};

}  // namespace

Result<Dataset> read_superpixels(const Input& input, const ReadOptions& options) {
  return without_exceptions(input.name, [&] { return SuperpixelReader(input, options).read(); });
}

}  // namespace unscatter::readers

namespace unscatter {

Result<Dataset> read_superpixels(const std::filesystem::path& path, const ReadOptions& options) {
  return readers::read_superpixels(readers::Input::file(path), options);
}

}  // namespace unscatter
