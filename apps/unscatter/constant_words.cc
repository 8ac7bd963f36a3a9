#include "constant_words.h"

#include <fmt/format.h>

#include <array>

namespace unscatter::cli {
namespace {

constexpr std::array kKinds = {ConstantKind::kStated,     ConstantKind::kBuiltIn,    ConstantKind::kPublicData,
                               ConstantKind::kPrivateFit, ConstantKind::kFittedOnce, ConstantKind::kOutside};

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string_view kind_words(ConstantKind kind) {
  switch (kind) {
    case ConstantKind::kStated: return "stated by the user";
    case ConstantKind::kBuiltIn: return "built into the program";
    case ConstantKind::kPublicData: return "computed from public data";
    case ConstantKind::kPrivateFit: return "computed from the data, and again after every removal";
    case ConstantKind::kFittedOnce: return "computed ONCE from data that may be removed, which they may give away";
    case ConstantKind::kOutside: return "made outside of the program, by a function that it does not know";
  }
  return {};
}

std::string constants_words(const std::vector<ConstantOrigin>& constants) {
  std::string text;
  for (const ConstantKind kind : kKinds) {
    std::vector<std::string> names;
    for (const ConstantOrigin& origin : constants) {
      if (origin.kind == kind) names.push_back(origin.name);
    }
    if (!names.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", listed(names), kind_words(kind));
  }
  return text;
}

void add_constants_row(Table& table, const std::vector<ConstantOrigin>& constants) {
  if (!constants.empty()) table.add_row({"constants", constants_words(constants)});
}

Json constants_json(const std::vector<ConstantOrigin>& constants) {
  Json json = Json::object();
  for (const ConstantOrigin& origin : constants) json[origin.name] = name(origin.kind);
  return json;
}

}  // namespace unscatter::cli
