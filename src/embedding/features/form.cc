// form  What the data have, for recipes that choose by it.  It has no channel.
#include "embedding/features/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace unscatter {
namespace {

constexpr std::string_view kFormBare = "bare";
constexpr std::string_view kFormAttributes = "attributes=";

std::optional<DataForm> parse_form(std::string_view constants) {
  DataForm form;
  if (constants == kFormBare) return form;
  for (const std::string_view word : split(constants, ',')) {
    if (word == "directed") {
      form.directed = true;
    } else if (word == "weights") {
      form.weights = true;
    } else if (word == "labels") {
      form.labels = true;
    } else if (word == "positions") {
      form.positions = true;
    } else if (word.starts_with(kFormAttributes)) {
      const std::string_view digits = word.substr(kFormAttributes.size());
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), form.attributes);
      if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
      if (form.attributes == 0 || form.attributes > kMaxChannels) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return form;
}

class FormBlock final : public FeatureBlock {
 public:
  explicit FormBlock(const DataForm& form) : form_(form) {}
  [[nodiscard]] std::string describe() const override { return unscatter::describe(form_); }
  [[nodiscard]] std::size_t width() const noexcept override { return 0; }
  void emit(const Graph&, NodeIndex, std::uint32_t, std::vector<FeatureEntry>&) const override {}
  // Only what `before` shows and `after` does not can leave.  An edit may take the last edge, and the weights with it.
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    const DataForm had = form_of(before);
    const DataForm has = after == nullptr ? DataForm() : form_of(*after);
    return (had.directed && !has.directed) || (had.weights && !has.weights) || (had.labels && !has.labels) ||
           (had.positions && !has.positions) || (had.attributes == form_.attributes && has.attributes < had.attributes);
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override {
    return joined(form_of(graph), form_) == form_of(graph);
  }

 private:
  DataForm form_;
};

}  // namespace

DataForm form_of(const Graph& graph) {
  return {.directed = graph.directed(),
          .weights = graph.has_weights(),
          .labels = graph.has_labels(),
          .positions = graph.has_positions(),
          .attributes = graph.attribute_count()};
}

DataForm joined(const DataForm& a, const DataForm& b) {
  return {.directed = a.directed || b.directed,
          .weights = a.weights || b.weights,
          .labels = a.labels || b.labels,
          .positions = a.positions || b.positions,
          .attributes = std::max(a.attributes, b.attributes)};
}

std::string describe(const DataForm& form) {
  std::string text;
  const auto add = [&text](bool there, std::string_view word) {
    if (there) text += fmt::format("{}{}", text.empty() ? "" : ",", word);
  };
  add(form.directed, "directed");
  add(form.weights, "weights");
  add(form.labels, "labels");
  add(form.positions, "positions");
  add(form.attributes > 0, fmt::format("{}{}", kFormAttributes, form.attributes));
  return fmt::format("form:{}", text.empty() ? kFormBare : std::string_view(text));
}

DataForm form_in(std::string_view features) {
  constexpr std::string_view kStart = "form:";
  for (const std::string_view block : split(features, '+')) {
    if (!block.starts_with(kStart)) continue;
    return parse_form(block.substr(kStart.size())).value_or(DataForm());
  }
  return {};
}

FeatureBlockOrError make_form(std::string_view constants, const FitGraphs* graphs) {
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants("form", "form:labels,attributes=3");
    DataForm form;
    for (const Graph* graph : *graphs) form = joined(form, form_of(*graph));
    return std::make_unique<const FormBlock>(form);
  }
  const std::optional<DataForm> form = parse_form(constants);
  if (!form) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("feature 'form': '{}' is not a list of directed, weights, labels, positions and "
                             "attributes=COUNT, or the word {}",
                             constants, kFormBare)};
  }
  return std::make_unique<const FormBlock>(*form);
}

FeatureBlockOrError make_no_features(std::string_view constants, const FitGraphs*) {
  if (!constants.empty()) return unexpected_constants("none", constants);

  class NoFeatures final : public FeatureBlock {
   public:
    [[nodiscard]] std::string describe() const override { return "none"; }
    [[nodiscard]] std::size_t width() const noexcept override { return 0; }
    void emit(const Graph&, NodeIndex, std::uint32_t, std::vector<FeatureEntry>&) const override {}
  };
  return std::make_unique<const NoFeatures>();
}

}  // namespace unscatter
