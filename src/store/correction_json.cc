#include "store/correction_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/files.h"
#include "base/hex.h"
#include "store/request_json.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/store/request_text.h"

namespace unscatter {
namespace {

using CorrectionJson = nlohmann::json;

constexpr std::size_t kCorrectionFileLimit = std::size_t{1} << 30;
constexpr std::size_t kCorrectionLineLimit = std::size_t{1} << 20;
constexpr std::size_t kNamedWrongCorrections = 100;

Error wrong_correction(std::string message) { return {ErrorCode::kMalformedInput, std::move(message)}; }

std::string key_text(const std::variant<std::size_t, std::string>& key) {
  if (const auto* id = std::get_if<std::string>(&key)) return id_json(*id);
  return std::to_string(std::get<std::size_t>(key));
}

// The shortest digits that give the number back: one spelling per number.
std::string number_text(double value) { return CorrectionJson(value).dump(); }

// The one spelling, keys in alphabetical order.
struct SpellCorrection {
  std::string operator()(const SetFeatures& c) const {
    std::string attributes;
    if (c.attributes) {
      for (const double value : *c.attributes) {
        if (!attributes.empty()) attributes += ',';
        attributes += number_text(value);
      }
      attributes = fmt::format(R"("attributes":[{}],)", attributes);
    }
    const std::string label = c.label ? fmt::format(R"("label":{},)", *c.label) : "";
    return fmt::format(R"({{{}"correct":"features","graph":{},{}"node":{}}})", attributes, key_text(c.graph), label,
                       key_text(c.node));
  }
  std::string operator()(const AddEdge& c) const {
    const std::string weight = c.weight ? fmt::format(R"(,"weight":{})", number_text(*c.weight)) : "";
    return fmt::format(R"({{"correct":"add-edge","from":{},"graph":{},"to":{}{}}})", key_text(c.from),
                       key_text(c.graph), key_text(c.to), weight);
  }
  std::string operator()(const DropEdge& c) const {
    return fmt::format(R"({{"correct":"drop-edge","from":{},"graph":{},"to":{}}})", key_text(c.from), key_text(c.graph),
                       key_text(c.to));
  }
  std::string operator()(const SetLabel& c) const {
    return fmt::format(R"({{"class":{},"correct":"class","graph":{}}})", id_json(c.class_name), key_text(c.graph));
  }
};

// An object whose fields are read one by one.  What is wrong first is kept.
class CorrectionReader {
 public:
  explicit CorrectionReader(const CorrectionJson& document) : document_(document) {}

