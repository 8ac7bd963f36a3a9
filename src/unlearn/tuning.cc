#include "unlearn/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "learn/squared_path.h"
#include "linalg/row_products.h"
#include "unlearn/contribution.h"
#include "unlearn/expected_accuracy.h"
#include "unlearn/limit.h"
#include "unscatter/base/random.h"
#include "unscatter/learn/train.h"

namespace unscatter {
namespace {

// |gradient| / ridge bounds the distance from the minimum, and with it the error of a score of a row of norm 1.  Noise
// moves scores by a hundred times as much.
constexpr double kDistance = 1e-4;
// Accuracies that differ by less are equal: they differ by rounding.
constexpr double kEqual = 1e-9;

std::vector<std::size_t> shuffled_places(std::size_t rows, std::uint64_t seed) {
  std::vector<std::size_t> places(rows);
  std::iota(places.begin(), places.end(), std::size_t{0});
  Sequence random(seed);
  random.shuffle(std::span(places));
  return places;
}

// Places [begin, end) are held out.
TuningFold fold_of(std::span<const std::size_t> places, std::size_t begin, std::size_t end) {
  TuningFold fold;
  for (std::size_t i = 0; i < places.size(); ++i) {
    (begin <= i && i < end ? fold.held_out : fold.learned).push_back(places[i]);
  }
  return fold;
}

// Rows of some places, with what is known about them.
struct ChosenRows {
  SparseBlockRows rows;
  std::vector<std::uint32_t> labels;
  std::vector<double> norms;
};

ChosenRows choose_rows(const TuningRows& data, std::span<const std::size_t> places) {
  ChosenRows chosen{SparseBlockRows(places.size(), data.rows->columns()), {}, {}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    chosen.rows.set_row(i, data.rows->row(places[i]));
    chosen.labels.push_back(data.labels[places[i]]);
    chosen.norms.push_back(data.rows->row_norm(places[i]));
  }
  return chosen;
}

// 10^first, 3 * 10^first, 10^(first + 1), ..., 10^last.
std::vector<double> half_decades(int first, int last) {
  std::vector<double> lambdas;
  for (int exponent = first; exponent < last; ++exponent) {
    lambdas.push_back(std::pow(10.0, exponent));
    lambdas.push_back(3 * std::pow(10.0, exponent));
  }
  lambdas.push_back(std::pow(10.0, last));
  return lambdas;
}

Result<std::vector<Matrix>> squared_weights(const TuningRows& data, std::span<const double> ridges,
                                            std::size_t threads) {
  const SquaredPath path(*data.rows, data.labels, data.classes, threads);
  std::vector<Matrix> weights;
  for (const double ridge : ridges) {
    UNSCATTER_TRY(minimum, path.weights(ridge));
    weights.push_back(std::move(minimum));
  }
  return weights;
}

}  // namespace

Result<std::vector<TuningFold>> cross_folds(std::size_t rows, std::size_t folds, std::uint64_t seed) {
  if (folds < 2 || folds > rows) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} folds of {} graphs: it takes 2 folds at least, and a graph for each", folds, rows)};
  }
  const std::vector<std::size_t> places = shuffled_places(rows, seed);
  std::vector<TuningFold> all;
  for (std::size_t k = 0; k < folds; ++k) all.push_back(fold_of(places, rows * k / folds, rows * (k + 1) / folds));
  return all;
}

Result<std::vector<TuningFold>> hold_out_fold(std::size_t rows, double share, std::uint64_t seed) {
  const double held_out = std::round(share * static_cast<double>(rows));
  if (!(held_out >= 1) || !(held_out < static_cast<double>(rows))) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a share of {} of {} graphs leaves nothing to learn from or to hold out", share, rows)};
  }
  const std::vector<std::size_t> places = shuffled_places(rows, seed);
  return std::vector<TuningFold>{fold_of(places, 0, static_cast<std::size_t>(held_out))};
}

Result<std::vector<Matrix>> weights_at(const TuningRows& data, const Loss& loss, std::span<const double> ridges,
                                       std::size_t threads) {
  if (loss.kind() == LossKind::kSquared) return squared_weights(data, ridges, threads);
  // From large ridges to small ones: the large ones are the easy ones.
  std::vector<std::size_t> order(ridges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ridges[a] > ridges[b]; });
  std::vector<Matrix> weights(ridges.size());
  Matrix start = Matrix::Zero(static_cast<Eigen::Index>(data.rows->columns()), static_cast<Eigen::Index>(data.classes));
  for (const std::size_t at : order) {
    TrainOptions how;
    how.gradient_tolerance = std::max(kDistance * ridges[at], default_gradient_tolerance(*data.rows));
    UNSCATTER_TRY(trained, train(Objective(*data.rows, data.labels, data.classes, loss, ridges[at], nullptr, threads),
                                 start, how));
    start = trained.weights;
    weights[at] = std::move(trained.weights);
  }
  return weights;
}

