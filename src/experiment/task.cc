#include "experiment/task.h"

#include <algorithm>
#include <cmath>

#include "embedding/blocks/recipes.h"
#include "unscatter/base/version.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter::experiment {
namespace {

Json parameters_json(const HyperParameters& parameters) {
  return {{"scales", parameters.scales},
          {"moments", parameters.moments},
          {"layers", parameters.layers},
          {"lambda", parameters.regularisation},
          // The name under which results were recorded.  The map is the one that is called "paper" now.
          {"operator", "row"},
          {"features", "auto"}};
}

Json shares_json(const SplitShares& shares) {
  return {{"train", shares.train}, {"validation", shares.validation}, {"test", shares.test}};
}

Json amount_json(const RemovalAmount& amount) {
  Json json = {{"share_of_training_graphs", amount.share}};
  // No limit is no setting.  Its number would differ between machines of 32 and 64 bits.
  if (amount.most != RemovalAmount{}.most) json["at_most"] = amount.most;
  return json;
}

Json release_json(const ReleaseChoices& release) {
  return {{"noise_stddev", release.noise_stddev}, {"precision", release.distance_limit}};
}

Json gin_json(const GinOptions& gin) {
  Json json = {{"layers", gin.layers}, {"hidden", gin.hidden}, {"learning_rate", gin.learning_rate},
               {"epochs", gin.epochs}, {"batch", gin.batch},   {"seed", gin.seed}};
  // Cells from before there was a choice do not state it.
  if (gin.positions) json["positions"] = true;
  return json;
}

// Only settings on which the method depends are listed.  A change of any other setting then leaves the cell as it is.
void describe_task(const CellKey& key, const ClassificationTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  if (is_gin(key)) {
    json["gin"] = gin_json(task.gin);
    return;
  }
  json["parameters"] = parameters_json(task.parameters);
  if (key.method == "objective") json["alpha"] = task.alpha;
  if (key.method == "release") json["release"] = release_json(task.release);
}

void describe_task(const CellKey& key, const UnlearningTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  if (key.backbone == "auto") {
    const SessionOptions options = recipe_options();
    json["recipe"] = stored_recipe(key.backbone);
    json["loss"] = options.loss.describe();
    json["lambda"] = options.regularisation;
    json["noise_stddev"] = options.noise_stddev;
  } else {
    json["parameters"] = parameters_json(task.parameters);
  }
  json["amount"] = amount_json(task.amount);
  json["kind"] = name(task.kind);
  json["epsilon"] = task.epsilon;
  json["delta"] = task.delta;
  if (key.method == "ours-paper" || key.method == "uu") json["alpha"] = task.alpha;
  const bool release = key.method == "release" || key.method == "release-tombstone";
  if (release && key.backbone != "auto") json["release"] = release_json(task.release);
  json["points"] = task.points;
  // These three do something else on sequences longer than full_steps (unlearning.cc).
  if (key.method == "retrain" || key.method == "uu" || key.method == "ours-paper") json["full_steps"] = task.full_steps;
  if (key.method == "retrain" || key.method == "uu") json["long_points"] = task.long_points;
  if (key.method == "uu") json["uu_steps"] = task.uu_steps;
}

void describe_task(const CellKey& /*key*/, const ResidualTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  json["parameters"] = parameters_json(task.parameters);
  json["amount"] = amount_json(task.amount);
  json["alpha"] = 0;
}

void describe_task(const CellKey& /*key*/, const BatchTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  json["parameters"] = parameters_json(task.parameters);
  json["amount"] = amount_json(task.amount);
  json["release"] = release_json(task.release);
  json["size"] = task.size;
}

void describe_task(const CellKey& /*key*/, const GinRetrainTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  json["amount"] = amount_json(task.amount);
  json["points"] = task.points;
  json["gin"] = gin_json(task.gin);
}

void describe_task(const CellKey& /*key*/, const NoiseTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  json["parameters"] = parameters_json(task.parameters);
  json["parameters"]["features"] = "the library's default, rows clipped";
  json["noises"] = task.noises;
  json["draws"] = task.draws;
}

void describe_task(const CellKey& /*key*/, const RecipeTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  json["recipe"] = task.recipe;
  json["loss"] = task.loss.describe();
  json["lambda"] = task.lambda;
  json["noise_stddev"] = task.noise_stddev;
  json["draws"] = task.draws;
}

void describe_task(const CellKey& /*key*/, const TunedTask& task, Json& json) {
  json["shares"] = shares_json(task.shares);
  json["recipes"] = task.recipes;
  for (const TuningGrid& grid : task.grids) {
    json["grids"].push_back({{"loss", grid.loss.describe()}, {"lambdas", grid.lambdas}});
  }
  json["folds"] = task.folds;
  if (task.folds == 1) json["hold_out"] = task.hold_out;
  json["noise_stddev"] = task.noise_stddev;
  json["everyone"] = {{"epsilon", task.everyone.epsilon}, {"delta", task.everyone.delta}, {"per_subject", 1}};
  json["draws"] = task.draws;
}

}  // namespace

bool is_gin(const CellKey& key) { return key.backbone == "gin" || key.backbone == "gin-positions"; }

SessionOptions recipe_options() {
  SessionOptions options;
  set_usual_learning(parse_embedding("auto").value(), options);
  return options;
}

std::string_view name(RemovalKind kind) {
  switch (kind) {
    case RemovalKind::kNode: return "node";
    case RemovalKind::kFeatures: return "features";
    case RemovalKind::kEdge: return "edge";
    case RemovalKind::kGraph: return "graph";
  }
  return "?";
}

std::size_t RemovalAmount::of(std::size_t train_graphs) const {
  const auto shared = static_cast<std::size_t>(std::lround(share * static_cast<double>(train_graphs)));
  return std::min({shared, most, train_graphs});
}

Json settings_json(const CellPlan& plan, std::size_t threads, std::size_t jobs) {
  Json json = {{"version", version()}, {"seed", plan.seed}};
  // Threads and jobs change no weight, but they change times, and times are results here.  Cells on accuracy have no
  // times, so another machine may go on with them.
  const bool timed = !std::holds_alternative<RecipeTask>(plan.task) && !std::holds_alternative<TunedTask>(plan.task);
  if (timed) {
    json["threads"] = threads;
    json["jobs"] = jobs;
  }
  std::visit([&](const auto& task) { describe_task(plan.key, task, json); }, plan.task);
  return json;
}

Result<Json> run_cell(const CellPlan& plan, DataCache& data, const CellContext& context) {
  struct Runner {
    const CellPlan& plan;
    DataCache& data;
    const CellContext& context;
    Result<Json> operator()(const ClassificationTask& task) const {
      return run_classification(plan, task, data, context);
    }
    Result<Json> operator()(const UnlearningTask& task) const { return run_unlearning(plan, task, data, context); }
    Result<Json> operator()(const ResidualTask& task) const { return run_residuals(plan, task, data, context); }
    Result<Json> operator()(const BatchTask& task) const { return run_batch(plan, task, data, context); }
    Result<Json> operator()(const GinRetrainTask& task) const { return run_gin_retrain(plan, task, data, context); }
    Result<Json> operator()(const NoiseTask& task) const { return run_noise(plan, task, data, context); }
    Result<Json> operator()(const RecipeTask& task) const { return run_recipe(plan, task, data, context); }
    Result<Json> operator()(const TunedTask& task) const { return run_tuned(plan, task, data, context); }
  };
  return std::visit(Runner{plan, data, context}, plan.task);
}

}  // namespace unscatter::experiment
