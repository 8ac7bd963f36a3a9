// Tables 1 and 2: trains once per split, looks at the test graphs, and times both.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "experiment/accuracy.h"
#include "experiment/task.h"
#include "privacy/grid_noise.h"
#include "unscatter/learn/train.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::experiment {
namespace {

// Takes the place of lambda = 0.  That has no minimum if the classes can be separated, or one too flat to be found if
// moments nearly determine one another.  On MNIST, Newton's method arrives in 10 steps with this lambda, and not in 200
// without it.
constexpr double kSmallestLambda = 1e-8;
// Steps without regularisation before the attempt is given up.  More of them would only cost time.
constexpr std::size_t kMostStepsUnregularised = 15;

struct TrainedModel {
  Matrix weights;
  double lambda = 0;
  double seconds = 0;
  std::size_t newton_steps = 0;
};

SparseBlockRows chosen_rows(const SparseBlockRows& rows, std::span<const std::size_t> chosen) {
  SparseBlockRows copy(0, rows.columns());
  for (const std::size_t i : chosen) copy.append_row(rows.row(i));
  return copy;
}

Result<TrainedModel> train_plainly(const EmbeddedData& data, const Split& split, double lambda, double alpha,
                                   const std::unique_ptr<RandomSource>& noise, std::size_t threads) {
  // The rows were embedded with constants of the whole data set, which are public.  Choosing rows equals embedding the
  // chosen graphs.
  const SparseBlockRows rows = chosen_rows(data.rows, split.train);
  std::vector<std::uint32_t> labels;
  for (const std::size_t i : split.train) labels.push_back(data.dataset->labels[i]);
  const std::size_t classes = data.dataset->class_names.size();
  const Stopwatch watch;
  Matrix perturbation;
  if (alpha > 0) {
    perturbation = Matrix::Zero(static_cast<Eigen::Index>(rows.columns()), static_cast<Eigen::Index>(classes));
    // The same noise as a session draws, so that this row of the table shows what a session's noise costs.
    UNSCATTER_TRY(grid, GridNoise::create(alpha));
    SecureRandom secure;
    UNSCATTER_CHECK_OK(grid.add_to({perturbation.data(), static_cast<std::size_t>(perturbation.size())},
                                   noise != nullptr ? *noise : static_cast<RandomSource&>(secure)));
  }
  const Matrix* added = alpha > 0 ? &perturbation : nullptr;
  double used = lambda;
  const auto attempt = [&] {
    const double ridge = used * static_cast<double>(rows.rows());
    TrainOptions training;
    if (!(used > 0)) training.max_iterations = kMostStepsUnregularised;
    return train(Objective(rows, labels, classes, Loss::logistic(), ridge, added, threads), training);
  };
  // The time of a failed attempt counts.  Whoever asks for lambda = 0 has to wait for it.
  Result<TrainedWeights> trained = attempt();
  if (!trained.ok() && trained.error().code == ErrorCode::kNotConverged && used < kSmallestLambda) {
    used = kSmallestLambda;
    trained = attempt();
  }
  if (!trained.ok()) return std::move(trained).error();
  TrainedModel model{std::move(trained->weights), used, watch.seconds(), 0};
  for (const std::size_t steps : trained->iterations) model.newton_steps = std::max(model.newton_steps, steps);
  return model;
}

// The model that our default publishes.
Result<TrainedModel> train_and_publish(const EmbeddedData& data, const Split& split, double lambda,
                                       const ReleaseChoices& release, std::unique_ptr<RandomSource> noise,
                                       std::size_t threads) {
  SessionOptions options;
  options.classes = ConstantKind::kFittedOnce;  // labels of the test graphs are places in the list of all classes
  options.regularisation = lambda;
  options.guarantee.delta = 1e-4;
  options.noise_stddev = release.noise_stddev;
  options.distance_limit = release.distance_limit;
  options.threads = threads;
  Dataset train = subset(*data.dataset, split.train);
  const Stopwatch watch;
  UNSCATTER_TRY(session, Session::create(std::move(train), data.embedder, options, std::move(noise)));
  UNSCATTER_TRY(model, session.release());
  return TrainedModel{std::move(model.weights), lambda, watch.seconds(), 0};
}

Result<Json> classify_with_gin(const CellPlan& plan, const ClassificationTask& task, DataCache& data) {
  const Dataset& dataset = data.dataset();
  UNSCATTER_TRY(split, random_split(dataset.size(), task.shares, plan.seed));
  GinOptions options = task.gin;
  // Each split starts from other weights, or the spread over splits would miss that part.
  options.seed = plan.seed;
  UNSCATTER_TRY(trained, train_gin(dataset, split.train, split.test, options));
  return Json{{"accuracy", percent_right(trained.predictions, dataset, split.test)},
              {"train_graphs", split.train.size()},
              {"test_graphs", split.test.size()},
              {"embed_seconds", 0},
              {"train_seconds", trained.train_seconds},
              {"predict_seconds", trained.predict_seconds},
              {"epochs", trained.epochs}};
}

}  // namespace

Result<Json> run_classification(const CellPlan& plan, const ClassificationTask& task, DataCache& data,
                                const CellContext& context) {
  if (is_gin(plan.key)) return classify_with_gin(plan, task, data);
  // The Fourier transform needs symmetric matrices, so directed graphs are symmetrised for it.
  const CellForm form = plan.key.backbone.starts_with("gft") ? CellForm::kSymmetrised : CellForm::kPlain;
  UNSCATTER_TRY(embedded, data.embedded(plan.key.backbone, task.parameters, form));
  UNSCATTER_TRY(split, random_split(embedded->dataset->size(), task.shares, plan.seed));
  const double lambda = task.parameters.regularisation;
  std::unique_ptr<RandomSource> noise = context.noise ? context.noise(plan.seed) : nullptr;
  UNSCATTER_TRY(model,
                plan.key.method == "release"
                    ? train_and_publish(*embedded, split, lambda, task.release, std::move(noise), context.threads)
                    : train_plainly(*embedded, split, lambda, plan.key.method == "objective" ? task.alpha : 0, noise,
                                    context.threads));
  const Stopwatch watch;
  const double accuracy = accuracy_percent(*embedded, split.test, model.weights, context.threads);
  const double predict_seconds = watch.seconds();
  Json result = {{"accuracy", accuracy},
                 {"train_graphs", split.train.size()},
                 {"test_graphs", split.test.size()},
                 {"coordinates", embedded->rows.columns()},
                 {"classes", embedded->dataset->class_names.size()},
                 {"features", embedded->embedder->blocks().front().features.describe()},
                 {"embed_seconds", embedded->seconds},
                 {"train_seconds", model.seconds},
                 {"predict_seconds", predict_seconds},
                 {"lambda", model.lambda}};
  if (model.lambda != lambda) {
    result["remark"] = "training with lambda = 0 did not converge on this split; the lambda stated here took its place";
  }
  return result;
}

}  // namespace unscatter::experiment
