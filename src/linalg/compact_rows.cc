#include "linalg/compact_rows.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/wipe.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Row kernels need some ten instructions per segment, and as many per value where segments are short.  From this many
// values per segment on their lanes pay (IMDB-BINARY: 2 values, 27 instructions per value; 7 by a copy).
constexpr std::size_t kLongSegment = 12;
// 12 bytes each.  Larger data gain by threads and lanes, and a second copy of them is not wanted.
constexpr std::size_t kMostValues = std::size_t{1} << 22;
// Values per part, at least.  The number of parts depends on the rows alone.
constexpr std::size_t kCompactPartValues = std::size_t{1} << 16;
constexpr std::size_t kMostCompactParts = 8;

std::size_t segments_of(const SparseBlockRows& Z) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < Z.rows(); ++i) count += Z.row(i).segments.size();
  return count;
}

}  // namespace

bool CompactRows::pay(const SparseBlockRows& Z) {
  return Z.stored_values() <= kMostValues && Z.stored_values() < kLongSegment * segments_of(Z);
}

CompactRows::CompactRows(const SparseBlockRows& Z) {
  std::vector<std::uint32_t> place(Z.columns(), 0);
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    for (const Segment& segment : Z.row(i).segments) {
      std::fill_n(place.begin() + segment.column, segment.length, std::uint32_t{1});
    }
  }
  for (std::uint32_t column = 0; column < Z.columns(); ++column) {
    if (place[column] == 0) continue;
    place[column] = static_cast<std::uint32_t>(occurring_.size());
    occurring_.push_back(column);
  }
  values_.reserve(Z.stored_values());
  places_.reserve(Z.stored_values());
  starts_.reserve(Z.rows() + 1);
  starts_.push_back(0);
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    const BlockRow& row = Z.row(i);
    values_.insert(values_.end(), row.values.begin(), row.values.end());
    for (const Segment& segment : row.segments) {
      places_.insert(places_.end(), place.begin() + segment.column, place.begin() + segment.column + segment.length);
    }
    starts_.push_back(values_.size());
  }
}

CompactRows::~CompactRows() {
  wipe(values_);
  wipe(places_);
}

Matrix CompactRows::gathered(const Matrix& X) const {
  Matrix some(static_cast<Index>(columns()), X.cols());
  for (std::size_t place = 0; place < columns(); ++place) {
    some.row(static_cast<Index>(place)) = X.row(static_cast<Index>(occurring_[place]));
  }
  return some;
}

void CompactRows::spread(const Matrix& some, Matrix& X) const {
  for (std::size_t place = 0; place < columns(); ++place) {
    X.row(static_cast<Index>(occurring_[place])) = some.row(static_cast<Index>(place));
  }
}

std::size_t CompactRows::parts() const {
  return std::clamp(values_.size() / kCompactPartValues, std::size_t{1}, kMostCompactParts);
}

void CompactRows::add_rows(std::size_t first, std::size_t last, const double* weights, const double* x,
                           double* sums) const {
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t end = starts_[i + 1];
    std::size_t at = starts_[i];
    // Four sums that do not wait for each other.
    double product[4] = {};
    for (; at + 4 <= end; at += 4) {
      for (std::size_t t = 0; t < 4; ++t) product[t] += values_[at + t] * x[places_[at + t]];
    }
    for (; at < end; ++at) product[0] += values_[at] * x[places_[at]];
    const double factor = weights[i] * ((product[0] + product[1]) + (product[2] + product[3]));
    for (at = starts_[i]; at < end; ++at) sums[places_[at]] += factor * values_[at];
  }
}

Matrix CompactRows::weighted_square_product(const Matrix& weights, const Matrix& X, std::size_t threads) const {
  const std::size_t rows = starts_.size() - 1;
  invariant(weights.rows() == static_cast<Index>(rows) && weights.cols() == X.cols() &&
                X.rows() == static_cast<Index>(columns()),
            "CompactRows: one weight per row and column, one line per column that occurs");
  const std::size_t count = parts();
  std::vector<Matrix> sums(count);
  const auto multiplications = values_.size() * static_cast<std::size_t>(X.cols());
  parallel_for(count, worthwhile_threads(multiplications, threads), 1, [&](std::size_t part, std::size_t) {
    sums[part] = Matrix::Zero(X.rows(), X.cols());
    for (Index c = 0; c < X.cols(); ++c) {
      add_rows(part * rows / count, (part + 1) * rows / count, weights.col(c).data(), X.col(c).data(),
               sums[part].col(c).data());
    }
  });
  for (std::size_t part = 1; part < count; ++part) sums[0] += sums[part];
  return std::move(sums[0]);
}

}  // namespace unscatter
