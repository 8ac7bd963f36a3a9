// Parts that look at sums and means of the first N attributes, with s(x) = sign(x) ln(1 + |x|).
//
// attribute-levels:N   per attribute k: h_k = nodes at s(x_k), soft(-2, 6, 33);  sqrt(h_k / sum h_k) / sqrt(N).
//                      33 N columns of norm at most 1.
// attribute-sums:N     q_k = s(sum over nodes of x_k), t in {1/4, 1/2, 1}:  [cos(t q_k), sin(t q_k)] / sqrt(3 N).
//                      6 N columns of norm at most 1.
// label-sums:N:B       q_bk = s(sum of x_k over the nodes with label b modulo B), t in {1/4, 1/2, 1}:
//                      [cos(t q_bk), sin(t q_bk)] / sqrt(3 B N).  6 B N columns of norm at most 1, B = 4.
//
// Columns: (label,) attribute, then t, then cosine and sine.  Sums are cut to +-10^300.  N = 0 stands for as many as
// the data have.  Attributes that a graph does not have are left out, and so are nodes whose features were removed.  A
// graph without attributes has 0; for label-sums also one without labels.  Cost: O(n N).
#include <algorithm>
#include <array>
#include <cmath>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr PartConstant kCountOfAttributes = {"attributes", 0, 0, 1 << 16};
constexpr std::array kAttributeSumsConstants = {kCountOfAttributes};
constexpr std::array kLabelSumsConstants = {kCountOfAttributes, PartConstant{"labels", 4, 1, 4096}};

constexpr std::size_t kLevels = 33;
constexpr double kLowestLevel = -2;
constexpr double kHighestLevel = 6;
constexpr double kLargestSum = 1e300;
constexpr std::array kSumScales = {0.25, 0.5, 1.0};

double signed_log(double x) { return std::copysign(std::log1p(std::abs(x)), x); }

std::size_t attributes_used(double constant, const DataForm& form) {
  return constant == 0 ? form.attributes : whole(constant);
}

template <std::size_t kScales>
void draw_waves(std::span<const double> q, const std::array<double, kScales>& scales, double scale,
                std::span<double> columns) {
  std::size_t column = 0;
  for (const double value : q) {
    for (const double t : scales) {
      columns[column++] = scale * std::cos(t * value);
      columns[column++] = scale * std::sin(t * value);
    }
  }
}

// Calls each(i, attributes of i) for the nodes that have features.
template <typename Each>
void for_attributes(const GraphShape& shape, std::size_t used, Each each) {
  for (std::size_t i = 0; i < shape.nodes(); ++i) {
    if (shape.has_features(i)) each(i, shape.graph().attributes(shape.original(i)).first(used));
  }
}

// The sums of the first attributes.
std::span<const double> sums_of_attributes(GraphShape& shape, std::size_t used) {
  const std::span<double> sums = shape.numbers(0, used);
  for_attributes(shape, used, [&](std::size_t, std::span<const double> x) {
    for (std::size_t k = 0; k < used; ++k) sums[k] = std::clamp(sums[k] + x[k], -kLargestSum, kLargestSum);
  });
  return sums;
}

// Some number of attributes, and some columns for each.
class OfAttributes : public Part {
 public:
  OfAttributes(std::size_t count, std::size_t columns_each) : count_(count), columns_each_(columns_each) {}
  [[nodiscard]] std::size_t width() const noexcept final { return count_ * columns_each_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const final {
    const std::size_t used = std::min(count_, shape.graph().attribute_count());
    if (used > 0) draw_used(shape, used, share, columns);
  }

 protected:
  virtual void draw_used(GraphShape& shape, std::size_t used, double share, std::span<double> columns) const = 0;

  std::size_t count_;
  std::size_t columns_each_;
};

class AttributeLevelsPart final : public OfAttributes {
 public:
  AttributeLevelsPart(std::span<const double> constants, const DataForm& form)
      : OfAttributes(attributes_used(constants[0], form), kLevels) {}

 private:
  void draw_used(GraphShape& shape, std::size_t used, double share, std::span<double> columns) const override {
    for_attributes(shape, used, [&](std::size_t, std::span<const double> x) {
      for (std::size_t k = 0; k < used; ++k) {
        const Between place(signed_log(x[k]) - kLowestLevel, kHighestLevel - kLowestLevel, kLevels);
        columns[k * kLevels + place.left] += place.share(0);
        columns[k * kLevels + place.left + 1] += place.share(1);
      }
    });
    for (std::size_t k = 0; k < used; ++k) {
      finish_histogram(columns.subspan(k * kLevels, kLevels), share / static_cast<double>(count_));
    }
  }
};

class AttributeSumsPart final : public OfAttributes {
 public:
  AttributeSumsPart(std::span<const double> constants, const DataForm& form)
      : OfAttributes(attributes_used(constants[0], form), 2 * kSumScales.size()) {}

 private:
  void draw_used(GraphShape& shape, std::size_t used, double share, std::span<double> columns) const override {
    const std::span<const double> sums = sums_of_attributes(shape, used);
    const std::span<double> q = shape.numbers(1, used);
    std::transform(sums.begin(), sums.end(), q.begin(), signed_log);
    draw_waves(q, kSumScales, std::sqrt(share / static_cast<double>(kSumScales.size() * count_)), columns);
  }
};

class LabelSumsPart final : public OfAttributes {
 public:
  LabelSumsPart(std::span<const double> constants, const DataForm& form)
      : OfAttributes(attributes_used(constants[0], form), 2 * kSumScales.size() * whole(constants[1])),
        labels_(whole(constants[1])) {}

 private:
  void draw_used(GraphShape& shape, std::size_t used, double share, std::span<double> columns) const override {
    if (!shape.graph().has_labels()) return;
    const std::span<double> q = shape.numbers(0, labels_ * used);
    for_attributes(shape, used, [&](std::size_t i, std::span<const double> x) {
      const std::span<double> sums = q.subspan(shape.label_modulo(i, labels_) * used, used);
      for (std::size_t k = 0; k < used; ++k) sums[k] = std::clamp(sums[k] + x[k], -kLargestSum, kLargestSum);
    });
    std::transform(q.begin(), q.end(), q.begin(), signed_log);
    const double scale = std::sqrt(share / static_cast<double>(kSumScales.size() * labels_ * count_));
    const std::size_t wide = 2 * kSumScales.size();
    for (std::size_t label = 0; label < labels_; ++label) {
      draw_waves(q.subspan(label * used, used), kSumScales, scale, columns.subspan(label * count_ * wide, used * wide));
    }
  }

  std::size_t labels_;
};

template <typename Made>
std::unique_ptr<const Part> make_sums(std::span<const double> constants, const DataForm& form) {
  return std::make_unique<const Made>(constants, form);
}

}  // namespace

const PartKind kAttributeLevelsPart = {
    "attribute-levels", kAttributeSumsConstants, {.attributes = true}, make_sums<AttributeLevelsPart>};
const PartKind kAttributeSumsPart = {
    "attribute-sums", kAttributeSumsConstants, {.attributes = true}, make_sums<AttributeSumsPart>};
const PartKind kLabelSumsPart = {
    "label-sums", kLabelSumsConstants, {.labels = true, .attributes = true}, make_sums<LabelSumsPart>};

}  // namespace unscatter
