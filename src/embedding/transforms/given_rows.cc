#include "embedding/transforms/given_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace unscatter {
namespace {

class GivenRows final : public Transform {
 public:
  explicit GivenRows(double scale) : scale_(scale) {}

  [[nodiscard]] std::string name() const override {
    return scale_ == 1 ? std::string("rows as they were given")
                       : fmt::format("rows as they were given, divided by {}", scale_);
  }
  [[nodiscard]] std::size_t width(std::size_t channels) const noexcept override { return channels; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }
  [[nodiscard]] bool made_outside() const noexcept override { return true; }

  [[nodiscard]] Status embed(const Graph& graph, const NodeSignals& signals, std::size_t, Scratch&,
                             BlockRow& row) const override {
    // Nobody said how the numbers of several nodes become one row.
    if (graph.node_count() != 1) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("the embedding 'rows' takes graphs of one node, whose attributes are the row; this one "
                               "has {} nodes",
                               graph.node_count())};
    }
    row.clear();
    const std::size_t count = signals.width();
    for (std::size_t first = 0; first < count;) {
      std::size_t end = first + 1;
      while (end < count && signals.channels[end] == signals.channels[end - 1] + 1) ++end;
      double* values = row.append(signals.channels[first], end - first);
      for (std::size_t k = first; k < end; ++k) {
        // Divided and not multiplied by 1 / scale, which would round twice.
        *values = signals.values[k] / scale_;
        if (!std::isfinite(*values)) {
          return Error{ErrorCode::kUnsupported,
                       fmt::format("column {}: {} / {} is not finite", signals.channels[k], signals.values[k], scale_)};
        }
        ++values;
      }
      first = end;
    }
    return ok_status();
  }

 private:
  double scale_;
};

}  // namespace

Result<std::unique_ptr<Transform>> make_given_rows(double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the scale {} of rows is not a positive, finite number", scale)};
  }
  return std::unique_ptr<Transform>(std::make_unique<GivenRows>(scale));
}

}  // namespace unscatter
