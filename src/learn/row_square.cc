#include "learn/row_square.h"

#include "linalg/norms.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "linalg/row_share.h"
#include "linalg/wipe_matrix.h"

namespace unscatter {

RowSquare::RowSquare(const SparseBlockRows& rows)
    : square_(weighted_square(rows, Vector::Ones(static_cast<Eigen::Index>(rows.rows())))), rows_(rows.total_rows()) {
  in_turns(rows.share(), std::span(&magnitude_, 1), [&] {
    for (std::size_t i = 0; i < rows.rows(); ++i) magnitude_ += squared_norm(rows.row(i));
  });
  // Rounded up: one addition per row, and a row's own square.
  magnitude_ *= 1 + rounding_factor(static_cast<double>(rows.total_rows() + rows.columns()) + 4);
}

void RowSquare::replace_row(const BlockRow& before, const BlockRow& after) {
  ++changes_;
  // What is subtracted had been added before.  So twice this bounds the magnitudes of everything that was ever summed.
  magnitude_ = (magnitude_ + squared_norm(after)) * (1 + rounding_factor(static_cast<double>(after.values.size()) + 4));
  Matrix rows = edited_rows(before, after, static_cast<std::size_t>(square_.rows()));
  add_squares(rows, Eigen::Vector2d(1, -1), square_);
  wipe_matrix(rows);  // one of them may be a row that goes
}

void RowSquare::wipe() noexcept { wipe_matrix(square_); }

double RowSquare::spectral_norm_upper_bound() const {
  // A change takes at most six roundings, as in the fast factor.
  return spectral_norm_upper_bound_from_gram(square_, rows_ + 6 * changes_, 2 * magnitude_);
}

}  // namespace unscatter