  // A text, or {"bytes": "ff00"} where it is no UTF-8.
  std::string text(const char* field) {
    const CorrectionJson* value = find(field);
    if (value == nullptr) return {};
    std::string result;
    if (value->is_string()) {
      result = value->get<std::string>();
    } else if (value->is_object() && value->size() == 1 && value->contains("bytes") && value->at("bytes").is_string()) {
      std::vector<std::uint8_t> bytes;
      const auto digits = value->at("bytes").get<std::string>();
      bytes.resize(digits.size() / 2);
      if (digits.size() % 2 != 0 || !from_hex(digits, bytes)) {
        fail(fmt::format("\"{}\": \"bytes\" are not pairs of hexadecimal digits", field));
      }
      result.assign(bytes.begin(), bytes.end());
    } else {
      fail(fmt::format("\"{}\" is not a text", field));
    }
    if (result.empty()) fail(fmt::format("\"{}\" is empty", field));
    return result;
  }
  NodeKey key(const char* field) {
    const CorrectionJson* value = find(field);
    if (value == nullptr) return NodeKey(std::size_t{0});
    if (value->is_number_unsigned()) return NodeKey(value->get<std::size_t>());
    if (value->is_number()) {
      fail(fmt::format("\"{}\": {} is neither a number from 0 nor a text", field, value->dump()));
      return NodeKey(std::size_t{0});
    }
    return NodeKey(text(field));
  }
  std::optional<double> number(const char* field) {
    if (!document_.contains(field)) return std::nullopt;
    seen_.insert(field);
    const CorrectionJson& value = document_.at(field);
    if (value.is_number()) return value.get<double>();
    fail(fmt::format("\"{}\" is not a number", field));
    return std::nullopt;
  }
  std::optional<std::int64_t> whole(const char* field) {
    if (!document_.contains(field)) return std::nullopt;
    seen_.insert(field);
    const CorrectionJson& value = document_.at(field);
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= kLargest;
    if (value.is_number_integer() && fits) return value.get<std::int64_t>();
    fail(fmt::format("\"{}\" is not a whole number{}", field, fits ? "" : " of 64 bits with a sign"));
    return std::nullopt;
  }
  std::optional<std::vector<double>> numbers(const char* field) {
    if (!document_.contains(field)) return std::nullopt;
    seen_.insert(field);
    const CorrectionJson& value = document_.at(field);
    const auto is_number = [](const CorrectionJson& one) { return one.is_number(); };
    if (value.is_array() && std::all_of(value.begin(), value.end(), is_number)) {
      return value.get<std::vector<double>>();
    }
    fail(fmt::format("\"{}\" is not a list of numbers", field));
    return std::nullopt;
  }
  // What was read, if nothing was wrong and no field is left over.
  template <typename T>
  Result<T> finish(T read) {
    for (const auto& [field, value] : document_.items()) {
      // A field that is passed over could be what somebody meant.
      if (!seen_.contains(field)) fail(fmt::format("unknown field {}", quoted_excerpt(field)));
    }
    if (!message_.empty()) return wrong_correction(message_);
    return read;
  }

 private:
  const CorrectionJson* find(const char* field) {
    seen_.insert(field);
    const auto found = document_.find(field);
    if (found != document_.end()) return &*found;
    fail(fmt::format("\"{}\" is missing", field));
    return nullptr;
  }
  void fail(std::string message) {
    if (message_.empty()) message_ = std::move(message);
  }

