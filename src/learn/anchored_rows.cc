#include "learn/anchored_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "base/wipe.h"
#include "linalg/kernels.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

Index to_index(std::size_t i) { return static_cast<Index>(i); }

// Rows that go through both products while they are in the first-level cache.
constexpr std::size_t kBlockRows = 16;
// Rows that are added in single precision before their sum goes on in double precision.
constexpr std::size_t kSingleLeafRows = 64;
// The most pieces of work for the threads.
constexpr std::size_t kMostParts = 32;

// theta_k of single precision.
constexpr double single_rounding_factor(double k) {
  constexpr double kUnit = 0x1p-24;
  return k * kUnit / (1 - k * kUnit);
}
// A row is charged as if it were longer by this.  It covers what single precision cannot hold because it is too small:
// 2^-149 per number.
constexpr double kTooSmall = 1e-30;

// Whole leaves, so that a leaf is never cut.
std::size_t rows_per_part(std::size_t rows) {
  const std::size_t leaves = (rows + kSingleLeafRows - 1) / kSingleLeafRows;
  return std::max<std::size_t>((leaves + kMostParts - 1) / kMostParts, 1) * kSingleLeafRows;
}

std::size_t padded_width(std::size_t width) {
  return (width + kernel::kSingleLanes - 1) / kernel::kSingleLanes * kernel::kSingleLanes;
}

}  // namespace

struct AnchoredRows::Part {
  Eigen::MatrixXf leaf;  // stride x classes
  Matrix sum;            // the same
  std::vector<ClassSums> classes;
  RowSums rows;
  // For one block, kBlockRows numbers per class: z_i.x, then factors of rows; e_i; s_i + e_i, and l' and l'' there.
  std::vector<float> products;
  std::vector<double> moved;
  std::vector<double> margins;
  std::vector<double> slopes;
  std::vector<double> curvatures;

  void prepare(std::size_t stride, std::size_t count) {
    leaf = Eigen::MatrixXf::Zero(to_index(stride), to_index(count));
    sum = Matrix::Zero(to_index(stride), to_index(count));
    classes.resize(count);
    products.resize(count * kBlockRows);
    for (std::vector<double>* numbers : {&moved, &margins, &slopes, &curvatures}) numbers->resize(count * kBlockRows);
  }

  void operator+=(const Part& next) {
    sum += next.sum;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      classes[c].remainder += next.classes[c].remainder;
      classes[c].curved += next.classes[c].curved;
      classes[c].moved += next.classes[c].moved;
    }
    rows.lengths += next.rows.lengths;
    rows.squares += next.rows.squares;
    rows.cubes += next.rows.cubes;
    rows.longest = std::max(rows.longest, next.rows.longest);
  }

  // All sums as plain numbers, so that another rank can go on with them.  No leaf is unfinished.
  [[nodiscard]] std::size_t numbers() const { return static_cast<std::size_t>(sum.size()) + 3 * classes.size() + 4; }
  void write(std::span<double> to) const {
    auto out = std::copy_n(sum.data(), sum.size(), to.begin());
    for (const ClassSums& one : classes) {
      for (const double number : {one.remainder, one.curved, one.moved}) *out++ = number;
    }
    for (const double number : {rows.lengths, rows.squares, rows.cubes, rows.longest}) *out++ = number;
  }
  void read(std::span<const double> from) {
    std::copy_n(from.begin(), sum.size(), sum.data());
    auto in = from.begin() + sum.size();
    for (ClassSums& one : classes) {
      for (double* number : {&one.remainder, &one.curved, &one.moved}) *number = *in++;
    }
    for (double* number : {&rows.lengths, &rows.squares, &rows.cubes, &rows.longest}) *number = *in++;
  }
};

bool AnchoredRows::pay(const Objective& objective) {
  const SparseBlockRows& Z = objective.rows();
  return objective.loss().curvature_lipschitz() > 0 && 4 * Z.total_stored_values() >= 3 * Z.total_rows() * Z.columns();
}

std::size_t AnchoredRows::numbers(const Objective& objective) {
  // Of all ranks together, so that they decide as one process does.
  return objective.rows().total_rows() * (padded_width(objective.width()) / 2 + 3 * objective.classes());
}

