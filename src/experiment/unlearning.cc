// Table 3 and Figures 3 to 5: removals one after the other, by every method.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "experiment/removals.h"
#include "experiment/task.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::experiment {
namespace {

bool is_release(const std::string& method) { return method == "release" || method == "release-tombstone"; }

SessionOptions unlearning_options(const CellPlan& plan, const UnlearningTask& task, std::size_t threads) {
  const std::string& method = plan.key.method;
  if (plan.key.backbone == "auto") {
    SessionOptions options = recipe_options();
    options.classes = ConstantKind::kFittedOnce;  // labels of the test graphs are places in the list of all classes
    options.guarantee = {task.epsilon, task.delta};
    options.threads = threads;
    return options;
  }
  const bool paper = method == "ours-paper" || method == "uu";
  SessionOptions options =
      paper ? paper_options(task.parameters.regularisation, task.parameters.layers) : SessionOptions{};
  options.classes = ConstantKind::kFittedOnce;  // labels of the test graphs are places in the list of all classes
  options.regularisation = task.parameters.regularisation;
  options.guarantee = {task.epsilon, task.delta};
  options.threads = threads;
  if (paper) options.noise_stddev = task.alpha;
  if (is_release(method)) {
    options.noise_stddev = task.release.noise_stddev;
    options.distance_limit = task.release.distance_limit;
  }
  if (method == "release-tombstone") options.removal = NodeRemoval::kTombstone;
  if (method == "uu") options.method = Method::kWholeGraph;
  if (method == "retrain") {
    options.method = Method::kRetrain;
    options.removal = NodeRemoval::kTombstone;
    // Trained from scratch without noise, as in the paper's public program.  Nothing has to be hidden, so no
    // certificate may ask for more than training gives.  The limits are wide enough never to matter.
    options.noise_stddev = 1e6;
    options.distance_limit = 1e6;
  }
  return options;
}

// How many removals go into each update.  Usually one.  Fewer and larger updates are made where the state of a method
// does not depend on the steps in between.
struct UpdatePlan {
  std::vector<std::size_t> ends;  // removals done after each update
  std::size_t single = 0;         // leading updates of one removal each
};

UpdatePlan plan_updates(bool shortened, std::size_t leading_steps, std::size_t count,
                        const std::vector<std::size_t>& places) {
  UpdatePlan plan;
  plan.single = shortened ? std::min(count, leading_steps) : count;
  for (std::size_t end = 1; end <= plan.single; ++end) plan.ends.push_back(end);
  for (const std::size_t place : places) {
    if (place > plan.single) plan.ends.push_back(place);
  }
  return plan;
}

// What is recorded along a sequence.
struct Course {
  Json points = Json::array();
  std::vector<double> seconds;  // of each update
  std::size_t retrains = 0;     // among the single updates, for a method that counts them
  bool always_satisfied = true;
  double largest_residual = 0;

  // The time after `done` removals.  Where updates were larger, every removal that was not done singly counts with the
  // mean time of those that were.  (With "retrain" an update is one training, however many removals it carries.)
  [[nodiscard]] double cumulated(std::size_t done, std::size_t single) const {
    const std::size_t measured = std::min(done, single);
    const auto first = seconds.begin();
    if (done <= single) return std::accumulate(first, first + static_cast<std::ptrdiff_t>(measured), 0.0);
    const std::size_t base = single > 0 ? single : seconds.size();
    const double sum = std::accumulate(first, first + static_cast<std::ptrdiff_t>(base), 0.0);
    return sum / static_cast<double>(base) * static_cast<double>(done);
  }
};

Result<Matrix> weights_to_look_at(Session& session, const std::string& method) {
  // The release mechanism protects published models, so accuracy is that of a published one.  The other methods publish
  // the weights themselves.
  if (!is_release(method)) return session.weights();
  UNSCATTER_TRY(model, session.release());
  return std::move(model.weights);
}

}  // namespace

