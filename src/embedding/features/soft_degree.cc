// soft-degree:B  log(1 + degree), spread over two neighbours among B equally spaced centres.
#include <fmt/format.h>

#include <cmath>

#include "embedding/features/hat_functions.h"
#include "embedding/features/registry.h"

namespace unscatter {
namespace {

// log(1 + 4446) = 8.4.  Larger degrees share the last channel.  With 16 centres the degrees 0, 1, 2, 3 still differ
// (docs/constants.md, "Default features").
constexpr double kLargestLogDegree = 8.4;
constexpr std::size_t kBuiltInCentres = 16;

class SoftDegree final : public FeatureBlock {
 public:
  explicit SoftDegree(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::string describe() const override { return fmt::format("soft-degree:{}", centres_); }
  [[nodiscard]] std::size_t width() const noexcept override { return centres_; }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    const double place = std::log1p(static_cast<double>(graph.degree(node)));
    emit_hats(place, 0, kLargestLogDegree, centres_, node, first_channel, entries);
  }

 private:
  std::size_t centres_;
};

}  // namespace

FeatureBlockOrError make_soft_degree(std::string_view constants, const FitGraphs*) {
  if (constants.empty()) return std::make_unique<const SoftDegree>(kBuiltInCentres);
  UNSCATTER_TRY(centres, parse_width("soft-degree", constants));
  if (centres < 2) {
    return Error{ErrorCode::kInvalidArgument, "feature 'soft-degree': at least 2 centres, as in 'soft-degree:16'"};
  }
  return std::make_unique<const SoftDegree>(centres);
}

}  // namespace unscatter
