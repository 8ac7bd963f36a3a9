#include "embedding/blocks/blocks_transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "embedding/blocks/drawing.h"
#include "embedding/blocks/recipes.h"
#include "embedding/blocks/stored_runs.h"

namespace unscatter {
namespace {

// A typing error must not ask for gigabytes.
constexpr std::size_t kMostColumns = std::size_t{1} << 22;

struct WeightedPart {
  std::unique_ptr<const Part> part;
  double share = 0;  // of the squared norm
  bool positions = false;
};

class BlocksTransform final : public Transform {
 public:
  BlocksTransform(std::string_view recipe, const DataForm& form, std::string text, std::vector<WeightedPart> parts,
                  std::size_t columns, const Recipe& resolved)
      : recipe_(recipe),
        form_(form),
        text_(std::move(text)),
        parts_(std::move(parts)),
        columns_(columns),
        scale_(resolved.scale),
        doubt_(resolved.doubt) {
    const std::optional<FourierStep>& fourier = resolved.fourier;
    if (fourier) fourier_ = std::make_unique<const RandomFourier>(*fourier, columns);
    needs_edges_ = doubt_ > 0 || (fourier && fourier->drawn) ||
                   std::any_of(parts_.begin(), parts_.end(), [](const WeightedPart& part) { return !part.positions; });
  }

  [[nodiscard]] std::string name() const override { return text_; }
  [[nodiscard]] std::size_t width(std::size_t) const noexcept override {
    return fourier_ != nullptr ? fourier_->width() : columns_;
  }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Memory>(); }

  [[nodiscard]] Result<std::shared_ptr<const Transform>> bound_to(std::string_view features) const override {
    if (form_in(features) == form_) return std::shared_ptr<const Transform>();
    UNSCATTER_TRY(bound, make_blocks_transform(recipe_, features));
    return std::shared_ptr<const Transform>(std::move(bound));
  }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals&, std::size_t, Scratch& scratch,
                             BlockRow& row) const override {
    auto& memory = dynamic_cast<Memory&>(scratch);
    GraphShape& shape = memory.shape;
    shape.look_at(graph, needs_edges_);
    memory.z.assign(columns_, 0.0);
    const bool drawn = fourier_ != nullptr && fourier_->drawn();
    if (drawn) {
      memory.drawing.draw(shape);
      shape.set_image(memory.drawing, 0);
    }
    draw_parts(memory, false);
    const double length = doubt_ > 0 ? scale_ * trust(static_cast<double>(shape.nodes())) : scale_;
    if (fourier_ == nullptr) {
      for (double& value : memory.z) value *= length;
      store_runs(memory.z, row);
      return ok_status();
    }
    row.clear();
    const std::size_t count = fourier_->width();
    const std::span<double> x(row.append(0, count), count);
    std::fill(x.begin(), x.end(), 0.0);
    const std::size_t views = drawn ? Drawing::kViews : 1;
    for (std::size_t view = 0; view < views; ++view) {
      if (view > 0) {
        shape.set_image(memory.drawing, view);
        draw_parts(memory, true);
      }
      fourier_->add(memory.z, length / static_cast<double>(views), memory.phases, x);
    }
    return ok_status();
  }

 private:
  struct Memory final : Scratch {
    GraphShape shape;
    Drawing drawing;
    std::vector<double> z;
    std::vector<double> phases;
  };

  // n / sqrt(n^2 + C^2)
  [[nodiscard]] double trust(double nodes) const { return nodes / std::sqrt(nodes * nodes + doubt_ * doubt_); }

  // All of them, or only those that look at positions.
  void draw_parts(Memory& memory, bool only_images) const {
    std::span<double> left(memory.z);
    for (const WeightedPart& weighted : parts_) {
      const std::span<double> columns = left.first(weighted.part->width());
      left = left.subspan(columns.size());
      if (only_images && !weighted.positions) continue;
      if (only_images) std::fill(columns.begin(), columns.end(), 0.0);
      weighted.part->draw(memory.shape, weighted.share, columns);
    }
  }

  std::string recipe_;  // as it was given
  DataForm form_;
  std::string text_;  // with the choices that follow from the form
  std::vector<WeightedPart> parts_;
  std::size_t columns_;
  double scale_;
  double doubt_;
  bool needs_edges_ = true;
  std::unique_ptr<const RandomFourier> fourier_;
};

}  // namespace

Result<std::unique_ptr<Transform>> make_blocks_transform(std::string_view recipe, std::string_view features) {
  const DataForm form = form_in(features);
  UNSCATTER_TRY(resolved, resolve_recipe(recipe, form));
  double all_weights = 0;
  for (const RecipePart& part : resolved.parts) all_weights += part.weight;
  std::vector<WeightedPart> parts;
  std::size_t columns = 0;
  for (const RecipePart& part : resolved.parts) {
    parts.push_back({part.kind->make(part.constants, form), part.weight / all_weights, part.kind->needs.positions});
    columns += parts.back().part->width();
    // Checked after every part, so that the sum cannot overflow.
    if (columns > kMostColumns) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("recipe '{}': more than {} columns; choose smaller constants", recipe, kMostColumns)};
    }
  }
  return std::unique_ptr<Transform>(
      std::make_unique<BlocksTransform>(recipe, form, write_recipe(resolved), std::move(parts), columns, resolved));
}

}  // namespace unscatter
