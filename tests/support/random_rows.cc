#include "support/random_rows.h"

#include <algorithm>
#include <utility>

#include "unscatter/base/random.h"

namespace unscatter::testing {
namespace {

double signed_unit(Sequence& random) { return 2 * random.unit() - 1; }

BlockRow draw_row(Sequence& random, const Vector& lean, const RandomRowsOptions& options) {
  BlockRow row;
  const auto fill = [&](std::size_t first, std::size_t count) {
    double* values = row.append(first, count);
    for (std::size_t j = 0; j < count; ++j)
      values[j] = signed_unit(random) + lean(static_cast<Eigen::Index>(first + j));
  };
  for (std::size_t column = 0; column < options.columns;) {
    // Runs of columns, as embeddings have them, so that segments of different lengths meet in products.
    const std::size_t run = std::min<std::size_t>(1 + random.below(8), options.columns - column);
    if (random.chance(options.density)) fill(column, run);
    column += run;
  }
  // A row without values would have no norm to scale by.
  if (row.values.empty()) fill(random.below(options.columns), 1);
  Eigen::Map<Vector> values(row.values.data(), static_cast<Eigen::Index>(row.values.size()));
  values *= options.row_norm * (0.5 + random.unit() / 2) / values.norm();
  return row;
}

}  // namespace

LabelledRows random_rows(std::uint64_t seed, const RandomRowsOptions& options) {
  Sequence random(seed);
  LabelledRows result{SparseBlockRows(0, options.columns), {}, options.classes};
  Matrix leans(static_cast<Eigen::Index>(options.columns), static_cast<Eigen::Index>(options.classes));
  for (double& entry : leans.reshaped()) entry = 0.5 * signed_unit(random);
  for (std::size_t i = 0; i < options.rows; ++i) {
    // The first rows take the classes in turn, so that every class occurs.
    const std::size_t label = i < options.classes ? i : random.below(options.classes);
    result.labels.push_back(static_cast<std::uint32_t>(label));
    result.rows.append_row(draw_row(random, leans.col(static_cast<Eigen::Index>(label)), options));
  }
  return result;
}

BlockRow random_row(std::uint64_t seed, std::size_t columns, double density, double row_norm) {
  Sequence random(seed);
  return draw_row(random, Vector::Zero(static_cast<Eigen::Index>(columns)),
                  {.rows = 1, .columns = columns, .density = density, .row_norm = row_norm});
}

Matrix random_matrix(std::uint64_t seed, std::size_t rows, std::size_t columns) {
  Sequence random(seed);
  Matrix A(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (double& entry : A.reshaped()) entry = signed_unit(random);
  return A;
}

}  // namespace unscatter::testing
