#include "experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "embedding/blocks/recipes.h"
#include "unscatter/embedding/make_embedder.h"

namespace unscatter {
namespace {

constexpr std::array<ExperimentName, 17> kExperimentNames = {{
    {"table1", "test accuracy of the backbones", true},
    {"table2", "running time of the backbones", true},
    {"table3", "trainings from scratch while 10 % of the training graphs lose a node", true},
    {"figure3", "accuracy and time along those removals", true},
    {"figure4", "the same for 90 % of the training graphs", true},
    {"figure5", "the same with abundant data: 500 of 600 training graphs", true},
    {"figure6", "bounds on the residual, and the residual", true},
    {"batch", "many removals in one update", false},
    {"kinds", "features, nodes, edges and whole graphs", false},
    {"epsilon", "the paper's method under stricter and looser guarantees", false},
    {"alpha", "the paper's method with less and more noise", false},
    {"datasets", "five further data sets", false},
    {"noise", "accuracy with noise on published weights, default embedding", false},
    {"accuracy", "accuracy of recipes, as they are and tuned on public data, on known and on fresh splits", false},
    {"accuracy-curves", "accuracy of recipes against the share of graphs that are learned from", false},
    {"accuracy-parts", "accuracy of recipes with one part left out", false},
    {"recipe-removals", "the removals of table3, with recipes", false},
}};

}  // namespace

std::string_view name(PaperPreset preset) { return preset == PaperPreset::kPrinted ? "paper" : "program"; }

Result<PaperPreset> parse_paper_preset(std::string_view text) {
  for (const PaperPreset preset : {PaperPreset::kPrinted, PaperPreset::kProgram}) {
    if (text == name(preset)) return preset;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown preset '{}': it is paper or program", text)};
}

std::span<const ExperimentName> experiment_names() { return kExperimentNames; }

namespace experiment {
namespace {

// Shares to train on, to validate with and to test on.  A tenth to train on is the paper's case of limited data.
constexpr SplitShares kLimitedData{0.1, 0.1, 0.8};
constexpr SplitShares kAbundantData{0.6, 0.2, 0.2};  // Figure 5
// The defaults of the library, for data sets that the paper does not use.
constexpr HyperParameters kCommonParameters{4, 3, 3, 1e-3};
constexpr double kPaperAlpha = 0.1;  // standard deviation of the paper's noise in the objective
// Takes the place of lambda = 0, for which no certificate exists.
constexpr double kFaintestLambda = 1e-8;
const std::vector<std::string> kFiveDataSets = {"IMDB-BINARY", "PROTEINS", "COLLAB", "MNIST", "CIFAR10"};
const std::vector<std::string> kSmallDataSets = {"IMDB-BINARY", "PROTEINS", "COLLAB"};
const std::vector<std::string> kFurtherDataSets = {"MUTAG", "NCI1", "ENZYMES", "IMDB-MULTI", "REDDIT-BINARY"};
std::vector<std::string> ten_data_sets() {
  std::vector<std::string> ten = kFiveDataSets;
  ten.insert(ten.end(), kFurtherDataSets.begin(), kFurtherDataSets.end());
  return ten;
}
const std::vector<std::string> kUnlearningMethods = {"ours-paper", "uu", "retrain", "release"};
// Most graphs are edited on long sequences.  It then shows in the accuracy what a removal means: whether degrees
// follow.  The last method keeps degrees, so that this effect can be told apart.
const std::vector<std::string> kMethodsOnLongSequences = {"ours-paper", "uu", "retrain", "release",
                                                          "release-tombstone"};

// The usual choices, as far as double precision can reach what they ask for.  Residuals of about 5e-9 are reached on
// CIFAR10.  Divided by lambda n they are a distance.  Weights grow as lambda falls, so more noise still decides
// nothing.
ReleaseChoices release_choices_for(const HyperParameters& parameters) {
  const ReleaseChoices usual;
  const double lambda = parameters.regularisation;
  return {std::max(usual.noise_stddev, 1e-9 / lambda), std::max(usual.distance_limit, 1e-14 / lambda)};
}

// The form of the ten data sets, which decides what is chosen among.  A plan is made before data is read.  Other data
// is taken for bare graphs.
unscatter::DataForm form_of_data_set(const std::string& data_set) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), data_set) != names.end();
  };
  unscatter::DataForm form;
  form.labels = is_one_of({"MUTAG", "NCI1", "ENZYMES", "PROTEINS"});
  form.positions = is_one_of({"MNIST", "CIFAR10"});
  if (data_set == "ENZYMES") form.attributes = 18;
  if (data_set == "PROTEINS") form.attributes = 1;
  if (data_set == "MNIST") form.attributes = 1;
  if (data_set == "CIFAR10") form.attributes = 3;
  return form;
}

