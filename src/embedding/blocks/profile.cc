// profile:B  What every node sees of the degrees around it: a local topological profile [Cai18] [Adamczyk23].
//
//   six numbers of a node: l(d); l of minimum, maximum, mean me and standard deviation of the neighbours' degrees; and
//   its local degree score s(d - me), s(x) = sign(x) ln(1 + |x|)
//   h_q = number of nodes at number q, soft(0, 8.4, B), the last one soft(-8.4, 8.4, B)
//   columns = sqrt(h_q / sum h_q) / sqrt(6)
//
// The deviation is the root of the mean of squares.  A node without neighbours has 0 six times.  Columns: the number,
// then the place.  6 B columns of norm 1, B = 17.  Cost: O(n + m).
#include <algorithm>
#include <array>
#include <cmath>

#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"

namespace unscatter {
namespace {

constexpr std::array kProfileConstants = {PartConstant{"centres", 17, 2, 1024}};
constexpr std::size_t kProfileNumbers = 6;

// Of the degrees of the neighbours of a node.
struct DegreesAround {
  double least = 0;
  double most = 0;
  double mean = 0;
  double deviation = 0;
};

DegreesAround degrees_around(const GraphShape& shape, std::size_t i) {
  const std::span<const NodeIndex> around = shape.neighbours(i);
  if (around.empty()) return {};
  DegreesAround found;
  found.least = static_cast<double>(shape.degree(around[0]));
  double sum = 0;
  for (const NodeIndex j : around) {
    const auto degree = static_cast<double>(shape.degree(j));
    found.least = std::min(found.least, degree);
    found.most = std::max(found.most, degree);
    sum += degree;
  }
  const auto count = static_cast<double>(around.size());
  found.mean = sum / count;
  // A second pass: a difference of two large sums would leave rounding where all degrees are equal.
  double squares = 0;
  for (const NodeIndex j : around) {
    const double apart = static_cast<double>(shape.degree(j)) - found.mean;
    squares += apart * apart;
  }
  found.deviation = std::sqrt(squares / count);
  return found;
}

class ProfilePart final : public Part {
 public:
  explicit ProfilePart(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return kProfileNumbers * centres_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    const auto line = [&](std::size_t q) { return columns.subspan(q * centres_, centres_); };
    for (std::size_t i = 0; i < shape.nodes(); ++i) {
      const DegreesAround around = degrees_around(shape, i);
      const auto degree = static_cast<double>(shape.degree(i));
      std::size_t q = 0;
      for (const double value : {degree, around.least, around.most, around.mean, around.deviation}) {
        add_to_line(line(q++), Between(std::log1p(value), kLargestLog, centres_));
      }
      const double above = degree - around.mean;
      const double score = std::copysign(std::log1p(std::abs(above)), above);
      add_to_line(line(q), Between(score + kLargestLog, 2 * kLargestLog, centres_));
    }
    for (std::size_t q = 0; q < kProfileNumbers; ++q) {
      finish_histogram(line(q), share / static_cast<double>(kProfileNumbers));
    }
  }

 private:
  std::size_t centres_;
};

}  // namespace

const PartKind kProfilePart = {
    "profile", kProfileConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const ProfilePart>(whole(constants[0])));
    }};

}  // namespace unscatter
