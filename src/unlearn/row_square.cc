#include "unlearn/row_square.h"

#include <span>

#include "unscatter/base/wipe.h"
#include "unscatter/linalg/norms.h"
#include "unscatter/linalg/rounding.h"
#include "unscatter/linalg/row_products.h"

namespace unscatter {

RowSquare::RowSquare(const SparseBlockRows& rows)
    : square_(weighted_square(rows, Vector::Ones(static_cast<Eigen::Index>(rows.rows())))), rows_(rows.rows()) {
  for (std::size_t i = 0; i < rows.rows(); ++i) magnitude_ += squared_norm(rows.row(i));
  magnitude_ *= 1 + rounding_factor(static_cast<double>(rows.rows() + rows.columns()) + 4);
}

void RowSquare::add(const BlockRow& row, double sign) {
  if (row.values.empty()) return;
  Vector z = Vector::Zero(square_.rows());
  add_scaled(row, 1, z);
  square_.noalias() += (sign * z) * z.transpose();
  wipe(std::as_writable_bytes(std::span(z.data(), static_cast<std::size_t>(z.size()))));  // it may be a row that goes
}

void RowSquare::replace_row(const BlockRow& before, const BlockRow& after) {
  ++changes_;
  // What is subtracted had been added, so that twice this bounds the magnitudes of everything that was ever summed.
  magnitude_ = (magnitude_ + squared_norm(after)) * (1 + rounding_factor(static_cast<double>(after.values.size()) + 4));
  add(after, 1);
  add(before, -1);
}

double RowSquare::spectral_norm_upper_bound() const {
  return spectral_norm_upper_bound_from_gram(square_, rows_ + 3 * changes_, 2 * magnitude_);
}

}  // namespace unscatter
