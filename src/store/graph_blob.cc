// The layout, all numbers little-endian; n nodes, m entries of all rows, c attributes per node:
//
//   u8   version: 2 with weights, 1 without, so that a program that knows no weights refuses them by the version
//   u8   which parts there are: 1 directed, 2 attributes, 4 labels, 8 positions, 16 node ids, 32 states, 64 weights
//   u32  n
//   u32  m
//   u32  c                   with attributes only
//   u32  n degrees
//   u32  m neighbours        row after row, both directions of an undirected edge
//   f64  m weights           with weights, in the order of the neighbours
//   f64  n c attributes      with attributes
//   i64  n labels            with labels
//   f64  2 n coordinates     with positions
//   u32  n lengths of ids    with node ids
//   u8   the ids             with node ids
//   u8   n states            with states: some node is not present
#include "store/graph_blob.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/wipe.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr std::uint8_t kPlainVersion = 1;
constexpr std::uint8_t kWeightedVersion = 2;

enum BlobPart : std::uint8_t {
  kBlobDirected = 1,
  kBlobAttributes = 2,
  kBlobLabels = 4,
  kBlobPositions = 8,
  kBlobNodeIds = 16,
  kBlobStates = 32,
  kBlobWeights = 64,
  kAllParts = 127,
};

bool has_states(const Graph& graph) {
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (graph.state(i) != NodeState::kPresent) return true;
  }
  return false;
}

std::uint8_t parts_of(const Graph& graph) {
  unsigned parts = 0;
  if (graph.directed()) parts |= kBlobDirected;
  if (graph.attribute_count() > 0) parts |= kBlobAttributes;
  if (graph.has_labels()) parts |= kBlobLabels;
  if (graph.has_positions()) parts |= kBlobPositions;
  if (graph.has_node_ids()) parts |= kBlobNodeIds;
  if (has_states(graph)) parts |= kBlobStates;
  if (graph.has_weights()) parts |= kBlobWeights;
  return static_cast<std::uint8_t>(parts);
}

class BlobWriter {
 public:
  explicit BlobWriter(std::size_t size) { bytes_.reserve(size); }