AnchoredRows::AnchoredRows(const Objective& objective, const Matrix& anchor)
    : loss_(objective.loss()),
      anchor_(anchor),
      ridge_(objective.ridge()),
      total_rows_(objective.rows().total_rows()),
      stride_(padded_width(objective.width())),
      values_(objective.rows().rows() * stride_, 0.0F),
      margins_(objective.margins(anchor)) {
  loss_.derivatives(margins_, slopes_, curvatures_);
  Evaluation found = objective.evaluate(anchor);
  gradient_ = std::move(found.gradient);
  uncertainty_ = std::move(found.rounding);
  if (objective.perturbation() != nullptr) {
    // A later training may draw another one.
    gradient_ -= *objective.perturbation();
    uncertainty_ +=
        2 * kUnitRoundoff * (gradient_.colwise().norm() + objective.perturbation()->colwise().norm()).transpose();
  }
  for (std::size_t i = 0; i < rows(); ++i) copy_row(objective.rows().row(i), i);
}

void AnchoredRows::copy_row(const BlockRow& row, std::size_t i) {
  float* to = values_.data() + i * stride_;
  std::fill(to, to + stride_, 0.0F);
  const double* from = row.values.data();
  for (const Segment& segment : row.segments) {
    for (std::size_t c = 0; c < segment.length; ++c) to[segment.column + c] = static_cast<float>(*from++);
  }
}

void AnchoredRows::replace_row(std::optional<std::size_t> i, const BlockRow& before, const BlockRow& after,
                               std::uint32_t label, std::uint32_t label_before) {
  const double width = static_cast<double>(anchor_.rows());
  const double gamma_1 = loss_.curvature_bound();
  for (Index k = 0; k < anchor_.cols(); ++k) {
    const auto class_number = static_cast<std::uint32_t>(k);
    auto gradient = gradient_.col(k);
    // As in "Delta" of docs/theory.md: margin, slope, and the rounding of the two sums.
    double error = 0;
    const auto add = [&](const BlockRow& row, double sign, double direction) {
      const double margin = sign * dot(row, anchor_.col(k));
      const double slope = loss_.slope(margin);
      add_scaled(row, direction * sign * slope, gradient);
      const double length = norm(row);
      error += length * (gamma_1 * rounding_factor(width + 2) * length * anchor_.col(k).norm() +
                         8 * kUnitRoundoff * (1 + std::abs(slope)) + 4 * kUnitRoundoff * std::abs(slope)) +
               2 * kUnitRoundoff * gradient.norm();
      return margin;
    };
    add(before, class_number == label_before ? 1 : -1, -1);
    const double margin = add(after, class_number == label ? 1 : -1, 1);
    uncertainty_(k) += 1.01 * error;
    if (!i) continue;
    margins_(to_index(*i), k) = margin;
    slopes_(to_index(*i), k) = loss_.slope(margin);
    curvatures_(to_index(*i), k) = loss_.curvature(margin);
  }
  if (i) copy_row(after, *i);
}

