// An estimate for whoever chooses a level.  Nothing here is published, and nothing is promised about it.
#include <cmath>
#include <numbers>

#include "unlearn/contribution.h"
#include "unlearn/session_state.h"
#include "unscatter/learn/predict.h"
#include "unscatter/learn/train.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

// Noise moves an accuracy by less than a point here from draw to draw, and ten draws by a third of that.
constexpr std::size_t kDraws = 10;
// Ridges per graph.  Noise falls with the ridge and weights shrink with it, so the best one lies in between.
constexpr double kRidgesPerGraph[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};

// One of two mirrored vectors decides, as in a published model.
double noisy_accuracy(const SparseBlockRows& rows, std::span<const std::uint32_t> labels, const Matrix& weights,
                      double noise_stddev, std::size_t vectors) {
  // Seeded: this noise hides nothing.  It stands for that of models which nobody will see.
  Sequence random(1);
  const auto normal = [&random] {
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    return radius * std::cos(2 * std::numbers::pi * random.unit());
  };
  double sum = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    Matrix noisy = weights;
    for (std::size_t k = 0; k < vectors; ++k) {
      for (double& weight : noisy.col(static_cast<Eigen::Index>(k))) weight += noise_stddev * normal();
    }
    if (vectors < static_cast<std::size_t>(noisy.cols())) noisy.col(1) = -noisy.col(0);
    sum += accuracy(rows, labels, noisy);
  }
  return sum / static_cast<double>(kDraws);
}

}  // namespace

Result<std::vector<LevelCost>> Session::level_costs(const SparseBlockRows& rows, std::span<const std::uint32_t> labels,
                                                    std::size_t per_subject) const {
  state_->require_settled();
  if (embeddings().share() != nullptr) {
    return Error{ErrorCode::kUnsupported, "what level everyone would cost is estimated by one process with all rows"};
  }
  const SessionOptions& present = state_->options;
  std::vector<LevelCost> costs;
  costs.push_back(
      {present.protection, ridge_of(present, graph_count()), present.noise_stddev,
       noisy_accuracy(rows, labels, weights(), present.noise_stddev, published_vectors(present, classes()))});

  SessionOptions options = present;
  options.protection = Protection::kEveryone;
  options.mechanism = Mechanism::kRelease;
  options.rule = BudgetRule::kJoint;
  options.removal = NodeRemoval::kCompact;
  options.per_subject = per_subject;
  options.releases = 1;
  // Level everyone takes no constants from the data.
  options.classes = ConstantKind::kStated;
  options.constants.clear();
  if (!std::isfinite(options.loss.slope_bound())) options.loss = Loss::logistic();
  SparseBlockRows bounded = embeddings();
  shorten(bounded, row_norm_limit(options));
  for (const double per_graph : kRidgesPerGraph) {
    options.ridge = per_graph * static_cast<double>(graph_count());
    UNSCATTER_TRY(limit, Limit::create(options, bounded.columns() * classes(), classes()));
    const Objective objective(bounded, this->labels(), classes(), options.loss, *options.ridge, nullptr,
                              options.threads);
    UNSCATTER_TRY(trained, train(objective));
    const double noise = limit.promise().noise_stddev;
    costs.push_back({Protection::kEveryone, *options.ridge, noise,
                     noisy_accuracy(rows, labels, trained.weights, noise, published_vectors(options, classes()))});
  }
  return costs;
}

}  // namespace unscatter
