#include "embedding/blocks/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/near_miss.h"

namespace unscatter {
namespace {

constexpr std::size_t kMostParts = 64;
constexpr std::string_view kFourierName = "fourier";
constexpr std::string_view kDrawnName = "drawn";
constexpr std::string_view kScaleName = "scale";
constexpr std::array kScaleStep = {PartConstant{"scale", 1, 1e-6, 1, false}, PartConstant{"doubt", 0, 0, 1e9, false}};
constexpr PartConstant kPartWeight = {"weight", 1, 1e-6, 1e6, false};
// A seed is a whole number that a double holds.
constexpr std::array kFourierConstants = {PartConstant{"coordinates", 4096, 2, 65536},
                                          PartConstant{"gamma", 1, 1e-6, 1e6, false}, PartConstant{"seed", 1, 0, 1e15}};

Error recipe_error(std::string_view part, std::string_view what) {
  return {ErrorCode::kInvalidArgument, fmt::format("recipe, part '{}': {}", part, what)};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Whole numbers without an exponent, so that no '+' stands in a number that was written here.
std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) <= 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{}", value);
}

Result<double> parse_constant(std::string_view part, std::string_view text, const PartConstant& constant) {
  double value = 0;
  // from_chars() takes neither blanks nor a '+', whatever the locale is.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = error == std::errc() && end == text.data() + text.size();
  if (!read || !(value >= constant.low && value <= constant.high) || (constant.whole && value != std::floor(value))) {
    return recipe_error(part, fmt::format("'{}' is not a {} for '{}', which is from {} to {}", text,
                                          constant.whole ? "whole number" : "number", constant.name,
                                          number_text(constant.low), number_text(constant.high)));
  }
  return value;
}

// The numbers behind the name, each after a ':'.  Those that are left out have their usual values.
Result<std::vector<double>> parse_constants_of(std::string_view part, std::string_view text,
                                               std::span<const PartConstant> constants) {
  std::vector<double> values;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':')) {
    text.remove_prefix(colon + 1);
    if (values.size() == constants.size()) {
      return recipe_error(part, constants.empty() ? "it takes no constants"
                                                  : fmt::format("it takes at most {} constants", constants.size()));
    }
    UNSCATTER_TRY(value, parse_constant(part, trimmed(text.substr(0, text.find(':'))), constants[values.size()]));
    values.push_back(value);
  }
  while (values.size() < constants.size()) values.push_back(constants[values.size()].usual);
  return values;
}

Error unknown_part(std::string_view part, std::string_view name) {
  std::vector<std::string_view> names;
  for (const PartKind& kind : part_kinds()) names.push_back(kind.name);
  if (const std::string_view near = nearest_word(name, names); !near.empty()) {
    return recipe_error(part, fmt::format("there is no '{}'; did you mean '{}'?", name, near));
  }
  std::string known;
  for (const std::string_view one : names) known += fmt::format("{}{}", known.empty() ? "" : ", ", one);
  return recipe_error(part, fmt::format("there is no '{}'; there are {}", name, known));
}

Result<RecipePart> parse_part(std::string_view text) {
  const std::string_view part = trimmed(text);
  if (part.empty()) return recipe_error(part, "a name is missing; parts are joined by '+', as in 'size*3 + shapes'");
  const std::size_t star = part.find('*');
  const std::string_view before = trimmed(part.substr(0, star));
  const std::string_view name = trimmed(before.substr(0, before.find(':')));
  RecipePart parsed;
  if (name == kFourierName || name == kDrawnName || name == kScaleName)
    return recipe_error(part, "it is the last step and stands behind a '>'");
  parsed.kind = find_part_kind(name);
  if (parsed.kind == nullptr) return unknown_part(part, name);
  UNSCATTER_TRY(constants, parse_constants_of(part, before, parsed.kind->constants));
  parsed.constants = std::move(constants);
  if (star != std::string_view::npos) {
    UNSCATTER_TRY(weight, parse_constant(part, trimmed(part.substr(star + 1)), kPartWeight));
    parsed.weight = weight;
  }
  return parsed;
}