bool is_image(const std::string& data_set) { return data_set == "MNIST" || data_set == "CIFAR10"; }
bool has_long_sequences(const std::string& data_set) { return is_image(data_set); }

struct DataSetParameters {
  HyperParameters classification;
  HyperParameters unlearning;
};

DataSetParameters parameters_for(const std::string& data_set, PaperPreset preset) {
  const PaperSetting* setting = find_paper_setting(data_set);
  if (setting == nullptr) return {kCommonParameters, kCommonParameters};
  // The paper prints two settings per data set: one to classify with, and one to unlearn with.
  DataSetParameters parameters{setting->classification, setting->unlearning};
  if (preset == PaperPreset::kProgram && setting->program_moments) {
    parameters.classification.moments = parameters.unlearning.moments = *setting->program_moments;
  }
  return parameters;
}

// Learning curves and parts of images have so many splits: accuracies of tens of thousands of test graphs hardly differ
// from split to split.
constexpr std::size_t kImageSplits = 3;

// Collects the cells of one experiment.  Two experiments may have cells in common; equal keys are made once.
class Planner {
 public:
  explicit Planner(const ExperimentOptions& options) : options_(options) {}

  [[nodiscard]] std::vector<CellPlan> take() {
    if (options_.gin_only) std::erase_if(plans_, [](const CellPlan& plan) { return !is_gin(plan.key); });
    return std::move(plans_);
  }

  [[nodiscard]] std::vector<std::string> data_sets(const std::vector<std::string>& usual) const {
    return options_.data_sets.empty() ? usual : options_.data_sets;
  }

  void classification(const std::string& data_set, bool with_fourier = true) {
    const DataSetParameters parameters = parameters_for(data_set, options_.preset);
    const ClassificationTask task{parameters.classification, kLimitedData, kPaperAlpha, {}, options_.gin_options};
    // A certificate needs lambda > 0.
    ClassificationTask certified = task;
    if (!(certified.parameters.regularisation > 0)) {
      certified.parameters.regularisation = kFaintestLambda;
    }
    certified.release = release_choices_for(certified.parameters);
    // The paper's tables have the first of these three.  The other two show what the noise of either mechanism costs.
    for (const char* backbone : {"gst", "linear-gst"}) {
      add({"classification", data_set, backbone, "noise-free", "", 0}, task);
      add({"classification", data_set, backbone, "objective", "", 0}, task);
      add({"classification", data_set, backbone, "release", "", 0}, certified);
    }
    if (with_fourier) {
      add({"classification", data_set, "gft", "noise-free", "", 0}, task);
      add({"classification", data_set, "gft-signs", "noise-free", "", 0}, task);
    }
    if (options_.with_gin()) add({"classification", data_set, "gin", "noise-free", "", 0}, task, options_.gin_splits);
  }

  [[nodiscard]] UnlearningTask unlearning_task(const std::string& data_set) const {
    UnlearningTask task;
    task.parameters = parameters_for(data_set, options_.preset).unlearning;
    task.shares = kLimitedData;
    task.alpha = kPaperAlpha;
    task.release = release_choices_for(task.parameters);
    task.points = options_.points;
    task.full_steps = options_.full_steps;
    task.long_points = options_.long_points;
    task.uu_steps = options_.uu_steps;
    return task;
  }

  void unlearning(const std::string& kind, const std::string& data_set, const std::vector<std::string>& backbones,
                  const std::vector<std::string>& methods, const UnlearningTask& task,
                  const std::string& variant = "") {
    const std::size_t splits = has_long_sequences(data_set) ? options_.long_splits : options_.splits;
    for (const std::string& backbone : backbones) {
      for (const std::string& method : methods) add({kind, data_set, backbone, method, variant, 0}, task, splits);
    }
  }

