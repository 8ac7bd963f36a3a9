// Recipe, loss and lambda chosen by `unscatter tune`'s own rule, and what they are worth on the test graphs.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiment/published_accuracy.h"
#include "experiment/task.h"
#include "unlearn/contribution.h"
#include "unlearn/tuning.h"
#include "unscatter/embedding/transform_spec.h"

namespace unscatter::experiment {
namespace {

// What is chosen for.
enum Goal : std::size_t { kRemovedGoal, kNoiseFreeGoal, kEveryoneGoal, kValidatedGoal, kGoals };
constexpr const char* kGoalNames[kGoals] = {"removed", "noise-free", "everyone", "validated"};

PublishedNoise noise_for(Goal goal, const TunedTask& task, std::size_t graphs, double longest_row) {
  PublishedNoise noise;
  noise.graphs = graphs;
  noise.session.noise_stddev = goal == kNoiseFreeGoal ? 0 : task.noise_stddev;
  if (goal == kEveryoneGoal) {
    noise.session.protection = Protection::kEveryone;
    noise.session.guarantee = task.everyone;
    noise.session.per_subject = 1;
    noise.session.releases = 1;
    noise.session.row_norm = longest_row;
  }
  return noise;
}

// The curves of all recipes and losses, by goal.
class Tuning {
 public:
  Tuning(const CellPlan& plan, const TunedTask& task, const Split& split, std::size_t threads)
      : plan_(plan), task_(task), split_(split), threads_(threads) {}

  [[nodiscard]] Status measure(const std::string& recipe, const EmbeddedData& data) {
    const std::size_t classes = data.dataset->class_names.size();
    const SplitRows open = rows_of_split(data, split_.validation);
    UNSCATTER_TRY(folds, task_.folds > 1
                             ? cross_folds(open.labels.size(), std::min(task_.folds, open.labels.size()), plan_.seed)
                             : hold_out_fold(open.labels.size(), task_.hold_out, plan_.seed));
    UNSCATTER_CHECK_OK(add(recipe, data, {&open.rows, open.labels, classes}, folds,
                           {kRemovedGoal, kNoiseFreeGoal, kEveryoneGoal}, false));
    // Learns from the training graphs, and looks at those for validation.
    std::vector<std::size_t> both = split_.train;
    both.insert(both.end(), split_.validation.begin(), split_.validation.end());
    const SplitRows seen = rows_of_split(data, both);
    TuningFold fold;
    for (std::size_t i = 0; i < both.size(); ++i) {
      (i < split_.train.size() ? fold.learned : fold.held_out).push_back(i);
    }
    return add(recipe, data, {&seen.rows, seen.labels, classes}, std::span(&fold, 1), {kValidatedGoal}, true);
  }

  // The model of the training graphs at one place of a curve, if validation has trained it; else null.
  [[nodiscard]] const Matrix* model(const TuningCurve& curve, std::size_t lambda) const {
    const auto found = models_.find({curve.name, curve.loss.describe()});
    return found == models_.end() ? nullptr : &found->second[lambda];
  }

  [[nodiscard]] const std::vector<TuningCurve>& curves(Goal goal) const { return curves_[goal]; }
  // Graphs that the accuracies of these curves were counted on.
  [[nodiscard]] std::size_t held_out(Goal goal) const {
    const std::size_t open = split_.validation.size();
    if (goal == kValidatedGoal || task_.folds > 1) return open;
    return static_cast<std::size_t>(std::lround(task_.hold_out * static_cast<double>(open)));
  }

 private:
  [[nodiscard]] Status add(const std::string& recipe, const EmbeddedData& data, const TuningRows& rows,
                           std::span<const TuningFold> folds, const std::vector<Goal>& goals, bool keep_models) {
    const double longest_row = data.longest_row;
    for (const TuningGrid& grid : task_.grids) {
      std::vector<double> lambdas;
      for (const double lambda : grid.lambdas) lambdas.push_back(lambda * longest_row * longest_row);
      std::vector<Goal> chosen;
      std::vector<PublishedNoise> noises;
      for (const Goal goal : goals) {
        // Level everyone needs a bounded slope, and a loss of that kind is there for it alone.
        if ((goal == kEveryoneGoal) != std::isfinite(grid.loss.slope_bound())) continue;
        chosen.push_back(goal);
        noises.push_back(noise_for(goal, task_, split_.train.size(), longest_row));
      }
      if (chosen.empty()) continue;
      std::vector<Matrix>* kept = keep_models ? &models_[{recipe, grid.loss.describe()}] : nullptr;
      UNSCATTER_TRY(measured, measure_curves(rows, folds, grid.loss, lambdas, noises, threads_, kept));
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        measured[k].name = recipe;
        curves_[chosen[k]].push_back(std::move(measured[k]));
      }
    }
    return ok_status();
  }