Result<double> published_stddev(const PublishedNoise& noise, const Loss& loss, double lambda, std::size_t width,
                                std::size_t classes) {
  if (noise.session.protection == Protection::kRemoved) return noise.session.noise_stddev;
  SessionOptions options = noise.session;
  options.loss = loss;
  options.regularisation = lambda;
  options.ridge = lambda * static_cast<double>(noise.graphs);
  UNSCATTER_CHECK_OK(check_options(options));
  UNSCATTER_TRY(limit, Limit::create(options, width * classes, classes));
  return limit.promise().noise_stddev;
}

std::vector<TuningGrid> usual_grids(std::size_t rows) {
  if (rows >= kManyPublicGraphs) {
    return {{Loss::squared(), half_decades(-6, -4)}, {Loss::logistic(), {1e-3, 1e-2, 3e-2, 1e-1}}};
  }
  return {{Loss::squared(), half_decades(-6, -1)}, {Loss::logistic(), half_decades(-4, 0)}};
}

Result<std::vector<TuningCurve>> measure_curves(const TuningRows& data, std::span<const TuningFold> folds,
                                                const Loss& loss, const std::vector<double>& lambdas,
                                                std::span<const PublishedNoise> noises, std::size_t threads,
                                                std::vector<Matrix>* models) {
  std::vector<TuningCurve> curves(noises.size(), TuningCurve{"", loss, lambdas, std::vector<double>(lambdas.size())});
  std::size_t held_out = 0;
  for (const TuningFold& fold : folds) held_out += fold.held_out.size();
  for (const TuningFold& fold : folds) {
    const ChosenRows learned = choose_rows(data, fold.learned);
    const ChosenRows others = choose_rows(data, fold.held_out);
    std::vector<double> ridges;
    for (const double lambda : lambdas) ridges.push_back(lambda * static_cast<double>(fold.learned.size()));
    UNSCATTER_TRY(weights, weights_at({&learned.rows, learned.labels, data.classes}, loss, ridges, threads));
    const double share = static_cast<double>(fold.held_out.size()) / static_cast<double>(held_out);
    for (std::size_t at = 0; at < lambdas.size(); ++at) {
      const Matrix scores = product(others.rows, weights[at], threads);
      for (std::size_t k = 0; k < noises.size(); ++k) {
        UNSCATTER_TRY(stddev, published_stddev(noises[k], loss, lambdas[at], data.rows->columns(), data.classes));
        const std::size_t vectors = published_vectors(noises[k].session, data.classes);
        curves[k].accuracies[at] +=
            100 * share * expected_accuracy(scores, others.labels, others.norms, stddev, vectors);
      }
    }
    if (models != nullptr) *models = std::move(weights);
  }
  return curves;
}

std::vector<double> smoothed(std::span<const double> accuracies) {
  std::vector<double> result;
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    double sum = 2 * accuracies[i];
    double weight = 2;
    for (const std::size_t neighbour : {i - 1, i + 1}) {
      if (neighbour >= accuracies.size()) continue;  // also what lies before 0
      sum += accuracies[neighbour];
      weight += 1;
    }
    result.push_back(sum / weight);
  }
  return result;
}

TuningChoice best_choice(std::span<const TuningCurve> curves) {
  std::optional<TuningChoice> best;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const std::vector<double> values = smoothed(curves[k].accuracies);
    for (std::size_t i = values.size(); i-- > 0;) {
      if (!best || values[i] > best->accuracy + kEqual) best = TuningChoice{k, i, values[i]};
    }
  }
  return *best;
}

double accuracy_uncertainty(double accuracy, std::size_t rows) {
  const double share = accuracy / 100;
  return 100 * std::sqrt(std::max(0.0, share * (1 - share)) / static_cast<double>(std::max<std::size_t>(rows, 1)));
}

TuningChoice cautious_choice(std::span<const TuningCurve> curves, double known_lambda, std::size_t held_out) {
  const TuningChoice best = best_choice(curves);
  const TuningCurve& first = curves.front();
  TuningChoice known;
  const auto distance = [&](std::size_t i) { return std::abs(std::log(first.lambdas[i] / known_lambda)); };
  for (std::size_t i = 0; i < first.lambdas.size(); ++i) {
    if (distance(i) < distance(known.lambda)) known.lambda = i;
  }
  known.accuracy = smoothed(first.accuracies)[known.lambda];
  return best.accuracy > known.accuracy + accuracy_uncertainty(best.accuracy, held_out) ? best : known;
}

}  // namespace unscatter