  void extreme(const std::string& data_set) {
    UnlearningTask task = unlearning_task(data_set);
    task.amount.share = 0.9;
    unlearning("extreme", data_set, {"gst"}, kMethodsOnLongSequences, task);
    if (options_.with_gin() && data_set == "IMDB-BINARY") {
      add({"extreme", data_set, "gin", "gin-retrain", "", 0},
          GinRetrainTask{task.shares, task.amount, options_.gin_points, options_.gin_options}, options_.gin_splits);
    }
  }

  void abundant(const std::string& data_set) {
    UnlearningTask task = unlearning_task(data_set);
    task.shares = kAbundantData;
    // 500 of 600 graphs, as in the paper.
    task.amount.share = 5.0 / 6;
    unlearning("abundant", data_set, {"gst"}, kMethodsOnLongSequences, task);
  }

  void residuals(const std::string& data_set) {
    // One removal per graph, for as many graphs as a figure can show.
    const RemovalAmount amount{0.9, 100};
    const HyperParameters parameters = parameters_for(data_set, options_.preset).unlearning;
    add({"residuals", data_set, "gst", "one-step", "", 0}, ResidualTask{parameters, kLimitedData, amount});
  }

  void batches(const std::string& data_set) {
    const HyperParameters parameters = parameters_for(data_set, options_.preset).unlearning;
    // Up to 500, the number of training graphs of COLLAB.  Smaller data sets stop at their own number.
    for (const std::size_t size : std::initializer_list<std::size_t>{1, 2, 5, 10, 20, 50, 100, 200, 500}) {
      add({"batch", data_set, "gst", "release", fmt::format("size-{}", size), 0},
          BatchTask{parameters, kLimitedData, {1.0}, release_choices_for(parameters), size});
    }
  }

  void noises(const std::string& data_set) {
    const std::size_t splits = has_long_sequences(data_set) ? options_.long_splits : options_.splits;
    for (const double lambda : {kDefaultRegularisation, 1e-4, 1e-6}) {
      HyperParameters parameters = kCommonParameters;
      parameters.regularisation = lambda;
      NoiseTask task;
      task.parameters = parameters;
      task.shares = kLimitedData;
      add({"noise", data_set, "default", "release", fmt::format("lambda-{:g}", lambda), 0}, task, splits);
    }
  }

  // The paper's embedding, the recipe that the form of the data chooses, and recipes chosen on public data.
  void accuracies(const std::string& data_set) {
    const ClassificationTask paper{
        parameters_for(data_set, options_.preset).classification, kLimitedData, kPaperAlpha, {}, options_.gin_options};
    add_known_and_fresh({"classification", data_set, "gst", "noise-free", "", 0}, paper);
    RecipeTask built_in;
    built_in.shares = kLimitedData;
    add_known_and_fresh({"accuracy", data_set, "auto", "built-in", "", 0}, built_in);
    add_known_and_fresh({"accuracy", data_set, "auto", "tuned", "", 0},
                        tuned_task(data_set, candidate_recipes(form_of_data_set(data_set))));
    if (options_.with_gin()) gin_accuracies(data_set, paper);
    if (!is_image(data_set)) return;
    built_in.recipe = "drawing";
    add_known_and_fresh({"accuracy", data_set, "drawing", "built-in", "", 0}, built_in);
    add_known_and_fresh({"accuracy", data_set, "drawing", "tuned", "", 0}, tuned_task(data_set, {"drawing"}));
  }

  // The paper's network, and for images a second one that sees positions.
  void gin_accuracies(const std::string& data_set, ClassificationTask task) {
    add_known_and_fresh({"classification", data_set, "gin", "noise-free", "", 0}, task, options_.gin_splits);
    if (!form_of_data_set(data_set).positions) return;
    task.gin.positions = true;
    add_known_and_fresh({"classification", data_set, "gin-positions", "noise-free", "", 0}, task, options_.gin_splits);
  }