void AnchoredRows::add_block(const Objective& objective, std::size_t first, std::size_t last,
                             std::span<const std::size_t> classes, const Eigen::MatrixXf& moves, const Vector& scales,
                             Part& part) const {
  const std::size_t rows = last - first;
  const std::size_t count = classes.size();
  const float* values = values_.data() + first * stride_;
  std::vector<float>& products = part.products;
  std::vector<double>& moved = part.moved;
  std::vector<double>& margins = part.margins;
  kernel::kernels().single_row_products(values, rows, stride_, moves.data(), count, products.data(), kBlockRows);
  std::array<double, kBlockRows> lengths{};
  for (std::size_t r = 0; r < rows; ++r) lengths[r] = objective.rows().row_norm(first + r) + kTooSmall;
  for (std::size_t r = 0; r < rows; ++r) {
    part.rows.lengths += lengths[r];
    part.rows.squares += lengths[r] * lengths[r];
    part.rows.cubes += lengths[r] * lengths[r] * lengths[r];
    part.rows.longest = std::max(part.rows.longest, lengths[r]);
  }
  for (std::size_t c = 0; c < count; ++c) {
    const double scale = scales(to_index(c));
    for (std::size_t r = 0; r < rows; ++r) {
      const double sign = objective.label(first + r) == classes[c] ? 1.0 : -1.0;
      moved[c * kBlockRows + r] = sign * scale * static_cast<double>(products[c * kBlockRows + r]);
    }
    const double* at_anchor = &margins_(to_index(first), to_index(classes[c]));
    for (std::size_t r = 0; r < rows; ++r) margins[c * kBlockRows + r] = at_anchor[r] + moved[c * kBlockRows + r];
  }
  // In the last block of all rows some places have no row.  Nobody looks at what is computed there.
  loss_.derivatives(margins, part.slopes, part.curvatures);
  for (std::size_t c = 0; c < count; ++c) {
    const double* slope = &slopes_(to_index(first), to_index(classes[c]));
    const double* curvature = &curvatures_(to_index(first), to_index(classes[c]));
    ClassSums& sums = part.classes[c];
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t at = c * kBlockRows + r;
      const double remainder = part.slopes[at] - slope[r] - curvature[r] * moved[at];
      sums.remainder += std::abs(remainder) * lengths[r];
      sums.curved += std::abs(part.curvatures[at] - curvature[r]) * lengths[r] * lengths[r];
      sums.moved += std::abs(moved[at]) * lengths[r];
      products[at] = static_cast<float>(objective.label(first + r) == classes[c] ? remainder : -remainder);
    }
  }
  kernel::kernels().add_single_rows(values, rows, stride_, products.data(), kBlockRows, count, part.leaf.data());
}

double AnchoredRows::remainder_error(const ClassSums& sums, const RowSums& of_rows, double move, double anchor) const {
  const double gamma = loss_.curvature_lipschitz();
  const double gamma_1 = loss_.curvature_bound();
  const double width = static_cast<double>(anchor_.rows());
  // e_i errs by product |z_i|: both factors are rounded, then their product and the sums.
  const std::size_t sums_of_lanes = stride_ / kernel::kSingleLanes;
  const double product = single_rounding_factor(static_cast<double>(sums_of_lanes) + 8) * move;
  const double of_moves = product * (sums.curved + gamma * product * of_rows.cubes);
  const double of_margins = 2 * gamma * rounding_factor(width + 2) * anchor * of_rows.longest * sums.moved;
  const double of_losses =
      kUnitRoundoff * (40 * of_rows.lengths + gamma_1 * (13 * sums.moved + anchor * of_rows.squares));
  const double of_sums = (single_rounding_factor(static_cast<double>(kSingleLeafRows) + 4) +
                          rounding_factor(static_cast<double>(total_rows_))) *
                             sums.remainder +
                         kTooSmall * of_rows.lengths;
  // One per cent covers products of two errors and the rounding of these sums.
  return 1.01 * (of_moves + of_margins + of_losses + of_sums);
}

void AnchoredRows::add_rows(const Objective& objective, std::size_t begin, std::size_t end,
                            std::span<const std::size_t> classes, const Eigen::MatrixXf& moves, const Vector& scales,
                            Part& part) const {
  for (std::size_t first = begin; first < end; first += kBlockRows) {
    const std::size_t last = std::min(first + kBlockRows, end);
    add_block(objective, first, last, classes, moves, scales, part);
    if (last % kSingleLeafRows != 0 && last != end) continue;
    part.sum += part.leaf.cast<double>();
    part.leaf.setZero();
  }
}

