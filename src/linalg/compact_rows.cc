#include "linalg/compact_rows.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "base/wipe.h"
#include "linalg/dense_row_kernels.h"
#include "linalg/row_share.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

using Eigen::Index;

// Row kernels need some ten instructions per segment, and as many per value where segments are short.  From this many
// values per segment on their lanes pay (IMDB-BINARY: 2 values, 27 instructions per value; 7 by a copy).
constexpr std::size_t kLongSegment = 12;
// At most 64 bytes each, with empty places.  Larger data gain by threads and lanes, and a second copy of them is not
// wanted.
constexpr std::size_t kMostValues = std::size_t{1} << 22;
// Values per part, at least.  The number of parts depends on the rows alone.
constexpr std::size_t kCompactPartValues = std::size_t{1} << 16;
constexpr std::size_t kMostCompactParts = 8;
// A column is frequent if one of so many rows has it.  On IMDB-BINARY a place takes 1.2 instructions per pass, and a
// value that has to be found 15.
constexpr std::size_t kFewRows = 8;
// They stay in the first-level cache between the two passes over them.
constexpr std::size_t kCompactRowsAtOnce = 16;

std::size_t segments_of(const SparseBlockRows& Z) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < Z.rows(); ++i) count += Z.row(i).segments.size();
  return count_of_all(Z.share(), count);
}

}  // namespace

bool CompactRows::pay(const SparseBlockRows& Z) {
  return Z.total_stored_values() <= kMostValues && Z.total_stored_values() < kLongSegment * segments_of(Z);
}

CompactRows::CompactRows(const SparseBlockRows& Z)
    : shared_(Z.share() == nullptr ? nullptr : &Z), stored_(Z.total_stored_values()) {
  std::vector<std::uint32_t> count(Z.columns(), 0);  // of the rows that have the column
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    for (const Segment& segment : Z.row(i).segments) {
      for (std::uint32_t c = segment.column; c < segment.column + segment.length; ++c) ++count[c];
    }
  }
  if (Z.share() != nullptr) {
    // Those of all ranks.  Counts are exact in double precision.
    std::vector<double> total(Z.columns(), 0);
    in_turns(Z.share(), total, [&] {
      for (std::size_t c = 0; c < Z.columns(); ++c) total[c] += count[c];
    });
    std::transform(total.begin(), total.end(), count.begin(), [](double t) { return static_cast<std::uint32_t>(t); });
  }
  for (std::uint32_t column = 0; column < Z.columns(); ++column) {
    if (count[column] > 0) occurring_.push_back(column);
  }
  std::stable_sort(occurring_.begin(), occurring_.end(),
                   [&count](std::uint32_t one, std::uint32_t other) { return count[one] > count[other]; });
  while (frequent_ < columns() && kFewRows * count[occurring_[frequent_]] >= Z.total_rows()) ++frequent_;
  // Whole vectors.
  frequent_ = std::min((frequent_ + kernel::kDenseWidth - 1) / kernel::kDenseWidth, columns() / kernel::kDenseWidth) *
              kernel::kDenseWidth;
  std::vector<std::uint32_t> place(Z.columns(), 0);
  for (std::size_t i = 0; i < columns(); ++i) place[occurring_[i]] = static_cast<std::uint32_t>(i);
  dense_.assign(Z.rows() * frequent_, 0);
  starts_.reserve(Z.rows() + 1);
  starts_.push_back(0);
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    const BlockRow& row = Z.row(i);
    std::size_t at = 0;
    for (const Segment& segment : row.segments) {
      for (std::uint32_t c = segment.column; c < segment.column + segment.length; ++c, ++at) {
        if (place[c] < frequent_) {
          dense_[i * frequent_ + place[c]] = row.values[at];
        } else {
          values_.push_back(row.values[at]);
          places_.push_back(place[c]);
        }
      }
    }
    starts_.push_back(values_.size());
  }
}

CompactRows::~CompactRows() {
  wipe(dense_);
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
  return std::clamp(stored_ / kCompactPartValues, std::size_t{1}, kMostCompactParts);
}

void CompactRows::add_rows(std::size_t first, std::size_t last, const double* weights, const double* x,
                           double* sums) const {
  const kernel::DenseRowKernels& kernels = kernel::dense_row_kernels();
  std::array<double, kCompactRowsAtOnce> factors{};
  for (std::size_t begin = first; begin < last; begin += kCompactRowsAtOnce) {
    const std::size_t count = std::min(kCompactRowsAtOnce, last - begin);
    const double* dense = dense_.data() + begin * frequent_;
    kernels.products(dense, count, frequent_, x, factors.data());
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t at = starts_[begin + r]; at < starts_[begin + r + 1]; ++at) {
        factors[r] += values_[at] * x[places_[at]];
      }
      factors[r] *= weights[begin + r];
    }
    kernels.add(dense, count, frequent_, factors.data(), sums);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t at = starts_[begin + r]; at < starts_[begin + r + 1]; ++at) {
        sums[places_[at]] += factors[r] * values_[at];
      }
    }
  }
}

Matrix CompactRows::weighted_square_product(const Matrix& weights, const Matrix& X, std::size_t threads) const {
  const std::size_t rows = starts_.size() - 1;
  invariant(weights.rows() == static_cast<Index>(rows) && weights.cols() == X.cols() &&
                X.rows() == static_cast<Index>(columns()),
            "CompactRows: one weight per row and column, one line per column that occurs");
  if (shared_ != nullptr) return shared_product(weights, X, threads);
  const std::size_t count = parts();
  std::vector<Matrix> sums(count);
  const auto multiplications = stored_ * static_cast<std::size_t>(X.cols());
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

Matrix CompactRows::shared_product(const Matrix& weights, const Matrix& X, std::size_t threads) const {
  const std::size_t total = shared_->total_rows();
  const std::size_t begin = shared_->first_of_all();
  const std::size_t end = begin + shared_->rows();
  const std::size_t count = parts();
  const auto add = [&](std::size_t first, std::size_t last, Matrix& sum) {
    for (Index c = 0; c < X.cols(); ++c) {
      add_rows(first - begin, last - begin, weights.col(c).data(), X.col(c).data(), sum.col(c).data());
    }
  };
  // Parts that begin here, as far as their rows are here.
  std::vector<Matrix> sums(count);
  const auto multiplications = stored_ * static_cast<std::size_t>(X.cols());
  parallel_for(count, worthwhile_threads(multiplications, threads), 1, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * total / count;
    if (first < begin || first >= end) return;
    sums[part] = Matrix::Zero(X.rows(), X.cols());
    add(first, std::min((part + 1) * total / count, end), sums[part]);
  });
  // The sum of all finished parts, and that of the part whose rows go on with the next rank.
  Matrix state = Matrix::Zero(X.rows(), 2 * X.cols());
  in_turns(shared_->share(), std::span(state.data(), static_cast<std::size_t>(state.size())), [&] {
    for (std::size_t part = 0; part < count; ++part) {
      const std::size_t first = part * total / count;
      const std::size_t last = (part + 1) * total / count;
      if (first >= end || last <= begin || first == last) continue;
      Matrix sum;
      if (first < begin) {
        sum = state.rightCols(X.cols());
        add(begin, std::min(last, end), sum);
      } else {
        sum = std::move(sums[part]);
      }
      if (last <= end) {
        state.leftCols(X.cols()) += sum;
      } else {
        state.rightCols(X.cols()) = sum;
      }
    }
  });
  return state.leftCols(X.cols());
}

}  // namespace unscatter