  void accuracy_curves(const std::string& data_set) {
    for (const double share : {0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8}) {
      RecipeTask task;
      // The test graphs are the same for all shares.
      task.shares = {share, 0.8 - share, 0.2};
      const std::size_t splits = is_image(data_set) ? std::min(options_.long_splits, kImageSplits) : options_.splits;
      add({"accuracy-curves", data_set, "auto", "built-in", fmt::format("share-{:g}", share), 0}, task, splits);
    }
  }

  void accuracy_parts(const std::string& data_set) {
    const Recipe whole = resolve_recipe("auto", form_of_data_set(data_set)).value();
    const auto add_variant = [&](const std::string& variant, const Recipe& recipe) {
      RecipeTask task;
      task.shares = kLimitedData;
      task.recipe = write_recipe(recipe);
      const std::size_t splits = is_image(data_set) ? std::min(options_.long_splits, kImageSplits) : options_.splits;
      add({"accuracy-parts", data_set, "auto", "built-in", variant, 0}, task, splits);
    };
    add_variant("whole", whole);
    for (std::size_t left_out = 0; whole.parts.size() > 1 && left_out < whole.parts.size(); ++left_out) {
      Recipe rest = whole;
      rest.parts.erase(rest.parts.begin() + static_cast<std::ptrdiff_t>(left_out));
      // The place tells apart two parts of one name.
      add_variant(fmt::format("without-{}-{}", left_out + 1, whole.parts[left_out].kind->name), rest);
    }
    Recipe linear = whole;
    linear.fourier.reset();
    if (whole.fourier) add_variant("without-fourier", linear);
  }

  // The recipe that the form of the data chooses, with all that goes with it.
  void recipe_removals(const std::string& data_set) {
    unlearning("recipe-removals", data_set, {"auto"}, {"release"}, unlearning_task(data_set));
  }

  void kinds(const std::string& data_set) {
    UnlearningTask task = unlearning_task(data_set);
    for (const RemovalKind kind :
         {RemovalKind::kFeatures, RemovalKind::kNode, RemovalKind::kEdge, RemovalKind::kGraph}) {
      task.kind = kind;
      unlearning("kinds", data_set, {"gst"}, {"ours-paper", "release"}, task, std::string(name(kind)));
    }
  }

  void epsilons(const std::string& data_set) {
    UnlearningTask task = unlearning_task(data_set);
    for (const double epsilon : {0.1, 0.25, 0.5, 1.0, 2.0, 4.0}) {
      task.epsilon = epsilon;
      unlearning("epsilon", data_set, {"gst"}, {"ours-paper", "release"}, task, fmt::format("epsilon-{}", epsilon));
    }
  }

  void alphas(const std::string& data_set) {
    UnlearningTask task = unlearning_task(data_set);
    for (const double alpha : {0.01, 0.03, 0.1, 0.3, 1.0, 3.0}) {
      task.alpha = alpha;
      unlearning("alpha", data_set, {"gst"}, {"ours-paper"}, task, fmt::format("alpha-{}", alpha));
    }
  }

 private:
  void add(const CellKey& key, const Task& task) { add(key, task, options_.splits); }
  void add(CellKey key, const Task& task, std::size_t splits) {
    // Split s has the seed `seed` + s whatever the experiment, so that methods are compared on equal splits.
    for (key.split = 0; key.split < std::min(splits, options_.splits); ++key.split) {
      plans_.push_back({key, options_.seed + key.split, task});
    }
  }

  void add_known_and_fresh(const CellKey& key, const Task& task) {
    add_known_and_fresh(key, task, std::max(options_.splits, options_.fresh_splits));
  }
  void add_known_and_fresh(CellKey key, const Task& task, std::size_t splits) {
    add(key, task, splits);
    for (std::size_t fresh = 0; fresh < std::min(splits, options_.fresh_splits); ++fresh) {
      key.split = options_.fresh_from + fresh;
      plans_.push_back({key, options_.seed + key.split, task});
    }
  }

