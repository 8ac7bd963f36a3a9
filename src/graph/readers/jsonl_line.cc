#include "graph/readers/jsonl_line.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utc_time.h"
#include "graph/readers/text_scanner.h"

namespace unscatter::readers {
namespace {

// In the order of kKeys, which key_name() relies on.
enum class Key {
  kId,
  kLabel,
  kNodes,
  kEdges,
  kFeatures,
  kNodeLabels,
  kPositions,
  kDirected,
  kStates,
  kExpires,
  kNodeExpires
};
constexpr std::array<std::pair<std::string_view, Key>, 11> kKeys = {{{"id", Key::kId},
                                                                     {"label", Key::kLabel},
                                                                     {"nodes", Key::kNodes},
                                                                     {"edges", Key::kEdges},
                                                                     {"features", Key::kFeatures},
                                                                     {"node_labels", Key::kNodeLabels},
                                                                     {"positions", Key::kPositions},
                                                                     {"directed", Key::kDirected},
                                                                     {"states", Key::kStates},
                                                                     {"expires", Key::kExpires},
                                                                     {"node_expires", Key::kNodeExpires}}};

std::string_view key_name(Key key) { return kKeys[static_cast<std::size_t>(key)].first; }

// What each key takes, in the order of kKeys: the cure in a message about a wrong value.
constexpr std::array<std::string_view, kKeys.size()> kTakes = {
    "text or an integer",
    "text or an integer",
    "a number of nodes, or a list of their ids (text or integers)",
    "a list of [u,v] or [u,v,weight]; u and v are the positions of nodes, counted from 0",
    "one list of numbers per node",
    "one integer per node",
    "one pair of numbers per node",
    "true or false",
    "\"present\", \"featureless\" or \"tombstone\", one per node",
    "a date such as \"2027-03-01\", or a time in UTC such as \"2027-03-01T12:00:00Z\"",
    "one date such as \"2027-03-01\" per node, or null"};

// Words that other programs write where JSON has none, and what to do about each.
struct ForeignWord {
  std::string_view word;
  std::string_view cure;
};
constexpr std::array<ForeignWord, 9> kForeignWords = {
    {{"NaN", "JSON has no such number; put a number there, or leave the graph out"},
     {"nan", "JSON has no such number; put a number there, or leave the graph out"},
     {"Infinity", "JSON has no such number; put a finite number there, or leave the graph out"},
     {"inf", "JSON has no such number; put a finite number there, or leave the graph out"},
     {"-Infinity", "JSON has no such number; put a finite number there, or leave the graph out"},
     {"-inf", "JSON has no such number; put a finite number there, or leave the graph out"},
     {"True", "JSON writes it as true"},
     {"False", "JSON writes it as false"},
     {"None", "JSON writes it as null; leave the key out instead"}}};

// What is wrong at the byte where the parser stopped (counted from 1), and what to do.
std::string broken_syntax(std::string_view line, std::size_t position) {
  if (position == 0 || position > line.size()) {
    return fmt::format("byte {}: the line ends before its JSON object does; write every graph on one line",
                       line.size() + 1);
  }
  const std::size_t at = position - 1;
  // The parser takes a minus sign, and the n of "null", before it stops at what is behind it.
  for (const std::size_t back : {std::size_t{1}, std::size_t{0}}) {
    if (back > at) continue;
    for (const auto& [word, cure] : kForeignWords) {
      if (back < word.size() && line.substr(at - back).starts_with(word))
        return fmt::format("byte {}: {} stands there; {}", at - back + 1, word, cure);
    }
  }
  const char c = line[at];
  if (static_cast<unsigned char>(c) >= 0x80) {
    return fmt::format("byte {}: not valid JSON: this is no UTF-8 text; save the file as UTF-8", position);
  }
  if (c == '\'') return fmt::format("byte {}: not valid JSON: a single quote; write double quotes", position);
  const std::size_t before = line.substr(0, at).find_last_not_of(" \t");
  if ((c == ']' || c == '}') && before != std::string_view::npos && line[before] == ',') {
    return fmt::format("byte {}: not valid JSON: a comma before '{}'; take it out", before + 1, c);
  }
  constexpr std::size_t kShown = 20;
  return fmt::format("byte {}: not valid JSON at {}; write every graph as one JSON object on one line", position,
                     excerpt(line.substr(at, kShown)));
}

// Receives the events of the parser and puts each value where it belongs.  No document tree is built: the tree of a
// hostile line would take a hundred times its bytes.  Every handler returns false to stop, and sets message_ before.
class LineHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit LineHandler(std::string_view line) : line_(line) {}

