#include "embedding/features/spread_attributes.h"

#include <fmt/format.h>

#include <algorithm>

namespace unscatter {
namespace {

class SpreadAttributes final : public FeatureBlock {
 public:
  SpreadAttributes(const AttributeScale& scale, std::size_t count) : scale_(scale), count_(count) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("{}:{}", scale_.name, count_); }
  [[nodiscard]] std::size_t width() const noexcept override { return count_ * scale_.channels; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    // Attributes that a graph does not have give no signal.  Those beyond the count have no channel.
    const std::span<const double> values = graph.attributes(node);
    const std::size_t used = std::min(values.size(), count_);
    for (std::size_t k = 0; k < used; ++k) {
      scale_.spread(values[k], node, first_channel + static_cast<std::uint32_t>(k * scale_.channels), entries);
    }
  }
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    return after == nullptr && before.attribute_count() == count_;
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override { return graph.attribute_count() == count_; }

 private:
  AttributeScale scale_;
  std::size_t count_;
};

}  // namespace

FeatureBlockOrError make_spread_attributes(const AttributeScale& scale, std::string_view constants,
                                           const FitGraphs* graphs) {
  std::size_t count = 0;
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants(scale.name, fmt::format("{}:3", scale.name));
    count = largest_attribute_count(*graphs);
    if (count == 0) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("feature '{}': the data set has no node attributes", scale.name)};
    }
  } else {
    UNSCATTER_TRY(given, parse_width(scale.name, constants));
    count = given;
  }
  if (count > kMaxChannels / scale.channels) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("feature '{}': {} attributes are too many", scale.name, count)};
  }
  return std::make_unique<const SpreadAttributes>(scale, count);
}

}  // namespace unscatter