  [[nodiscard]] static TunedTask tuned_task(const std::string& data_set, std::vector<std::string> recipes) {
    TunedTask task;
    task.recipes = std::move(recipes);
    task.shares = kLimitedData;
    task.grids = usual_grids(is_image(data_set) ? kManyPublicGraphs : 0);
    if (!is_image(data_set)) return task;
    task.folds = 1;
    // What level everyone costs on images is another experiment (docs/privacy.md).  Here it would take hours.
    std::erase_if(task.grids, [](const TuningGrid& grid) { return grid.loss != Loss::squared(); });
    return task;
  }

  const ExperimentOptions& options_;
  std::vector<CellPlan> plans_;
};

}  // namespace

Result<std::vector<std::string>> expand_names(std::span<const std::string> names) {
  std::vector<std::string> expanded;
  const auto add = [&expanded](std::string_view wanted) {
    if (std::find(expanded.begin(), expanded.end(), wanted) == expanded.end()) expanded.emplace_back(wanted);
  };
  for (const std::string& wanted : names) {
    bool known = false;
    for (const ExperimentName& entry : kExperimentNames) {
      const bool chosen = wanted == entry.name || wanted == (entry.of_the_paper ? "all" : "extras");
      if (chosen) add(entry.name);
      known = known || chosen;
    }
    if (!known) {
      std::string list;
      for (const ExperimentName& entry : kExperimentNames) list += fmt::format("{}, ", entry.name);
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("unknown experiment '{}': there are {}all, extras", wanted, list)};
    }
  }
  if (expanded.empty()) return Error{ErrorCode::kInvalidArgument, "no experiment is named"};
  return expanded;
}

std::vector<CellPlan> plan_experiment(std::string_view name, const ExperimentOptions& options) {
  Planner planner(options);
  const auto each = [&](const std::vector<std::string>& usual, auto&& add) {
    for (const std::string& data_set : planner.data_sets(usual)) add(data_set);
  };
  const auto ordinary = [&](const std::string& data_set) {
    planner.unlearning("unlearning", data_set, {"gst", "linear-gst"}, kUnlearningMethods,
                       planner.unlearning_task(data_set));
  };
  if (name == "table1" || name == "table2") {
    each(kFiveDataSets, [&](const std::string& data_set) { planner.classification(data_set); });
  } else if (name == "table3" || name == "figure3") {
    each(kFiveDataSets, ordinary);
  } else if (name == "figure4") {
    each({"IMDB-BINARY", "COLLAB"}, [&](const std::string& data_set) { planner.extreme(data_set); });
  } else if (name == "figure5") {
    each({"IMDB-BINARY"}, [&](const std::string& data_set) { planner.abundant(data_set); });
  } else if (name == "figure6") {
    each(kSmallDataSets, [&](const std::string& data_set) { planner.residuals(data_set); });
  } else if (name == "batch") {
    each(kSmallDataSets, [&](const std::string& data_set) { planner.batches(data_set); });
  } else if (name == "kinds") {
    each(kSmallDataSets, [&](const std::string& data_set) { planner.kinds(data_set); });
  } else if (name == "epsilon") {
    each(kSmallDataSets, [&](const std::string& data_set) { planner.epsilons(data_set); });
  } else if (name == "alpha") {
    each(kSmallDataSets, [&](const std::string& data_set) { planner.alphas(data_set); });
  } else if (name == "noise") {
    each(ten_data_sets(), [&](const std::string& data_set) { planner.noises(data_set); });
  } else if (name == "accuracy") {
    each(ten_data_sets(), [&](const std::string& data_set) { planner.accuracies(data_set); });
  } else if (name == "accuracy-curves") {
    each(ten_data_sets(), [&](const std::string& data_set) { planner.accuracy_curves(data_set); });
  } else if (name == "accuracy-parts") {
    each(ten_data_sets(), [&](const std::string& data_set) { planner.accuracy_parts(data_set); });
  } else if (name == "recipe-removals") {
    each(ten_data_sets(), [&](const std::string& data_set) { planner.recipe_removals(data_set); });
  } else if (name == "datasets") {
    each(kFurtherDataSets, [&](const std::string& data_set) {
      // Without GFT: REDDIT-BINARY has graphs of thousands of nodes, and the cost of GFT is cubic in their number.
      planner.classification(data_set, false);
      ordinary(data_set);
    });
  }
  return planner.take();
}

}  // namespace experiment
}  // namespace unscatter
