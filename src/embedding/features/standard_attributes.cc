// standard-attributes:M/S,...  (attribute - M) / S.  Centre and scale are public constants.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

struct Scaling {
  double center;
  double scale;
};

// The attributes of all nodes that have some, one node after the other.
std::vector<double> all_attributes(const Graph& graph) {
  std::vector<double> values;
  for (std::size_t i = 0; i < graph.node_count(); ++i) {
    if (!graph.has_features(i)) continue;
    const std::span<const double> of_node = graph.attributes(i);
    values.insert(values.end(), of_node.begin(), of_node.end());
  }
  return values;
}

class StandardAttributes final : public FeatureBlock {
 public:
  explicit StandardAttributes(std::vector<Scaling> scalings) : scalings_(std::move(scalings)) {}
  [[nodiscard]] std::string describe() const override {
    std::string text = "standard-attributes:";
    for (const Scaling& s : scalings_)
      // The shortest text that reads back as the same double, so parse() restores the map bit for bit.
      text += fmt::format("{}{}/{}", &s == &scalings_.front() ? "" : ",", s.center, s.scale);
    return text;
  }
  [[nodiscard]] std::size_t width() const noexcept override { return scalings_.size(); }
  // Every node with features is in the mean.
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    return after == nullptr || all_attributes(before) != all_attributes(*after);
  }
  [[nodiscard]] bool fit_shown_by(const Graph& /*graph*/) const override { return false; }
  [[nodiscard]] Status check(const Graph& graph) const override {
    // Another number of attributes would be scaled by constants of other attributes.
    if (graph.attribute_count() == scalings_.size()) return ok_status();
    return Error{ErrorCode::kUnsupported,
                 fmt::format("feature 'standard-attributes': the graph has {} attributes per node, not {}",
                             graph.attribute_count(), scalings_.size())};
  }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    const std::span<const double> values = graph.attributes(node);
    for (std::uint32_t k = 0; k < values.size(); ++k) {
      entries.push_back({node, first_channel + k, (values[k] - scalings_[k].center) / scalings_[k].scale});
    }
  }

 private:
  std::vector<Scaling> scalings_;
};

// Mean and standard deviation over all nodes that have features.  A constant attribute keeps the scale 1.  Two passes:
// the difference of two large sums of squares would lose the digits that a second pass keeps.
std::vector<Scaling> fitted(FitGraphs graphs, std::size_t attributes) {
  std::vector<Scaling> scalings(attributes, {0, 0});
  double count = 0;
  const auto each_node = [&](auto&& visit) {
    for (const Graph* graph : graphs) {
      for (std::size_t i = 0; i < graph->node_count(); ++i) {
        if (graph->has_features(i)) visit(graph->attributes(i));
      }
    }
  };
  each_node([&](std::span<const double> values) {
    count += 1;
    for (std::size_t k = 0; k < values.size(); ++k) scalings[k].center += values[k];
  });
  // Without a node that has features there is nothing to scale.  The text must still be made of numbers.
  if (count == 0) return std::vector<Scaling>(attributes, {0, 1});
  for (Scaling& s : scalings) s.center /= count;
  each_node([&](std::span<const double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) scalings[k].scale += std::pow(values[k] - scalings[k].center, 2);
  });
  for (Scaling& s : scalings) s.scale = s.scale > 0 ? std::sqrt(s.scale / count) : 1.0;
  return scalings;
}

Result<Scaling> parse_scaling(std::string_view text) {
  const std::size_t slash = text.find('/');
  Scaling s{0, 0};
  const auto number = [](std::string_view part, double& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() && std::isfinite(value);
  };
  if (slash == std::string_view::npos || !number(text.substr(0, slash), s.center) ||
      !number(text.substr(slash + 1), s.scale) || !(s.scale > 0)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("feature 'standard-attributes': '{}' is not CENTER/SCALE with SCALE > 0", text)};
  }
  return s;
}

}  // namespace

FeatureBlockOrError make_standard_attributes(std::string_view constants, const FitGraphs* graphs) {
  std::vector<Scaling> scalings;
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants("standard-attributes", "standard-attributes:0.5/0.2");
    const std::size_t attributes = largest_attribute_count(*graphs);
    if (attributes == 0)
      return Error{ErrorCode::kUnsupported, "feature 'standard-attributes': the data set has no node attributes"};
    scalings = fitted(*graphs, attributes);
  }
  for (const std::string_view text : split(constants, ',')) {
    UNSCATTER_TRY(scaling, parse_scaling(text));
    scalings.push_back(scaling);
  }
  return std::make_unique<const StandardAttributes>(std::move(scalings));
}

}  // namespace unscatter
