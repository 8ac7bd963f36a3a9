#include "unlearn/contribution.h"

#include <cmath>

#include "linalg/rounding.h"
#include "linalg/row_products.h"
#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

// A computed norm of d numbers errs by theta_{d+4}, and scaling rounds once more.  For d <= 2^22 this covers both.
constexpr double kRowSlack = 0x1p-30;
constexpr std::size_t kLargestWidth = std::size_t{1} << 22;

}  // namespace

double row_norm_limit(const SessionOptions& options) { return options.row_norm.value_or(1.0); }

bool shorten(BlockRow& row, double limit) {
  const double length = norm(row);
  if (length <= limit) return false;
  const double factor = limit / length;
  for (double& value : row.values) value *= factor;
  return true;
}

std::size_t shorten(SparseBlockRows& rows, double limit) {
  invariant(rows.columns() <= kLargestWidth, "rows have at most 2^22 columns");
  std::size_t longer = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (rows.row_norm(i) <= limit) continue;
    BlockRow row;
    rows.swap_row(i, row);
    if (shorten(row, limit)) ++longer;
    rows.swap_row(i, row);
  }
  return longer;
}

std::size_t published_vectors(const SessionOptions& options, std::size_t classes) {
  // L_2(w) = L_1(-w): every sign is turned round.  So the optima mirror each other (docs/theory.md, "Steps with kept
  // Hessians").
  return options.protection == Protection::kEveryone && classes == 2 ? 1 : classes;
}

double sensitivity_upper_bound(const SessionOptions& options, std::size_t classes) {
  // A row that leaves takes one term l' z away.  A row that is edited loses one and gets another.
  const double terms = options.per_subject == 0 ? 1.0 : 2.0 * static_cast<double>(options.per_subject);
  const double row_norm = row_norm_limit(options) * (1 + kRowSlack);
  const double vectors = std::sqrt(static_cast<double>(published_vectors(options, classes)));
  return terms * options.loss.slope_bound() * row_norm * vectors / *options.ridge * (1 + rounding_factor(16));
}

}  // namespace unscatter
