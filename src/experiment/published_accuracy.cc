#include "experiment/published_accuracy.h"

#include <utility>
#include <vector>

#include "experiment/summary.h"
#include "linalg/row_products.h"
#include "privacy/grid_noise.h"
#include "unlearn/expected_accuracy.h"

namespace unscatter::experiment {
namespace {

// Scores of the chosen rows.
Matrix scores_of(const EmbeddedData& data, std::span<const std::size_t> chosen, const Matrix& weights,
                 std::size_t threads) {
  const Matrix all = product(data.rows, weights, threads);
  Matrix scores(static_cast<Eigen::Index>(chosen.size()), weights.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    scores.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(chosen[i]));
  }
  return scores;
}

}  // namespace

SplitRows rows_of_split(const EmbeddedData& data, std::span<const std::size_t> chosen) {
  SplitRows part{SparseBlockRows(chosen.size(), data.rows.columns()), {}};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    part.rows.set_row(i, data.rows.row(chosen[i]));
    part.labels.push_back(data.dataset->labels[chosen[i]]);
  }
  return part;
}

std::unique_ptr<RandomSource> noise_source(const CellPlan& plan, const CellContext& context) {
  std::unique_ptr<RandomSource> source = context.noise ? context.noise(plan.seed) : nullptr;
  if (source == nullptr) source = std::make_unique<SecureRandom>();
  return source;
}

Result<Json> look_at_published(const EmbeddedData& data, std::span<const std::size_t> chosen, const Matrix& weights,
                               const NoisyLook& look, RandomSource& source, std::size_t threads) {
  const Eigen::Index classes = weights.cols();
  const auto draws = static_cast<Eigen::Index>(look.noise_stddev > 0 ? look.draws : 0);
  // The model and its noisy copies side by side: one pass over the rows for all of them.
  Matrix models(weights.rows(), classes * (1 + draws));
  models.leftCols(classes) = weights;
  for (Eigen::Index draw = 0; draw < draws; ++draw) {
    UNSCATTER_TRY(grid, GridNoise::create(look.noise_stddev));
    Matrix noisy = weights;
    // As Session::release() publishes.
    UNSCATTER_CHECK_OK(grid.add_to({noisy.data(), static_cast<std::size_t>(noisy.rows()) * look.vectors}, source));
    if (look.vectors < static_cast<std::size_t>(classes)) noisy.col(1) = -noisy.col(0);
    models.middleCols((1 + draw) * classes, classes) = noisy;
  }
  const Matrix scores = scores_of(data, chosen, models, threads);
  std::vector<std::uint32_t> labels;
  std::vector<double> norms;
  for (const std::size_t i : chosen) {
    labels.push_back(data.dataset->labels[i]);
    norms.push_back(data.rows.row_norm(i));
  }
  std::vector<double> percent;
  for (Eigen::Index model = 0; model <= draws; ++model) {
    percent.push_back(100 *
                      expected_accuracy(scores.middleCols(model * classes, classes), labels, norms, 0, look.vectors));
  }
  const double plain = percent.front();
  if (draws > 0) percent.erase(percent.begin());
  const Spread spread = spread_of(percent);
  return Json{{"accuracy", plain},
              {"noisy_accuracy", spread.mean},
              {"noisy_spread", spread.stddev},
              {"expected_accuracy",
               100 * expected_accuracy(scores.leftCols(classes), labels, norms, look.noise_stddev, look.vectors)},
              {"noise_stddev", look.noise_stddev}};
}

}  // namespace unscatter::experiment
