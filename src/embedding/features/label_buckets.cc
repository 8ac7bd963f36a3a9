// label-buckets:B  One channel per remainder of the node label modulo B.
#include <fmt/format.h>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

// Labels 0 .. 63 get a channel each, so small vocabularies do not collide.  Labels beyond share channels.
constexpr std::size_t kBuiltInBuckets = 64;

class LabelBuckets final : public FeatureBlock {
 public:
  explicit LabelBuckets(std::size_t buckets) : buckets_(buckets) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("label-buckets:{}", buckets_); }
  [[nodiscard]] std::size_t width() const noexcept override { return buckets_; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    // A graph without labels gives no signal here and is no error: it must not decide what others may use.
    if (!graph.has_labels()) return;
    const auto buckets = static_cast<std::int64_t>(buckets_);
    // The remainder of a negative number is negative in C++.
    const std::int64_t bucket = (graph.label(node) % buckets + buckets) % buckets;
    entries.push_back({node, first_channel + static_cast<std::uint32_t>(bucket), 1.0});
  }
  // In a map that was chosen by "auto" this block stands for "some graph has labels".
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    return after == nullptr && before.has_labels();
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override { return graph.has_labels(); }

 private:
  std::size_t buckets_;
};

}  // namespace

FeatureBlockOrError make_label_buckets(std::string_view constants, const FitGraphs*) {
  if (constants.empty()) return std::make_unique<const LabelBuckets>(kBuiltInBuckets);
  UNSCATTER_TRY(buckets, parse_width("label-buckets", constants));
  return std::make_unique<const LabelBuckets>(buckets);
}

}  // namespace unscatter
