#include "embedding/features/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace unscatter {
namespace {

struct Entry {
  std::string_view name;
  FeatureBlockMaker make;
  WithoutText without_text;
  bool of_all_nodes = false;  // the fit is a mean: every graph counts, and not only one that has something new
};

// Sorted by name: the error message about an unknown block lists them in this order.
constexpr Entry kBlocks[] = {
    {"attributes", make_attributes, WithoutText::kSchema},
    {"constant", make_constant, WithoutText::kBuiltIn},
    {"degree-onehot", make_degree_onehot, WithoutText::kFit},
    {"form", make_form, WithoutText::kSchema},
    {"intensity", make_intensity, WithoutText::kSchema},
    {"label-buckets", make_label_buckets, WithoutText::kBuiltIn},
    {"labels", make_node_labels, WithoutText::kFit},
    {"log-degree", make_log_degree, WithoutText::kBuiltIn},
    {"none", make_no_features, WithoutText::kBuiltIn},
    {"position", make_position, WithoutText::kBuiltIn},
    {"soft-attributes", make_soft_attributes, WithoutText::kSchema},
    {"soft-degree", make_soft_degree, WithoutText::kBuiltIn},
    {"standard-attributes", make_standard_attributes, WithoutText::kFit, true},
    {"wide-attributes", make_wide_attributes, WithoutText::kSchema},
};

bool is_product(std::string_view text) { return text.starts_with("product(") && text.ends_with(")"); }

// The position of the comma between the two arguments of product(a,b).  The arguments may contain commas too: inside
// brackets, or between constants.  The second block starts with a letter, and constants never do.  So the last comma at
// depth 0 before a letter is the one.
std::size_t argument_comma(std::string_view arguments) {
  int depth = 0;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == '(') ++depth;
    if (arguments[i] == ')') --depth;
    const char next = arguments[i + 1];
    if (arguments[i] == ',' && depth == 0 && next >= 'a' && next <= 'z') found = i;
  }
  return found;
}

std::string_view arguments_of(std::string_view product) {
  constexpr std::string_view kOpen = "product(";
  return product.substr(kOpen.size(), product.size() - kOpen.size() - 1);
}

FeatureBlockOrError parse_product(std::string_view text, const FitGraphs* graphs) {
  const std::string_view arguments = arguments_of(text);
  const std::size_t comma = argument_comma(arguments);
  if (comma == std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("feature '{}': product needs two blocks, as in product(constant,position)", text)};
  }
  UNSCATTER_TRY(first, make_feature_block(arguments.substr(0, comma), graphs));
  UNSCATTER_TRY(second, make_feature_block(arguments.substr(comma + 1), graphs));
  // A division, because the product of the widths may overflow.
  if (first->width() > kMaxChannels / std::max<std::size_t>(second->width(), 1)) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("feature '{}' has too many channels", text)};
  }
  return make_product(std::move(first), std::move(second));
}

}  // namespace

std::optional<WithoutText> left_to_compute(std::string_view text) {
  if (is_product(text)) {
    const std::string_view arguments = arguments_of(text);
    const std::size_t comma = argument_comma(arguments);
    if (comma == std::string_view::npos) return std::nullopt;
    // An optional that is empty is less than any value.
    return std::max(left_to_compute(arguments.substr(0, comma)), left_to_compute(arguments.substr(comma + 1)));
  }
  if (text.find(':') != std::string_view::npos) return std::nullopt;
  for (const Entry& entry : kBlocks) {
    if (entry.name == text) return entry.without_text;
  }
  return std::nullopt;
}

bool fits_graph_by_graph(std::string_view features) {
  // "paper" asks whether every graph has something.
  if (features == "paper") return false;
  for (const Entry& entry : kBlocks) {
    if (!entry.of_all_nodes) continue;
    for (std::size_t at = features.find(entry.name); at != std::string_view::npos;
         at = features.find(entry.name, at + 1)) {
      const std::size_t end = at + entry.name.size();
      if (end == features.size() || features[end] != ':') return false;
    }
  }
  return true;
}

FeatureBlockOrError make_feature_block(std::string_view text, const FitGraphs* graphs) {
  if (is_product(text)) return parse_product(text, graphs);
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view constants = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  for (const Entry& entry : kBlocks) {
    if (entry.name == name) return entry.make(constants, graphs);
  }
  std::string known;
  for (const Entry& entry : kBlocks) known += fmt::format("{}, ", entry.name);
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown feature '{}'; there are {}product(a,b)", name, known)};
}

Error missing_constants(std::string_view block, std::string_view example) {
  return {
      ErrorCode::kInvalidArgument,
      fmt::format("feature '{}' needs its constants: state them, as in '{}', or have them computed from public data "
                  "(--public-data), or from the data and again after every removal (--fit private)",
                  block, example)};
}

std::size_t largest_attribute_count(FitGraphs graphs) {
  std::size_t largest = 0;
  for (const Graph* graph : graphs) largest = std::max(largest, graph->attribute_count());
  return largest;
}

Error unexpected_constants(std::string_view block, std::string_view constants) {
  return {ErrorCode::kInvalidArgument, fmt::format("feature '{}' takes no constants, but got '{}'", block, constants)};
}

Result<std::size_t> parse_width(std::string_view block, std::string_view constants) {
  std::size_t width = 0;
  // from_chars() takes neither blanks nor a sign, whatever the locale is.
  const auto [end, error] = std::from_chars(constants.data(), constants.data() + constants.size(), width);
  if (error != std::errc() || end != constants.data() + constants.size() || width == 0 || width > kMaxChannels) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("feature '{}': '{}' is not a width between 1 and {}", block, constants, kMaxChannels)};
  }
  return width;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();  // a separator at the end is followed by an empty part
  }
  return parts;
}

}  // namespace unscatter
