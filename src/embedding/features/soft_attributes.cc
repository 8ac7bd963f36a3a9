// soft-attributes:N  The first N attributes, each spread over 13 channels that are >= 0 and sum to 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "embedding/features/hat_functions.h"
#include "embedding/features/registry.h"

namespace unscatter {
namespace {

// The place of an attribute a is asinh(a): linear near 0 and logarithmic far from it.  Centres stand at -12, -10, ...,
// 12, so attributes up to sinh(12) = 81,377 are told apart on a logarithmic scale.  Values in [0, 1] lie between two
// centres.  There a linear function of the two channels is nearly a linear function of the attribute.
constexpr double kEnd = 12;
constexpr std::size_t kCentres = 13;

class SoftAttributes final : public FeatureBlock {
 public:
  explicit SoftAttributes(std::size_t count) : count_(count) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("soft-attributes:{}", count_); }
  [[nodiscard]] std::size_t width() const noexcept override { return count_ * kCentres; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    // Attributes that a graph does not have give no signal.  Those beyond the count have no channel.
    const std::span<const double> values = graph.attributes(node);
    const std::size_t used = std::min(values.size(), count_);
    for (std::size_t k = 0; k < used; ++k) {
      emit_hats(std::asinh(values[k]), -kEnd, kEnd, kCentres, node,
                first_channel + static_cast<std::uint32_t>(k * kCentres), entries);
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

FeatureBlockOrError make_soft_attributes(std::string_view constants, const FitGraphs* graphs) {
  std::size_t count = 0;
  if (constants.empty()) {
    if (graphs == nullptr) return missing_constants("soft-attributes", "soft-attributes:3");
    count = largest_attribute_count(*graphs);
    if (count == 0)
      return Error{ErrorCode::kUnsupported, "feature 'soft-attributes': the data set has no node attributes"};
  } else {
    UNSCATTER_TRY(given, parse_width("soft-attributes", constants));
    count = given;
  }
  if (count > kMaxChannels / kCentres) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("feature 'soft-attributes': {} attributes are too many", count)};
  }
  return std::make_unique<const SoftAttributes>(count);
}

}  // namespace unscatter
