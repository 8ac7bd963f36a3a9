// spectrum:B  Eigenvalues of the adjacency matrix and of the normalised Laplacian.
//
//   a_c = sum over eigenvalues e of A of exp(-(s(e) - p_c)^2 / (2 w^2)),   p: B equally spaced centres from -4 to 6
//   b_c = sum over eigenvalues e of I - S of exp(-(e - p_c)^2 / (2 w^2)),  p: B equally spaced centres from 0 to 2
//   columns = sqrt(a / sum a) / sqrt(2), sqrt(b / sum b) / sqrt(2)
//
// s(x) = sign(x) ln(1 + |x|), S = D^-1/2 A D^-1/2, w = 4/5 of the distance of two centres.  Numbers outside count as
// the nearer end.  A node without neighbours has the eigenvalue 1 of I - S.  The root of a bell is a bell, so rounding
// of eigenvalues is not magnified.  2 B columns of norm 1, B = 41.  Cost: O(n^3) steps and n^2 numbers of memory, so a
// graph with more than 4,096 nodes has 0.
#include <algorithm>
#include <array>
#include <cmath>

#include "embedding/blocks/exp_minus.h"
#include "embedding/blocks/histograms.h"
#include "embedding/blocks/part.h"
#include "linalg/symmetric_eigenvalues.h"

namespace unscatter {
namespace {

constexpr std::array kSpectrumConstants = {PartConstant{"centres", 41, 2, 1024}};
constexpr std::size_t kMostSpectrumNodes = 4096;
// The pads of a graph shape.
constexpr std::size_t kMatrixPad = 0;
constexpr std::size_t kEigenvaluePad = 1;
constexpr std::size_t kSolverPad = 2;
constexpr std::size_t kBellPad = 3;

class SpectrumPart final : public Part {
 public:
  explicit SpectrumPart(std::size_t centres) : centres_(centres) {}
  [[nodiscard]] std::size_t width() const noexcept override { return 2 * centres_; }
  void draw(GraphShape& shape, double share, std::span<double> columns) const override {
    if (shape.nodes() > kMostSpectrumNodes) return;
    const std::span<double> adjacency = eigenvalues(shape, [](std::size_t, std::size_t) { return 1.0; });
    for (double& value : adjacency) value = std::copysign(std::log1p(std::abs(value)), value);
    add_bells(shape, adjacency, -4, 6, share / 2, columns.first(centres_));
    const std::span<double> walk = eigenvalues(shape, [&](std::size_t i, std::size_t j) {
      return 1 / std::sqrt(static_cast<double>(shape.degree(i)) * static_cast<double>(shape.degree(j)));
    });
    for (double& value : walk) value = 1 - value;
    add_bells(shape, walk, 0, 2, share / 2, columns.subspan(centres_));
  }

 private:
  // Of the symmetric matrix that has entry(i, j) at the edges and 0 elsewhere.
  template <typename Entry>
  static std::span<double> eigenvalues(GraphShape& shape, Entry entry) {
    const std::size_t n = shape.nodes();
    const std::span<double> matrix = shape.numbers(kMatrixPad, n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (const NodeIndex j : shape.neighbours(i)) matrix[i * n + j] = entry(i, j);
    }
    const std::span<double> values = shape.numbers(kEigenvaluePad, n);
    symmetric_eigenvalues(matrix, values, shape.numbers(kSolverPad, symmetric_eigenvalues_memory(n)));
    return values;
  }

  void add_bells(GraphShape& shape, std::span<const double> values, double low, double high, double share,
                 std::span<double> columns) const {
    const double apart = (high - low) / static_cast<double>(centres_ - 1);
    const double width = 0.8 * apart;
    const std::span<double> bell = shape.numbers(kBellPad, centres_);
    for (const double value : values) {
      const double place = std::clamp(value, low, high);
      for (std::size_t c = 0; c < centres_; ++c) {
        const double away = (place - (low + static_cast<double>(c) * apart)) / width;
        bell[c] = away * away / 2;
      }
      exp_minus(bell.data(), centres_);
      for (std::size_t c = 0; c < centres_; ++c) columns[c] += bell[c];
    }
    finish_histogram(columns, share);
  }

  std::size_t centres_;
};

}  // namespace

const PartKind kSpectrumPart = {
    "spectrum", kSpectrumConstants, {}, [](std::span<const double> constants, const DataForm&) {
      return std::unique_ptr<const Part>(std::make_unique<const SpectrumPart>(whole(constants[0])));
    }};

}  // namespace unscatter
