// wide-attributes:N  The first N attributes, each spread over 101 channels that are >= 0 and sum to 1.
#include <fmt/format.h>

#include <algorithm>

#include "embedding/features/registry.h"
#include "embedding/features/wide_scale.h"

namespace unscatter {
namespace {

class WideAttributes final : public FeatureBlock {
 public:
  explicit WideAttributes(std::size_t count) : count_(count) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("wide-attributes:{}", count_); }
  [[nodiscard]] std::size_t width() const noexcept override { return count_ * kWideChannels; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    // Attributes that a graph does not have give no signal.  Those beyond the count have no channel.
    const std::span<const double> values = graph.attributes(node);
    const std::size_t used = std::min(values.size(), count_);
    for (std::size_t k = 0; k < used; ++k) {
      const std::uint32_t first = first_channel + static_cast<std::uint32_t>(k * kWideChannels);
      on_wide_scale(values[k], [&](std::size_t channel, double share) {
        entries.push_back({node, first + static_cast<std::uint32_t>(channel), share});
      });
    }
  }
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    return after == nullptr && before.attribute_count() == count_;
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override { return graph.attribute_count() == count_; }

 private:
  std::size_t count_;
};

}  // namespace

FeatureBlockOrError make_wide_attributes(std::string_view constants, const FitGraphs* graphs) {
  std::size_t count = 0;
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants("wide-attributes", "wide-attributes:3");
    count = largest_attribute_count(*graphs);
    if (count == 0)
      return Error{ErrorCode::kUnsupported, "feature 'wide-attributes': the data set has no node attributes"};
  } else {
    UNSCATTER_TRY(given, parse_width("wide-attributes", constants));
    count = given;
  }
  if (count > kMaxChannels / kWideChannels) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("feature 'wide-attributes': {} attributes are too many", count)};
  }
  return std::make_unique<const WideAttributes>(count);
}

}  // namespace unscatter
