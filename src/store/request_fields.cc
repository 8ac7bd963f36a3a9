#include "store/request_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "base/near_miss.h"
#include "store/request_json.h"

namespace unscatter {
namespace {

struct FieldsOfKind {
  std::string_view name;
  std::array<bool, kRequestFields.size()> takes;  // in the order of kRequestFields
};
constexpr std::array<FieldsOfKind, 5> kRequestKinds = {{{"features", {true, true, true, false, false, false}},
                                                        {"node", {true, true, true, false, false, false}},
                                                        {"edge", {true, true, false, true, true, false}},
                                                        {"graph", {true, true, false, false, false, false}},
                                                        {"subject", {true, false, false, false, false, true}}}};

// Words within a name that say what to forget, and the field that has this meaning.
struct MeaningWord {
  std::string_view word;
  std::string_view field;
};
constexpr std::array<MeaningWord, 12> kMeaningWords = {{{"graph", "graph"},
                                                        {"graphs", "graph"},
                                                        {"node", "node"},
                                                        {"nodes", "node"},
                                                        {"vertex", "node"},
                                                        {"vertices", "node"},
                                                        {"edge", "from"},
                                                        {"edges", "from"},
                                                        {"feature", "forget"},
                                                        {"features", "forget"},
                                                        {"subject", "id"},
                                                        {"subjects", "id"}}};
constexpr std::array<std::string_view, 9> kPartWords = {"user",   "member", "person", "customer", "account",
                                                        "source", "target", "src",    "dst"};
// One letter away from a known field, and in use in lists of requests.
constexpr std::array<std::string_view, 3> kOwnWords = {"note", "notes", "code"};

Error malformed_request(std::string message) { return {ErrorCode::kMalformedInput, std::move(message)}; }

// "graphName", "graph_name" and "Graph-Name" are the words "graph" and "name".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool inside = false;
  bool lower = false;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter) == 0) {
      inside = false;
      continue;
    }
    if (!inside || (lower && std::isupper(letter) != 0)) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(letter));
    inside = true;
    lower = std::islower(letter) != 0;
  }
  return words;
}

// How many slips still let a known field be meant.  Short names have many honest neighbours.
bool is_near(std::string_view word, std::string_view field) {
  if (word == field) return true;
  if (field.size() <= 2) return word.starts_with(field) && edit_distance(word, field) == 1;
  return edit_distance(word, field) <= (field.size() >= 5 ? 2u : 1u);
}

Result<RemovalRequest> request_of_kind(const FieldsOfKind& kind, RequestValues& values) {
  // A field too many is refused like a missing one.  Passing over "node" would turn a request for a node into one for
  // its whole graph.
  for (std::size_t i = 0; i < kRequestFields.size(); ++i) {
    if (kind.takes[i] && !values[i].has_value()) {
      return malformed_request(
          fmt::format("\"{}\" is missing from a request to forget: {}", kRequestFields[i], kind.name));
    }
    if (!kind.takes[i] && values[i].has_value()) {
      return malformed_request(
          fmt::format("\"{}\" has no place in a request to forget: {}", kRequestFields[i], kind.name));
    }
  }
  const auto value = [&values](RequestField field) { return std::move(*values[static_cast<std::size_t>(field)]); };
  if (kind.name == "subject") return ForgetSubject{std::get<std::string>(value(RequestField::kId))};
  GraphKey graph = value(RequestField::kGraph);
  if (kind.name == "features") return ForgetFeatures{std::move(graph), value(RequestField::kNode)};
  if (kind.name == "node") return ForgetNode{std::move(graph), value(RequestField::kNode)};
  if (kind.name == "edge") return ForgetEdge{std::move(graph), value(RequestField::kFrom), value(RequestField::kTo)};
  return ForgetGraph{std::move(graph)};
}

}  // namespace

Result<RemovalRequest> make_request(RequestValues values) {
  const auto& forget = values[static_cast<std::size_t>(RequestField::kForget)];
  if (!forget.has_value()) return malformed_request("\"forget\" is missing");
  const std::string name = std::get<std::string>(*forget);
  for (const FieldsOfKind& known : kRequestKinds) {
    if (name == known.name) return request_of_kind(known, values);
  }
  return malformed_request(
      fmt::format("\"forget\": {} is none of features, node, edge, graph, subject", quoted_excerpt(name)));
}

std::string_view slip_of_field(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  for (const std::string& word : words) {
    const auto* const found = std::find_if(kMeaningWords.begin(), kMeaningWords.end(),
                                           [&word](const MeaningWord& known) { return known.word == word; });
    if (found != kMeaningWords.end()) return found->field;
  }
  std::string whole;
  for (const std::string& word : words) whole += word;
  if (std::find(kOwnWords.begin(), kOwnWords.end(), whole) != kOwnWords.end()) return {};
  for (const std::string_view field : kRequestFields) {
    if (is_near(whole, field)) return field;
  }
  return {};
}

bool names_a_part(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(kPartWords.begin(), kPartWords.end(), word) != kPartWords.end();
  });
}

std::string slip_words(std::string_view name, std::string_view meant) {
  return fmt::format("unknown field {}; did you mean \"{}\"? A field of your own needs a name that cannot be mistaken",
                     quoted_excerpt(name), meant);
}

std::string part_words(std::string_view name) {
  return fmt::format(
      "the field {} might name a part of the graph, but this is a request for the whole graph; take the field out, or "
      "forget a node",
      quoted_excerpt(name));
}

}  // namespace unscatter