  void u8(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  // A count that does not fit would be cut off in silence, and the row would be lost at the next opening.
  void u32(std::size_t value) {
    invariant(value <= std::numeric_limits<std::uint32_t>::max(), "a graph beyond what its blob can count");
    little_endian(value, 4);
  }
  void i64(std::int64_t value) { little_endian(static_cast<std::uint64_t>(value), 8); }
  // Graphs that differ in the sign of a zero only compare equal.  So they get the same bytes, and the same digest under
  // one salt.
  void real(double value) { little_endian(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value), 8); }
  void text(const std::string& value) {
    const auto added = std::as_bytes(std::span(value));
    bytes_.insert(bytes_.end(), added.begin(), added.end());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void little_endian(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  std::vector<std::byte> bytes_;
};

// Never reads beyond the end.  It asks for no memory before the bytes that fill it are known to be there: a hostile
// count costs nothing.
class BlobReader {
 public:
  explicit BlobReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  // Divides, because count times width could overflow.
  [[nodiscard]] bool has(std::uint64_t count, std::size_t width) const { return count <= rest_.size() / width; }

  [[nodiscard]] std::uint64_t little_endian(std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= std::to_integer<std::uint64_t>(rest_[i]) << (8 * i);
    rest_ = rest_.subspan(width);
    return value;
  }
  // Whoever passes over bytes has asked has() before.
  void pass_over(std::size_t size) { rest_ = rest_.subspan(size); }
  [[nodiscard]] std::string_view view(std::size_t size) {
    const std::string_view value(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  [[nodiscard]] std::string text(std::size_t size) { return std::string(view(size)); }

  // `count` numbers of `width` bytes each; nothing if there are fewer bytes left.
  template <typename T, typename Convert>
  [[nodiscard]] bool numbers(std::uint64_t count, std::size_t width, std::vector<T>& values, const Convert& convert) {
    if (!has(count, width)) return false;
    values.reserve(count);
    for (std::uint64_t k = 0; k < count; ++k) values.push_back(convert(little_endian(width)));
    return true;
  }
  [[nodiscard]] bool integers(std::uint64_t count, std::vector<std::uint32_t>& values) {
    return numbers(count, 4, values, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); });
  }
  [[nodiscard]] bool reals(std::uint64_t count, std::vector<double>& values) {
    return numbers(count, 8, values, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  }

 private:
  std::span<const std::byte> rest_;
};

Error bad_blob(std::string_view what) { return {ErrorCode::kMalformedInput, fmt::format("a graph's bytes: {}", what)}; }
Error short_blob() { return bad_blob("they end too early"); }

// As GraphParts, but with rows instead of edges.
struct BlobContent {
  GraphParts parts;
  std::vector<std::uint32_t> offsets{0};
  std::vector<NodeIndex> neighbours;
};

Status read_rows(BlobReader& reader, std::uint64_t entries, BlobContent& content) {
  std::vector<std::uint32_t> degrees;
  if (!reader.integers(content.parts.node_count, degrees)) return short_blob();
  std::uint64_t sum = 0;
  content.offsets.reserve(degrees.size() + 1);
  // Checked at every step: `entries` has 32 bits, so an offset that passes the test fits too.
  for (const std::uint32_t degree : degrees) {
    sum += degree;
    if (sum > entries) return bad_blob("more neighbours than entries");
    content.offsets.push_back(static_cast<std::uint32_t>(sum));
  }
  if (sum != entries) return bad_blob("fewer neighbours than entries");
  if (!reader.integers(entries, content.neighbours)) return short_blob();
  return ok_status();
}

Status read_node_ids(BlobReader& reader, GraphParts& parts) {
  std::vector<std::uint32_t> lengths;
  if (!reader.integers(parts.node_count, lengths)) return short_blob();
  parts.node_ids.reserve(lengths.size());
  for (const std::uint32_t length : lengths) {
    if (!reader.has(length, 1)) return short_blob();
    parts.node_ids.push_back(reader.text(length));
  }
  return ok_status();
}

Status read_states(BlobReader& reader, GraphParts& parts) {
  if (!reader.numbers(parts.node_count, 1, parts.states,
                      [](std::uint64_t bits) { return static_cast<NodeState>(bits); })) {
    return short_blob();
  }
  // The cast above takes any byte.  A value outside the enumeration must not reach a switch.
  for (const NodeState state : parts.states) {
    if (state > NodeState::kTombstone) return bad_blob("an unknown node state");
  }
  return ok_status();
}

Status read_values(BlobReader& reader, unsigned flags, GraphParts& parts) {
  // Both counts were read from 32 bits, so their product fits 64.
  const std::uint64_t n = parts.node_count;
  if (!reader.reals(n * parts.attribute_count, parts.attributes)) return short_blob();
  const auto label = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  if ((flags & kBlobLabels) != 0 && !reader.numbers(n, 8, parts.labels, label)) return short_blob();
  if ((flags & kBlobPositions) != 0 && !reader.reals(2 * n, parts.positions)) return short_blob();
  if ((flags & kBlobNodeIds) != 0) UNSCATTER_CHECK_OK(read_node_ids(reader, parts));
  if ((flags & kBlobStates) != 0) UNSCATTER_CHECK_OK(read_states(reader, parts));
  return ok_status();
}

Result<BlobContent> read_content(BlobReader& reader) {
  if (!reader.has(10, 1)) return short_blob();
  const std::uint64_t version = reader.little_endian(1);
  if (version != kPlainVersion && version != kWeightedVersion) {
    return bad_blob(fmt::format("version {}, not {} or {}", version, kPlainVersion, kWeightedVersion));
  }
  const auto flags = static_cast<unsigned>(reader.little_endian(1));
  // A part of a later version.  To pass over it would lose what it says at the next write.
  if (flags > kAllParts) return bad_blob("an unknown part");
  if (((flags & kBlobWeights) != 0) != (version == kWeightedVersion)) {
    return bad_blob("the version does not fit the parts");
  }
  BlobContent content;
  content.parts.directed = (flags & kBlobDirected) != 0;
  content.parts.node_count = reader.little_endian(4);
  const std::uint64_t entries = reader.little_endian(4);
  if ((flags & kBlobAttributes) != 0) {
    if (!reader.has(1, 4)) return short_blob();
    content.parts.attribute_count = reader.little_endian(4);
  }
  UNSCATTER_CHECK_OK(read_rows(reader, entries, content));
  if ((flags & kBlobWeights) != 0 && !reader.reals(entries, content.parts.weights)) return short_blob();
  UNSCATTER_CHECK_OK(read_values(reader, flags, content.parts));
  // Bytes after the end would be kept and hashed, and no removal would look at them.
  if (!reader.done()) return bad_blob("they go on after the last part");
  return content;
}

void write_nodes(BlobWriter& writer, const Graph& graph) {
  const std::size_t n = graph.node_count();
  for (std::size_t i = 0; i < n; ++i) {
    for (const double value : graph.attributes(i)) writer.real(value);
  }
  for (std::size_t i = 0; graph.has_labels() && i < n; ++i) writer.i64(graph.label(i));
  for (std::size_t i = 0; graph.has_positions() && i < n; ++i) {
    for (const double value : graph.position(i)) writer.real(value);
  }
  for (std::size_t i = 0; graph.has_node_ids() && i < n; ++i) writer.u32(graph.node_id(i).size());
  for (std::size_t i = 0; graph.has_node_ids() && i < n; ++i) writer.text(graph.node_id(i));
}

// Exactly what to_blob() will write.  A vector that grew would leave copies of somebody's data in freed memory.
std::size_t blob_size(const Graph& graph, unsigned flags) {
  const std::size_t n = graph.node_count();
  std::size_t size = 10 + ((flags & kBlobAttributes) != 0 ? 4 : 0) + 4 * (n + graph.entry_count());
  size += 8 * graph.entry_weights().size();
  size += 8 * n * graph.attribute_count();
  if (graph.has_labels()) size += 8 * n;
  if (graph.has_positions()) size += 16 * n;
  for (std::size_t i = 0; graph.has_node_ids() && i < n; ++i) size += 4 + graph.node_id(i).size();
  return size + ((flags & kBlobStates) != 0 ? n : 0);
}

}  // namespace

std::vector<std::byte> to_blob(const Graph& graph) {
  const std::uint8_t flags = parts_of(graph);
  BlobWriter writer(blob_size(graph, flags));
  writer.u8(graph.has_weights() ? kWeightedVersion : kPlainVersion);
  writer.u8(flags);
  writer.u32(graph.node_count());
  writer.u32(graph.entry_count());
  if ((flags & kBlobAttributes) != 0) writer.u32(graph.attribute_count());
  for (std::size_t i = 0; i < graph.node_count(); ++i) writer.u32(graph.degree(i));
  for (const NodeIndex neighbour : graph.entries()) writer.u32(neighbour);
  for (const double weight : graph.entry_weights()) writer.real(weight);
  write_nodes(writer, graph);
  for (std::size_t i = 0; (flags & kBlobStates) != 0 && i < graph.node_count(); ++i) {
    writer.u8(static_cast<std::uint8_t>(graph.state(i)));
  }
  return writer.take();
}

Result<Graph> graph_from_blob(std::span<const std::byte> bytes) {
  BlobReader reader(bytes);
  UNSCATTER_TRY(content, read_content(reader));
  // Checks what a graph promises: neighbours in range, ascending, both directions, numbers that are finite.
  Result<Graph> graph =
      Graph::from_rows(std::move(content.parts), std::move(content.offsets), std::move(content.neighbours));
  if (!graph.ok()) return bad_blob(graph.error().message);
  // What has a second spelling is refused here: the sign of a zero, parts that say nothing, and everything like it.
  // Two spellings of one graph would be two digests.
  std::vector<std::byte> again = to_blob(*graph);
  const bool same = std::equal(again.begin(), again.end(), bytes.begin(), bytes.end());
  // One more copy of the graph.
  wipe(again);
  if (!same) return bad_blob("not spelled the way they are written");
  return graph;
}

Result<std::vector<std::string_view>> node_ids_in_blob(std::span<const std::byte> bytes) {
  BlobReader reader(bytes);
  if (!reader.has(10, 1)) return short_blob();
  reader.pass_over(1);
  const auto flags = static_cast<unsigned>(reader.little_endian(1));
  std::vector<std::string_view> ids;
  if ((flags & kBlobNodeIds) == 0) return ids;
  const std::uint64_t nodes = reader.little_endian(4);
  const std::uint64_t entries = reader.little_endian(4);
  std::uint64_t attributes = 0;
  if ((flags & kBlobAttributes) != 0) {
    if (!reader.has(1, 4)) return short_blob();
    attributes = reader.little_endian(4);
  }
  // Counts have 32 bits, so each of these products fits 64.
  for (const auto& [count, width] : {std::pair{nodes + entries, std::size_t{4}},
                                     std::pair{(flags & kBlobWeights) != 0 ? entries : 0, std::size_t{8}},
                                     std::pair{nodes * attributes, std::size_t{8}},
                                     std::pair{(flags & kBlobLabels) != 0 ? nodes : 0, std::size_t{8}},
                                     std::pair{(flags & kBlobPositions) != 0 ? nodes : 0, std::size_t{16}}}) {
    if (!reader.has(count, width)) return short_blob();
    reader.pass_over(count * width);
  }
  std::vector<std::uint32_t> lengths;
  if (!reader.integers(nodes, lengths)) return short_blob();
  ids.reserve(lengths.size());
  for (const std::uint32_t length : lengths) {
    if (!reader.has(length, 1)) return short_blob();
    ids.push_back(reader.view(length));
  }
  if ((flags & kBlobStates) == 0) return ids;
  if (!reader.has(nodes, 1)) return short_blob();
  std::size_t kept = 0;
  for (const std::string_view id : ids) {
    if (static_cast<NodeState>(reader.little_endian(1)) != NodeState::kTombstone) ids[kept++] = id;
  }
  ids.resize(kept);
  return ids;
}

}  // namespace unscatter
