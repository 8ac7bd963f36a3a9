#include "embedding/features/registry.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace unscatter {
namespace {

struct Entry {
  std::string_view name;
  FeatureBlockMaker make;
};

// Sorted by name: the error message about an unknown block lists them in this order.
constexpr Entry kBlocks[] = {
    {"attributes", make_attributes},       {"constant", make_constant},
    {"degree-onehot", make_degree_onehot}, {"intensity", make_intensity},
    {"labels", make_node_labels},          {"log-degree", make_log_degree},
    {"position", make_position},           {"standard-attributes", make_standard_attributes},
};

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

FeatureBlockOrError parse_product(std::string_view text, const Dataset* dataset) {
  constexpr std::string_view kOpen = "product(";
  const std::string_view arguments = text.substr(kOpen.size(), text.size() - kOpen.size() - 1);
  const std::size_t comma = argument_comma(arguments);
  if (comma == std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("feature '{}': product needs two blocks, as in product(constant,position)", text)};
  }
  UNSCATTER_TRY(first, make_feature_block(arguments.substr(0, comma), dataset));
  UNSCATTER_TRY(second, make_feature_block(arguments.substr(comma + 1), dataset));
  // A division, because the product of the widths may overflow.
  if (first->width() > kMaxChannels / std::max<std::size_t>(second->width(), 1)) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("feature '{}' has too many channels", text)};
  }
  return make_product(std::move(first), std::move(second));
}

}  // namespace

FeatureBlockOrError make_feature_block(std::string_view text, const Dataset* dataset) {
  if (text.starts_with("product(") && text.ends_with(")")) return parse_product(text, dataset);
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view constants = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  for (const Entry& entry : kBlocks) {
    if (entry.name == name) return entry.make(constants, dataset);
  }
  std::string known;
  for (const Entry& entry : kBlocks) known += fmt::format("{}, ", entry.name);
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown feature '{}'; there are {}product(a,b)", name, known)};
}

Error missing_constants(std::string_view block, std::string_view example) {
  return {ErrorCode::kInvalidArgument, fmt::format("feature '{}' needs its constants, as in '{}'", block, example)};
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