AnchoredRows::Part AnchoredRows::sum_of_parts(const Objective& objective, std::span<const std::size_t> classes,
                                              const Eigen::MatrixXf& moves, const Vector& scales) const {
  // Numbers of rows among all of them.  Ranks begin with whole leaves.
  const std::size_t begin = objective.rows().first_of_all();
  const std::size_t end = begin + rows();
  const std::size_t per_part = rows_per_part(total_rows_);
  std::vector<Part> parts((total_rows_ + per_part - 1) / per_part);
  const std::size_t work = rows() * stride_ * classes.size();
  parallel_for(parts.size(), worthwhile_threads(work, objective.threads()), 1, [&](std::size_t number, std::size_t) {
    const std::size_t first = number * per_part;
    if (first < begin || first >= end) return;
    parts[number].prepare(stride_, classes.size());
    add_rows(objective, first - begin, std::min(first + per_part, end) - begin, classes, moves, scales, parts[number]);
  });
  const RowShare* share = objective.rows().share();
  if (share == nullptr) {
    for (std::size_t number = 1; number < parts.size(); ++number) parts[0] += parts[number];
    return std::move(parts[0]);
  }
  // The sum of finished parts goes from rank to rank, and with it a part whose rows are with several ranks.
  Part whole;
  Part going_on;
  for (Part* one : {&whole, &going_on}) one->prepare(stride_, classes.size());
  const std::size_t size = whole.numbers();
  std::vector<double> state(2 * size, 0.0);
  in_turns(share, std::span(state), [&] {
    whole.read(std::span(state).first(size));
    for (std::size_t number = begin / per_part; number * per_part < end; ++number) {
      Part& part = number * per_part < begin ? going_on : parts[number];
      const std::size_t last = std::min((number + 1) * per_part, end);
      if (number * per_part < begin) {
        part.read(std::span(state).last(size));
        add_rows(objective, 0, last - begin, classes, moves, scales, part);
      }
      if (last == (number + 1) * per_part || last == total_rows_) {
        whole += part;
      } else {
        part.write(std::span(state).last(size));
      }
    }
    whole.write(std::span(state).first(size));
  });
  whole.read(std::span(state).first(size));
  return whole;
}

Evaluation AnchoredRows::evaluate(const Objective& objective, const Matrix& weights, const AnchoredProduct& product,
                                  std::span<const std::size_t> classes) const {
  invariant(objective.rows().rows() == rows() && weights.cols() == to_index(classes.size()),
            "AnchoredRows::evaluate(): the present rows, one column per class");
  const Index count = weights.cols();
  const Index width = weights.rows();
  Eigen::MatrixXf moves = Eigen::MatrixXf::Zero(to_index(stride_), count);
  Vector scales(count);
  Vector lengths(count);
  for (Index c = 0; c < count; ++c) {
    const Vector move = weights.col(c) - anchor_.col(to_index(classes[static_cast<std::size_t>(c)]));
    // Moves may be smaller than any single-precision number.
    scales(c) = move.cwiseAbs().maxCoeff();
    lengths(c) = move.norm();
    if (scales(c) > 0) moves.col(c).head(width) = (move / scales(c)).cast<float>();
  }
  const Part sums = sum_of_parts(objective, classes, moves, scales);
  Evaluation result{Matrix(width, count), Vector(count)};
  for (Index c = 0; c < count; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const Index k = to_index(classes[at]);
    const double anchor = anchor_.col(k).norm();
    const auto remainder = sums.sum.col(c).head(width);
    result.gradient.col(c) =
        gradient_.col(k) + (objective.ridge() - ridge_) * anchor_.col(k) + product.columns.col(c) + remainder;
    double perturbation = 0;
    if (objective.perturbation() != nullptr) {
      result.gradient.col(c) += objective.perturbation()->col(k);
      perturbation = objective.perturbation()->col(k).norm();
    }
    const double of_sums = 8 * kUnitRoundoff *
                           (perturbation + gradient_.col(k).norm() + (objective.ridge() + ridge_) * anchor +
                            product.columns.col(c).norm() + remainder.norm());
    result.rounding(c) = (uncertainty_(k) + product.error(c) +
                          remainder_error(sums.classes[at], sums.rows, lengths(c), anchor) + of_sums) *
                         (1 + 8 * kUnitRoundoff);
  }
  return result;
}

void AnchoredRows::wipe() noexcept {
  unscatter::wipe(std::as_writable_bytes(std::span(values_)));
  for (Matrix* matrix : {&anchor_, &gradient_, &margins_, &slopes_, &curvatures_}) wipe_matrix(*matrix);
}

}  // namespace unscatter
