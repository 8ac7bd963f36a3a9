#include "graph/readers/jsonl_line.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "graph/readers/text_scanner.h"

namespace unscatter::readers {
namespace {

// In the order of kKeys, which key_name() relies on.
enum class Key { kId, kLabel, kNodes, kEdges, kFeatures, kNodeLabels, kPositions, kDirected, kStates };
constexpr std::array<std::pair<std::string_view, Key>, 9> kKeys = {{{"id", Key::kId},
                                                                    {"label", Key::kLabel},
                                                                    {"nodes", Key::kNodes},
                                                                    {"edges", Key::kEdges},
                                                                    {"features", Key::kFeatures},
                                                                    {"node_labels", Key::kNodeLabels},
                                                                    {"positions", Key::kPositions},
                                                                    {"directed", Key::kDirected},
                                                                    {"states", Key::kStates}}};

std::string_view key_name(Key key) { return kKeys[static_cast<std::size_t>(key)].first; }

// Receives the events of the parser and puts each value where it belongs.  No document tree is built: the tree of a
// hostile line would take a hundred times its bytes.  Every handler returns false to stop, and sets message_ before.
class LineHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  // Called when the whole line has been parsed.  Checks what only the complete line can tell.
  Result<JsonlGraph> finish(std::size_t line_bytes) {
    if (!message_.empty()) return Error{ErrorCode::kMalformedInput, message_};
    for (const Key key : {Key::kLabel, Key::kNodes, Key::kEdges}) {
      if (!has(key)) return Error{ErrorCode::kMalformedInput, fmt::format("\"{}\" is missing", key_name(key))};
    }
    GraphParts& parts = graph_.parts;
    // A list of ids pays for its nodes with bytes.  A bare count costs nothing, so it is limited by the line.
    if (parts.node_ids.empty() && parts.node_count > kFreeNodes + line_bytes) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("\"nodes\": {} nodes in a line of {} bytes", parts.node_count, line_bytes)};
    }
    for (const auto& [key, rows] :
         {std::pair(Key::kFeatures, feature_rows_), std::pair(Key::kPositions, position_rows_),
          std::pair(Key::kNodeLabels, parts.labels.size()), std::pair(Key::kStates, parts.states.size())}) {
      if (has(key) && rows != parts.node_count) {
        return Error{ErrorCode::kMalformedInput,
                     fmt::format("\"{}\": {} entries for {} nodes", key_name(key), rows, parts.node_count)};
      }
    }
    // Keys come in any order, so the number of nodes may be known only after the edges.
    for (const Edge& edge : parts.edges) {
      if (edge.from >= parts.node_count || edge.to >= parts.node_count) {
        return Error{ErrorCode::kMalformedInput,
                     fmt::format("edge [{},{}] in a graph of {} nodes", edge.from, edge.to, parts.node_count)};
      }
    }
    return std::move(graph_);
  }

  // No key takes null.  Exporters write it for missing values, and a missing value is not a zero.
  bool null() override { return refuse("null"); }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool boolean(bool value) override {
    if (depth_ != 1 || key_ != Key::kDirected) return refuse(value ? "true" : "false");
    graph_.parts.directed = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    // Ids and labels may be numbers in the file.  They are kept as text, as all ids are.
    if (depth_ == 1 && key_ == Key::kId) return set_id(std::to_string(value));
    if (depth_ == 1 && key_ == Key::kLabel) return set_label(std::to_string(value));
    if (depth_ == 2 && key_ == Key::kNodes) return add_node_id(std::to_string(value));
    if (depth_ == 2 && key_ == Key::kNodeLabels) return graph_.parts.labels.push_back(value), true;
    if (depth_ == 3 && is_real()) return add_real(static_cast<double>(value));
    return refuse(std::to_string(value));
  }
  // The parser reports integers >= 0 here and negative ones above.  Counts and edge ends are never negative, so only
  // this function takes them.
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && key_ == Key::kNodes) return set_node_count(value);
    if (depth_ == 3 && key_ == Key::kEdges) return add_edge_end(value);
    if (depth_ == 3 && is_real()) return add_real(static_cast<double>(value));
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return refuse(std::to_string(value));
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return depth_ == 3 && is_real() ? add_real(value) : refuse(text);
  }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == Key::kId) return set_id(std::move(value));
    if (depth_ == 1 && key_ == Key::kLabel) return set_label(std::move(value));
    if (depth_ == 2 && key_ == Key::kNodes) return add_node_id(std::move(value));
    if (depth_ == 2 && key_ == Key::kStates) return add_state(value);
    return refuse(excerpt(value));
  }

  bool start_object(std::size_t) override {
    if (depth_ != 0) return refuse("an object");
    depth_ = 1;
    return true;
  }
  bool end_object() override {
    depth_ = 0;
    return true;
  }
  bool key(string_t& name) override {
    for (const auto& [known, key] : kKeys) {
      if (name != known) continue;
      // JSON does not say which of two equal keys counts.  Readers that disagree would see different graphs.
      if (has(key)) return fail(fmt::format("\"{}\" occurs twice", known));
      seen_[static_cast<std::size_t>(key)] = true;
      key_ = key;
      return true;
    }
    // A misspelt key would otherwise drop its data in silence.
    return fail(fmt::format("unknown key {}", excerpt(name)));
  }
  // Only edges, features and positions hold lists of lists.  Everything deeper is refused at once, however deep a line
  // is.
  bool start_array(std::size_t) override {
    const bool holds_rows = key_ == Key::kEdges || is_real();
    const bool holds_values = key_ == Key::kNodes || key_ == Key::kNodeLabels || key_ == Key::kStates;
    if (!(depth_ == 1 && (holds_rows || holds_values)) && !(depth_ == 2 && holds_rows)) return refuse("a list");
    ++depth_;
    columns_ = 0;
    return true;
  }
  bool end_array() override {
    --depth_;
    if (depth_ == 2) return end_row();
    if (key_ == Key::kNodes && graph_.parts.node_count == 0) return fail("\"nodes\" is an empty list");
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    // Numbers out of range come here too, with the number 406.  Everything else is broken syntax.
    return fail(error.id == 406 ? fmt::format("byte {}: a number too large", position)
                                : fmt::format("byte {}: not valid JSON", position));
  }

 private:
  [[nodiscard]] bool has(Key key) const { return seen_[static_cast<std::size_t>(key)]; }
  [[nodiscard]] bool is_real() const { return key_ == Key::kFeatures || key_ == Key::kPositions; }
  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool refuse(std::string_view value) {
    if (depth_ == 0) return fail(fmt::format("{} instead of an object", value));
    return fail(fmt::format("\"{}\" does not take {} there", key_name(key_), value));
  }

  bool set_id(std::string id) {
    if (id.empty()) return fail("\"id\" is empty");
    graph_.id = std::move(id);
    return true;
  }
  bool set_label(std::string label) {
    if (label.empty()) return fail("\"label\" is empty");
    graph_.label = std::move(label);
    return true;
  }
  bool set_node_count(std::uint64_t count) {
    if (count == 0) return fail("\"nodes\": a graph needs at least one node");
    graph_.parts.node_count = count;
    return true;
  }
  bool add_node_id(std::string id) {
    graph_.parts.node_ids.push_back(std::move(id));
    ++graph_.parts.node_count;
    return true;
  }
  bool add_state(std::string_view name) {
    for (const NodeState state : {NodeState::kPresent, NodeState::kFeatureless, NodeState::kTombstone}) {
      if (name == node_state_name(state)) return graph_.parts.states.push_back(state), true;
    }
    return refuse(excerpt(name));
  }
  bool add_edge_end(std::uint64_t end) {
    // Refused before it is cut to 32 bits, where it could become a valid node.
    if (end >= std::numeric_limits<NodeIndex>::max()) return refuse(std::to_string(end));
    // A third end is counted but not stored; end_row() refuses the edge.
    if (columns_ < 2) ends_[columns_] = static_cast<NodeIndex>(end);
    ++columns_;
    return true;
  }
  bool add_real(double value) {
    (key_ == Key::kFeatures ? graph_.parts.attributes : graph_.parts.positions).push_back(value);
    ++columns_;
    return true;
  }

  // Called when a row of "edges", "features" or "positions" is complete.
  bool end_row() {
    if (key_ == Key::kEdges) {
      if (columns_ != 2) return fail(fmt::format("an edge with {} ends", columns_));
      graph_.parts.edges.push_back({ends_[0], ends_[1]});
    } else if (key_ == Key::kPositions) {
      if (columns_ != 2)
        return fail(fmt::format("\"positions\": row {} has {} numbers, not 2", position_rows_, columns_));
      ++position_rows_;
    } else {
      if (columns_ == 0) return fail(fmt::format("\"features\": row {} is empty", feature_rows_));
      // The first row sets the width.  The values of all rows follow one another, so every row must have this width.
      if (feature_rows_ == 0) graph_.parts.attribute_count = columns_;
      if (columns_ != graph_.parts.attribute_count) {
        return fail(fmt::format("\"features\": row {} has {} numbers where the first has {}", feature_rows_, columns_,
                                graph_.parts.attribute_count));
      }
      ++feature_rows_;
    }
    return true;
  }

  JsonlGraph graph_;
  std::string message_;
  std::array<bool, kKeys.size()> seen_{};
  Key key_ = Key::kId;
  int depth_ = 0;  // 1 inside the object, 2 inside a list, 3 inside a row of a list
  std::size_t columns_ = 0;
  std::array<NodeIndex, 2> ends_{};
  std::size_t feature_rows_ = 0;
  std::size_t position_rows_ = 0;
};

}  // namespace

Result<JsonlGraph> parse_jsonl_line(std::string_view line) {
  // The parser takes a zero byte for the end and would ignore what follows.
  if (const std::size_t zero = line.find('\0'); zero != std::string_view::npos) {
    return Error{ErrorCode::kMalformedInput, fmt::format("byte {}: not valid JSON", zero + 1)};
  }
  LineHandler handler;
  static_cast<void>(nlohmann::json::sax_parse(line.begin(), line.end(), &handler));  // the handler holds the outcome
  return handler.finish(line.size());
}

std::string_view node_state_name(NodeState state) noexcept {
  switch (state) {
    case NodeState::kPresent: return "present";
    case NodeState::kFeatureless: return "featureless";
    case NodeState::kTombstone: return "tombstone";
  }
  return "unknown";
}

}  // namespace unscatter::readers