  const CellPlan& plan_;
  const TunedTask& task_;
  const Split& split_;
  std::size_t threads_;
  std::vector<TuningCurve> curves_[kGoals];
  // By recipe and loss: weights at every lambda, of models that learned from the training graphs.
  std::map<std::pair<std::string, std::string>, std::vector<Matrix>> models_;
};

// The model of what was chosen, of the training graphs.
Result<Matrix> model_of_choice(const Tuning& tuning, const TuningCurve& curve, const TuningChoice& choice,
                               const EmbeddedData& data, const Split& split, std::size_t threads) {
  if (const Matrix* known = tuning.model(curve, choice.lambda)) return *known;
  const SplitRows learned = rows_of_split(data, split.train);
  const double ridge = curve.lambdas[choice.lambda] * static_cast<double>(split.train.size());
  UNSCATTER_TRY(weights, weights_at({&learned.rows, learned.labels, data.dataset->class_names.size()}, curve.loss,
                                    std::span(&ridge, 1), threads));
  return std::move(weights.front());
}

Result<Json> look_at_choice(const Matrix& weights, const TuningCurve& curve, const TuningChoice& choice,
                            const PublishedNoise& noise, std::size_t draws, const EmbeddedData& data,
                            const Split& split, RandomSource& source, std::size_t threads) {
  const std::size_t classes = data.dataset->class_names.size();
  const double lambda = curve.lambdas[choice.lambda];
  UNSCATTER_TRY(stddev, published_stddev(noise, curve.loss, lambda, data.rows.columns(), classes));
  const NoisyLook look{stddev, published_vectors(noise.session, classes), draws};
  UNSCATTER_TRY(result, look_at_published(data, split.test, weights, look, source, threads));
  result["recipe"] = curve.name;
  result["loss"] = curve.loss.describe();
  result["lambda"] = lambda;
  result["chosen_for"] = choice.accuracy;
  return result;
}

Json curves_json(const std::vector<TuningCurve>& curves) {
  Json json = Json::array();
  for (const TuningCurve& curve : curves) {
    json.push_back({{"recipe", curve.name},
                    {"loss", curve.loss.describe()},
                    {"lambdas", curve.lambdas},
                    {"accuracies", curve.accuracies}});
  }
  return json;
}

}  // namespace

Result<Json> run_tuned(const CellPlan& plan, const TunedTask& task, DataCache& data, const CellContext& context) {
  UNSCATTER_TRY(split, random_split(data.dataset().size(), task.shares, plan.seed));
  Tuning tuning(plan, task, split, context.threads);
  for (const std::string& recipe : task.recipes) {
    UNSCATTER_TRY(embedded, data.embedded(recipe));
    UNSCATTER_CHECK_OK(tuning.measure(recipe, *embedded));
  }
  const std::unique_ptr<RandomSource> source = noise_source(plan, context);
  Json result = {{"train_graphs", split.train.size()},
                 {"public_graphs", split.validation.size()},
                 {"test_graphs", split.test.size()},
                 {"classes", data.dataset().class_names.size()}};
  for (std::size_t at = 0; at < kGoals; ++at) {
    const auto goal = static_cast<Goal>(at);
    const std::vector<TuningCurve>& curves = tuning.curves(goal);
    if (curves.empty()) continue;  // no loss that level everyone could use
    // The noise of level everyone asks for a lambda of its own, so there is no setting that is known to be good.
    const TuningChoice choice = goal == kEveryoneGoal
                                    ? best_choice(curves)
                                    : cautious_choice(curves, recipe_regularisation("auto"), tuning.held_out(goal));
    const TuningCurve& curve = curves[choice.curve];
    UNSCATTER_TRY(embedded, data.embedded(curve.name));
    const PublishedNoise noise = noise_for(goal, task, split.train.size(), embedded->longest_row);
    UNSCATTER_TRY(weights, model_of_choice(tuning, curve, choice, *embedded, split, context.threads));
    UNSCATTER_TRY(
        look, look_at_choice(weights, curve, choice, noise, task.draws, *embedded, split, *source, context.threads));
    look["curves"] = curves_json(curves);
    result[kGoalNames[goal]] = std::move(look);
  }
  return result;
}

}  // namespace unscatter::experiment
