// product(a,b)  Every channel of a times every channel of b.  The channels of b run faster.
#include <fmt/format.h>

#include <utility>

#include "embedding/features/registry.h"

namespace unscatter {
namespace {

class Product final : public FeatureBlock {
 public:
  Product(std::unique_ptr<const FeatureBlock> first, std::unique_ptr<const FeatureBlock> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  [[nodiscard]] std::string describe() const override {
    return fmt::format("product({},{})", first_->describe(), second_->describe());
  }
  [[nodiscard]] std::size_t width() const noexcept override { return first_->width() * second_->width(); }
  [[nodiscard]] Status check(const Graph& graph) const override {
    UNSCATTER_CHECK_OK(first_->check(graph));
    return second_->check(graph);
  }
  [[nodiscard]] bool fit_may_change(const Graph& before, const Graph* after) const override {
    return first_->fit_may_change(before, after) || second_->fit_may_change(before, after);
  }
  [[nodiscard]] bool fit_shown_by(const Graph& graph) const override {
    return first_->fit_shown_by(graph) && second_->fit_shown_by(graph);
  }
  void emit(const Graph& graph, NodeIndex node, std::uint32_t first_channel,
            std::vector<FeatureEntry>& entries) const override {
    // The entries of both factors are put at the end of `entries` for a moment.  So this needs no memory of its own.
    const std::size_t start = entries.size();
    first_->emit(graph, node, 0, entries);
    const std::size_t middle = entries.size();
    second_->emit(graph, node, 0, entries);
    const std::size_t end = entries.size();
    for (std::size_t a = start; a < middle; ++a) {
      for (std::size_t b = middle; b < end; ++b) {
        // By index and not by reference: push_back() may move the entries.
        const std::size_t channel = first_channel + entries[a].channel * second_->width() + entries[b].channel;
        const double value = entries[a].value * entries[b].value;
        entries.push_back({node, static_cast<std::uint32_t>(channel), value});
      }
    }
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(start),
                  entries.begin() + static_cast<std::ptrdiff_t>(end));
  }

 private:
  std::unique_ptr<const FeatureBlock> first_;
  std::unique_ptr<const FeatureBlock> second_;
};

}  // namespace

std::unique_ptr<const FeatureBlock> make_product(std::unique_ptr<const FeatureBlock> first,
                                                 std::unique_ptr<const FeatureBlock> second) {
  return std::make_unique<const Product>(std::move(first), std::move(second));
}

}  // namespace unscatter