// One step behind a '>'.
Status parse_step(std::string_view text, Recipe& recipe) {
  const std::string_view step = trimmed(text);
  const std::string_view name = trimmed(step.substr(0, step.find(':')));
  if (name == kScaleName) {
    UNSCATTER_TRY(constants, parse_constants_of(step, step, kScaleStep));
    recipe.scale = constants[0];
    recipe.doubt = constants[1];
    return ok_status();
  }
  if (name != kFourierName && name != kDrawnName) {
    return recipe_error(step, "a step behind '>' is 'fourier', 'drawn' or 'scale', as in '> fourier:4096:2:1'");
  }
  UNSCATTER_TRY(constants, parse_constants_of(step, step, kFourierConstants));
  const auto features = static_cast<std::size_t>(constants[0]);
  if (features % 2 != 0) return recipe_error(step, "the number of coordinates must be even");
  recipe.fourier = {features, constants[1], static_cast<std::uint64_t>(constants[2]), name == kDrawnName};
  return ok_status();
}

// The steps in their order: Fourier features, then the scale.  Each at most once.
Status parse_steps(std::string_view text, Recipe& recipe) {
  bool scaled = false;
  while (!text.empty()) {
    text.remove_prefix(1);  // the '>'
    const std::string_view step = text.substr(0, text.find('>'));
    if (scaled) return recipe_error(trimmed(step), "nothing follows 'scale'");
    const bool had_fourier = recipe.fourier.has_value();
    UNSCATTER_CHECK_OK(parse_step(step, recipe));
    scaled = trimmed(step).starts_with(kScaleName);
    if (had_fourier && !scaled) return recipe_error(trimmed(step), "only 'scale' follows Fourier features");
    text.remove_prefix(step.size());
  }
  return ok_status();
}

// Splits at every '+' that is not inside a number such as 1e+5.
std::vector<std::string_view> split_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '+') continue;
    const bool exponent =
        i < text.size() && i > 1 && (text[i - 1] == 'e' || text[i - 1] == 'E') && is_digit(text[i - 2]);
    if (exponent) continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  return parts;
}

void write_constants(std::string& text, std::span<const double> values, std::span<const PartConstant> constants) {
  std::size_t count = values.size();
  while (count > 0 && values[count - 1] == constants[count - 1].usual) --count;
  for (std::size_t k = 0; k < count; ++k) {
    text += ':';
    text += number_text(values[k]);
  }
}

}  // namespace

Result<Recipe> parse_recipe(std::string_view text) {
  Recipe recipe;
  const std::size_t arrow = text.find('>');
  for (const std::string_view part : split_parts(text.substr(0, arrow))) {
    UNSCATTER_TRY(parsed, parse_part(part));
    const auto same = [&](const RecipePart& other) {
      return other.kind == parsed.kind && other.constants == parsed.constants;
    };
    if (std::any_of(recipe.parts.begin(), recipe.parts.end(), same)) {
      return recipe_error(trimmed(part), "it stands there twice; a weight counts it more, as in 'size*2'");
    }
    if (recipe.parts.size() == kMostParts) return recipe_error(trimmed(part), "a recipe has at most 64 parts");
    recipe.parts.push_back(std::move(parsed));
  }
  if (arrow != std::string_view::npos) UNSCATTER_CHECK_OK(parse_steps(text.substr(arrow), recipe));
  return recipe;
}

std::string write_recipe(const Recipe& recipe) {
  std::string text;
  for (const RecipePart& part : recipe.parts) {
    if (!text.empty()) text += " + ";
    text += part.kind->name;
    write_constants(text, part.constants, part.kind->constants);
    if (part.weight != 1) {
      text += '*';
      text += number_text(part.weight);
    }
  }
  if (recipe.fourier) {
    text += fmt::format(" > {}:{}:{}:{}", recipe.fourier->drawn ? kDrawnName : kFourierName, recipe.fourier->features,
                        number_text(recipe.fourier->gamma), recipe.fourier->seed);
  }
  if (recipe.scale != 1 || recipe.doubt != 0) {
    text += fmt::format(" > {}", kScaleName);
    write_constants(text, std::array{recipe.scale, recipe.doubt}, kScaleStep);
  }
  return text;
}

}  // namespace unscatter