  const CorrectionJson& document_;
  std::set<std::string> seen_;
  std::string message_;
};

Result<Correction> correction_from(const CorrectionJson& document) {
  CorrectionReader reader(document);
  const std::string kind = document.contains("correct") ? reader.text("correct") : "";
  if (kind == "features") {
    SetFeatures correction{reader.key("graph"), reader.key("node"), reader.numbers("attributes"),
                           reader.whole("label")};
    return reader.finish(Correction(std::move(correction)));
  }
  if (kind == "add-edge") {
    AddEdge correction{reader.key("graph"), reader.key("from"), reader.key("to"), reader.number("weight")};
    return reader.finish(Correction(std::move(correction)));
  }
  if (kind == "drop-edge") {
    DropEdge correction{reader.key("graph"), reader.key("from"), reader.key("to")};
    return reader.finish(Correction(std::move(correction)));
  }
  if (kind == "class") {
    SetLabel correction{reader.key("graph"), reader.text("class")};
    return reader.finish(Correction(std::move(correction)));
  }
  if (kind.empty()) return wrong_correction("\"correct\" is missing");
  return wrong_correction(
      fmt::format("\"correct\": {} is none of features, add-edge, drop-edge, class", quoted_excerpt(kind)));
}

Result<AddedGraph> added_graph_from(const CorrectionJson& document) {
  CorrectionReader reader(document);
  const std::string kind = reader.text("add");
  if (!kind.empty() && kind != "graph") {
    return wrong_correction(fmt::format("\"add\": {} is not graph", quoted_excerpt(kind)));
  }
  AddedGraph added{reader.key("graph"), {}};
  const std::string content = reader.text("content");
  UNSCATTER_TRY(whole, reader.finish(std::move(added)));
  UNSCATTER_TRY(digest, parse_digest(content));
  whole.content = digest;
  return whole;
}

// One object, which `read` understands.
template <typename T>
Result<T> read_object(std::string_view text, Result<T> (*read)(const CorrectionJson&)) {
  // A tree would keep the last of two equal fields and drop the first in silence.
  std::set<std::string> fields;
  std::string twice;
  const auto watch = [&](int depth, CorrectionJson::parse_event_t event, CorrectionJson& value) {
    if (event == CorrectionJson::parse_event_t::key && depth == 1) {
      const auto field = value.get<std::string>();
      if (!fields.insert(field).second && twice.empty()) twice = field;
    }
    return true;
  };
  try {
    const CorrectionJson document = CorrectionJson::parse(text, watch);
    if (!document.is_object()) return wrong_correction("a line is one object");
    if (!twice.empty()) return wrong_correction(fmt::format("{} occurs twice", quoted_excerpt(twice)));
    return read(document);
  } catch (const CorrectionJson::exception& error) {
    // A number too large for a double is error 406.  Everything else is broken syntax.
    return wrong_correction(error.id == 406 ? "a number is too large" : "this is not valid JSON");
  }
}

}  // namespace

Result<Correction> parse_correction(std::string_view text) { return read_object(text, correction_from); }

Result<AddedGraph> parse_added_graph(std::string_view text) { return read_object(text, added_graph_from); }

std::string request_text(const Correction& correction) { return std::visit(SpellCorrection(), correction); }

Digest commitment(const Correction& correction, const Salt& salt) {
  return commitment_of_text(request_text(correction), salt);
}

Result<CorrectionFile> parse_corrections(std::string_view text, std::string_view name) {
  CorrectionFile file;
  std::string wrong;
  std::size_t wrong_lines = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<Correction> correction =
        line.size() > kCorrectionLineLimit
            ? Result<Correction>(wrong_correction(fmt::format("a line of {} bytes", line.size())))
            : parse_correction(line);
    if (correction.ok()) {
      file.corrections.push_back(*std::move(correction));
      file.lines.push_back(number);
      continue;
    }
    // All of them at once: who mends a list wants to mend it once.
    if (++wrong_lines <= kNamedWrongCorrections) {
      wrong += fmt::format("{}{}:{}: {}", wrong.empty() ? "" : "\n", name, number, correction.error().message);
    }
  }
  if (wrong_lines > kNamedWrongCorrections)
    wrong += fmt::format("\nand {} more wrong lines", wrong_lines - kNamedWrongCorrections);
  if (!wrong.empty()) return wrong_correction(std::move(wrong));
  return file;
}

Result<CorrectionFile> read_corrections(const std::filesystem::path& path) {
  UNSCATTER_TRY(text, read_file(path, kCorrectionFileLimit));
  return parse_corrections(text, path.string());
}

Digest addition_digest(const Graph& graph, std::string_view class_name) {
  const Digest content = content_digest(graph);
  return Hasher()
      .add(std::string_view("unscatter addition 1"))
      .add_bytes(std::as_bytes(std::span(content.bytes)))
      .add(class_name)
      .finish();
}

std::string request_text(const AddedGraph& added) {
  return fmt::format(R"({{"add":"graph","content":"{}","graph":{}}})", added.content.hex(), key_text(added.graph));
}

Digest commitment(const AddedGraph& added, const Salt& salt) { return commitment_of_text(request_text(added), salt); }

Result<bool> opens_other(std::string_view line) {
  const CorrectionJson document = CorrectionJson::parse(line, nullptr, false);
  if (!document.is_object() || !document.contains("request") || !document.at("request").is_object()) return false;
  const CorrectionJson& request = document.at("request");
  if (!request.contains("add") && !request.contains("correct")) return false;
  try {
    UNSCATTER_TRY(committed, parse_digest(document.at("commitment").get<std::string>()));
    UNSCATTER_TRY(salt, parse_salt(document.at("salt").get<std::string>()));
    // Sorted keys and no spaces: the one spelling, unless a text is no UTF-8, which is spelled by its bytes.
    if (commitment_of_text(request.dump(), salt) == committed) return true;
  } catch (const CorrectionJson::exception&) {
    return wrong_correction("this is no opening: commitment, entry, request and salt");
  }
  return wrong_correction("request and salt do not give this commitment");
}

}  // namespace unscatter
