// attributes:C  The C real attributes of a node. intensity:C is the same under the name that superpixels use.
#include <fmt/format.h>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

class Attributes final : public FeatureBlock {
 public:
  Attributes(std::string_view name, std::size_t count) : name_(name), count_(count) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("{}:{}", name_, count_); }
  [[nodiscard]] std::size_t width() const noexcept override { return count_; }
  [[nodiscard]] Status check(const Graph& graph) const override {
    // Another width would put values into channels of other features.
    if (graph.attribute_count() == count_) return ok_status();
    return Error{ErrorCode::kUnsupported, fmt::format("feature '{}': the graph has {} attributes per node, not {}",
                                                      name_, graph.attribute_count(), count_)};
  }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    std::uint32_t channel = first_channel;
    for (const double value : graph.attributes(node)) entries.push_back({node, channel++, value});
  }
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    return after == nullptr && before.attribute_count() == count_;
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override { return graph.attribute_count() == count_; }

 private:
  std::string name_;
  std::size_t count_;
};

FeatureBlockOrError make(std::string_view name, std::string_view constants, const FitGraphs* graphs) {
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants(name, fmt::format("{}:1", name));
    // The largest number in the data set.  A graph with another number is refused when it is embedded.
    const std::size_t count = largest_attribute_count(*graphs);
    if (count == 0)
      return Error{ErrorCode::kUnsupported, fmt::format("feature '{}': the data set has no node attributes", name)};
    return std::make_unique<const Attributes>(name, count);
  }
  UNSCATTER_TRY(count, parse_width(name, constants));
  return std::make_unique<const Attributes>(name, count);
}

}  // namespace

FeatureBlockOrError make_attributes(std::string_view constants, const FitGraphs* graphs) {
  return make("attributes", constants, graphs);
}
FeatureBlockOrError make_intensity(std::string_view constants, const FitGraphs* graphs) {
  return make("intensity", constants, graphs);
}

}  // namespace unscatter
