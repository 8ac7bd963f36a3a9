#include "unlearn/row_square.h"

#include <span>

#include "base/wipe.h"
#include "linalg/norms.h"
#include "linalg/rounding.h"
#include "linalg/row_products.h"

namespace unscatter {

RowSquare::RowSquare(const SparseBlockRows& rows)
    : square_(weighted_square(rows, Vector::Ones(static_cast<Eigen::Index>(rows.rows())))), rows_(rows.rows()) {
  for (std::size_t i = 0; i < rows.rows(); ++i) magnitude_ += squared_norm(rows.row(i));
  magnitude_ *= 1 + rounding_factor(static_cast<double>(rows.rows() + rows.columns()) + 4);
}

void RowSquare::replace_row(const BlockRow& before, const BlockRow& after) {
  ++changes_;
  // What is subtracted had been added, so that twice this bounds the magnitudes of everything that was ever summed.
  magnitude_ = (magnitude_ + squared_norm(after)) * (1 + rounding_factor(static_cast<double>(after.values.size()) + 4));
  Matrix rows = edited_rows(before, after, static_cast<std::size_t>(square_.rows()));
  add_squares(rows, Eigen::Vector2d(1, -1), square_);
  wipe(std::as_writable_bytes(
      std::span(rows.data(), static_cast<std::size_t>(rows.size()))));  // one of them may be a row that goes
}

double RowSquare::spectral_norm_upper_bound() const {
  return spectral_norm_upper_bound_from_gram(square_, rows_ + 6 * changes_, 2 * magnitude_);
}

}  // namespace unscatter