  // Called when the whole line has been parsed.  Checks what only the complete line can tell.
  Result<JsonlGraph> finish(std::size_t line_bytes) {
    if (!message_.empty()) return Error{ErrorCode::kMalformedInput, message_};
    for (const Key key : {Key::kNodes, Key::kEdges}) {
      if (!has(key)) {
        return Error{ErrorCode::kMalformedInput, fmt::format("\"{}\" is missing; it takes {}", key_name(key),
                                                             kTakes[static_cast<std::size_t>(key)])};
      }
    }
    GraphParts& parts = graph_.parts;
    // A list of ids pays for its nodes with bytes.  A bare count costs nothing, so it is limited by the line.
    if (parts.node_ids.empty() && parts.node_count > kFreeNodes + line_bytes) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("\"nodes\": {} nodes in a line of {} bytes", parts.node_count, line_bytes)};
    }
    for (const auto& [key, rows] :
         {std::pair(Key::kFeatures, feature_rows_), std::pair(Key::kPositions, position_rows_),
          std::pair(Key::kNodeLabels, parts.labels.size()), std::pair(Key::kStates, parts.states.size()),
          std::pair(Key::kNodeExpires, graph_.node_expires.size())}) {
      if (has(key) && rows != parts.node_count) {
        return Error{ErrorCode::kMalformedInput,
                     fmt::format("\"{}\": {} entries for {} nodes", key_name(key), rows, parts.node_count)};
      }
    }
    // The date is that of a subject, and a subject is known by its id.
    if (has(Key::kNodeExpires) && parts.node_ids.empty()) {
      return Error{ErrorCode::kMalformedInput,
                   "\"node_expires\" is there, but the nodes have no ids; write \"nodes\" as a list of ids"};
    }
    // Keys come in any order, so the number of nodes may be known only after the edges.
    for (const Edge& edge : parts.edges) {
      if (edge.from >= parts.node_count || edge.to >= parts.node_count) {
        return Error{
            ErrorCode::kMalformedInput,
            fmt::format("edge [{},{}] in a graph of {} nodes; its ends are the positions of nodes, from 0 to {}",
                        edge.from, edge.to, parts.node_count, parts.node_count - 1)};
      }
    }
    return std::move(graph_);
  }

  // Exporters write null for missing values.  A graph may lack its label and a due date; for everything else a missing
  // value is not a zero.
  bool null() override {
    if (depth_ == 1 && (key_ == Key::kLabel || key_ == Key::kExpires)) return true;
    if (depth_ == 2 && key_ == Key::kNodeExpires) return graph_.node_expires.emplace_back(), true;
    return refuse("null");
  }
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
    if (depth_ == 3 && takes_real()) return add_real(static_cast<double>(value));
    return refuse(std::to_string(value));
  }
  // The parser reports integers >= 0 here and negative ones above.  Counts and edge ends are never negative, so only
  // this function takes them.
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && key_ == Key::kNodes) return set_node_count(value);
    if (depth_ == 3 && key_ == Key::kEdges && columns_ < 2) return add_edge_end(value);
    if (depth_ == 3 && takes_real()) return add_real(static_cast<double>(value));
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return refuse(std::to_string(value));
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return depth_ == 3 && takes_real() ? add_real(value) : refuse(text);
  }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == Key::kId) return set_id(std::move(value));
    if (depth_ == 1 && key_ == Key::kLabel) return set_label(std::move(value));
    if (depth_ == 2 && key_ == Key::kNodes) return add_node_id(std::move(value));
    if (depth_ == 2 && key_ == Key::kStates) return add_state(value);
    if (depth_ == 1 && key_ == Key::kExpires) return set_date(value, graph_.expires);
    if (depth_ == 2 && key_ == Key::kNodeExpires) return set_date(value, graph_.node_expires.emplace_back());
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
      if (has(key)) return fail(fmt::format("\"{}\" occurs twice; leave one of the two out", known));
      seen_[static_cast<std::size_t>(key)] = true;
      key_ = key;
      return true;
    }
    // A misspelt key would otherwise drop its data in silence.
    std::string known;
    for (const auto& [key_text, key] : kKeys) known += fmt::format("{}{}", known.empty() ? "" : ", ", key_text);
    return fail(fmt::format("unknown key {}; the keys are {}", excerpt(name), known));
  }
  // Only edges, features and positions hold lists of lists.  Everything deeper is refused at once, however deep a line
  // is.
  bool start_array(std::size_t) override {
    const bool holds_rows = key_ == Key::kEdges || is_real();
    const bool holds_values =
        key_ == Key::kNodes || key_ == Key::kNodeLabels || key_ == Key::kStates || key_ == Key::kNodeExpires;
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
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) override {
    // Numbers out of range come here too, with the number 406.  Everything else is broken syntax.
    return fail(error.id == 406 ? fmt::format("byte {}: {} is a number too large; numbers go up to 1.7e308", position,
                                              excerpt(token))
                                : broken_syntax(line_, position));
  }

 private:
  [[nodiscard]] bool has(Key key) const { return seen_[static_cast<std::size_t>(key)]; }
  [[nodiscard]] bool is_real() const { return key_ == Key::kFeatures || key_ == Key::kPositions; }
  // The third number of an edge is its weight.
  [[nodiscard]] bool takes_real() const { return is_real() || (key_ == Key::kEdges && columns_ >= 2); }
  bool fail(std::string message) {
    message_ = std::move(message);
    return false;
  }
  bool refuse(std::string_view value) {
    if (depth_ == 0) return fail(fmt::format("{} instead of an object", value));
    return fail(fmt::format("\"{}\" does not take {} there; it takes {}", key_name(key_), value,
                            kTakes[static_cast<std::size_t>(key_)]));
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
  bool set_date(std::string_view text, std::optional<std::int64_t>& date) {
    const Result<std::int64_t> parsed = parse_utc(text);
    // A date that is misread would keep people longer than agreed.
    if (!parsed.ok()) return refuse(excerpt(text));
    date = *parsed;
    return true;
  }
  bool add_edge_end(std::uint64_t end) {
    // Refused before it is cut to 32 bits, where it could become a valid node.
    if (end >= std::numeric_limits<NodeIndex>::max()) return refuse(std::to_string(end));
    ends_[columns_++] = static_cast<NodeIndex>(end);
    return true;
  }
  bool add_real(double value) {
    if (key_ == Key::kEdges) {
      // A fourth number is counted but not stored; end_row() refuses the edge.
      if (columns_++ == 2) graph_.parts.weights.push_back(value);
      return true;
    }
    (key_ == Key::kFeatures ? graph_.parts.attributes : graph_.parts.positions).push_back(value);
    ++columns_;
    return true;
  }

  // Called when a row of "edges", "features" or "positions" is complete.
  bool end_row() {
    if (key_ == Key::kEdges) return end_edge();
    if (key_ == Key::kPositions) {
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

  bool end_edge() {
    GraphParts& parts = graph_.parts;
    const std::size_t edge = parts.edges.size();
    if (columns_ < 2 || columns_ > 3) {
      return fail(fmt::format("edge {} of the list has {} numbers; write [u,v] or [u,v,weight]", edge, columns_));
    }
    parts.edges.push_back({ends_[0], ends_[1]});
    // All edges of a graph have a weight, or none has.  Otherwise the edges that are left after a removal would show
    // that there was an edge of the other kind.
    if (!parts.weights.empty() && parts.weights.size() != parts.edges.size()) {
      return fail(
          fmt::format("edge {} of the list has {} weight, unlike those before; give all edges of a graph a weight, "
                      "or none",
                      edge, columns_ == 3 ? "a" : "no"));
    }
    if (columns_ == 3 && !(std::abs(parts.weights.back()) <= kMaxEdgeWeight)) {
      return fail(fmt::format("edge {} of the list: the weight {} is too large; weights go from -1e300 to 1e300", edge,
                              parts.weights.back()));
    }
    return true;
  }

  std::string_view line_;
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
    return Error{ErrorCode::kMalformedInput,
                 fmt::format("byte {}: not valid JSON: a zero byte; save the file as UTF-8 text", zero + 1)};
  }
  LineHandler handler(line);
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