Result<Json> run_unlearning(const CellPlan& plan, const UnlearningTask& task, DataCache& data,
                            const CellContext& context) {
  const std::string& method = plan.key.method;
  // The paper's removals leave degrees as they were.  Our default derives them from what is left.
  const CellForm form = method == "release" ? CellForm::kPlain : CellForm::kFrozenDegrees;
  UNSCATTER_TRY(embedded, plan.key.backbone == "auto" ? data.embedded(plan.key.backbone)
                                                      : data.embedded(plan.key.backbone, task.parameters, form));
  UNSCATTER_TRY(split, random_split(embedded->dataset->size(), task.shares, plan.seed));
  Dataset train = subset(*embedded->dataset, split.train);
  const std::vector<RemovalRequest> requests =
      random_removals(train, task.kind, task.amount.of(train.size()), plan.seed);
  const bool shortened = requests.size() > task.full_steps && (method == "retrain" || method == "uu");
  const std::vector<std::size_t> places = sampled_places(requests.size(), shortened ? task.long_points : task.points);
  const UpdatePlan updates = plan_updates(shortened, method == "uu" ? task.uu_steps : 0, requests.size(), places);

  SessionOptions options = unlearning_options(plan, task, context.threads);
  // On long sequences the paper's method trains anew from the present weights.  Such a training is counted as before
  // and has the same minimum.  It takes less time than one from scratch.
  options.warm_retraining = method == "ours-paper" && requests.size() > task.full_steps;

  const Stopwatch creation;
  UNSCATTER_TRY(session, Session::create(std::move(train), embedded->embedder, options,
                                         context.noise ? context.noise(plan.seed) : nullptr));
  const double create_seconds = creation.seconds();

  Course course;
  std::size_t done = 0;
  const auto look = [&]() -> Status {
    UNSCATTER_TRY(weights, weights_to_look_at(session, method));
    course.points.push_back({{"removed", done},
                             {"accuracy", accuracy_percent(*embedded, split.test, weights, context.threads)},
                             {"seconds", course.cumulated(done, updates.single)},
                             {"retrains", course.retrains},
                             {"residual", session.certificate().residual_upper_bound}});
    return ok_status();
  };
  UNSCATTER_CHECK_OK(look());
  for (const std::size_t end : updates.ends) {
    const std::span<const RemovalRequest> batch(requests.data() + done, end - done);
    // The update with its certificate is timed.  Looking at accuracy is not.
    const Stopwatch watch;
    UNSCATTER_TRY(certificate, session.forget(batch));
    course.seconds.push_back(watch.seconds());
    done = end;
    // An update for many removals trains at most once, so it would not count like single ones.
    if (certificate.rung == Rung::kRetrain && done <= updates.single) ++course.retrains;
    course.always_satisfied = course.always_satisfied && certificate.satisfied;
    course.largest_residual = std::max(course.largest_residual, certificate.residual_upper_bound);
    if (std::binary_search(places.begin(), places.end(), done)) UNSCATTER_CHECK_OK(look());
  }

  const bool sampled = updates.ends.size() < requests.size();
  const bool retrains_by_definition = method == "retrain";
  return Json{{"train_graphs", split.train.size()},
              {"test_graphs", split.test.size()},
              {"coordinates", embedded->rows.columns()},
              {"features", embedded->embedder->blocks().front().features.describe()},
              {"removals", requests.size()},
              {"create_seconds", create_seconds},
              {"sampled", sampled},
              {"warm_retraining", options.warm_retraining},
              {"single_removals", updates.single},
              {"updates", updates.ends.size()},
              {"seconds", course.cumulated(requests.size(), updates.single)},
              {"retrains", retrains_by_definition ? requests.size() : course.retrains},
              {"retrains_of", retrains_by_definition ? requests.size() : updates.single},
              {"rungs", counts_by_name<Json>(session.rungs())},
              {"always_satisfied", course.always_satisfied},
              {"largest_residual", course.largest_residual},
              {"points", std::move(course.points)},
              {"seconds_of_updates", course.seconds}};
}

}  // namespace unscatter::experiment
