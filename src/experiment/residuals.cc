#include <utility>
#include <vector>

#include "experiment/removals.h"
#include "experiment/task.h"
#include "unscatter/unlearn/session.h"

namespace unscatter::experiment {
namespace {

// alpha = 0: the objective without noise, and one Newton step per removal.  The limits are so wide that nothing is
// polished or trained again.  The four sessions below differ in the bound that they charge, and go through the same
// weights.
SessionOptions residual_options(const ResidualTask& task, ResidualBound bound, std::size_t threads) {
  SessionOptions options;
  options.classes = ConstantKind::kFittedOnce;
  options.regularisation = task.parameters.regularisation;
  options.noise_stddev = 1e200;
  options.distance_limit = 1e200;
  options.bound = bound;
  options.report_all_bounds = bound == ResidualBound::kExact;
  options.fast_rung = false;
  options.removal = NodeRemoval::kTombstone;
  options.threads = threads;
  return options;
}

}  // namespace

// Each bound is read in two ways.  "step" is what it says about one update whose start is known exactly.  "cumulated"
// is what is charged over a whole sequence, where bounds add up and nothing is evaluated in between (the paper's beta).
Result<Json> run_residuals(const CellPlan& plan, const ResidualTask& task, DataCache& data,
                           const CellContext& context) {
  UNSCATTER_TRY(embedded, data.embedded(plan.key.backbone, task.parameters, CellForm::kFrozenDegrees));
  UNSCATTER_TRY(split, random_split(embedded->dataset->size(), task.shares, plan.seed));
  const Dataset train = subset(*embedded->dataset, split.train);
  const std::vector<RemovalRequest> requests =
      random_removals(train, RemovalKind::kNode, task.amount.of(train.size()), plan.seed);
  Json step = {{"worst", Json::array()}, {"data", Json::array()}, {"tight", Json::array()}};
  Json cumulated = step;
  Json residual = Json::array();
  const std::pair<const char*, ResidualBound> bounds[] = {{"exact", ResidualBound::kExact},
                                                          {"tight", ResidualBound::kTight},
                                                          {"data", ResidualBound::kData},
                                                          {"worst", ResidualBound::kWorst}};
  for (const auto& [bound_name, bound] : bounds) {
    UNSCATTER_TRY(session, Session::create(train, embedded->embedder, residual_options(task, bound, context.threads),
                                           context.noise ? context.noise(plan.seed) : nullptr));
    for (const RemovalRequest& request : requests) {
      UNSCATTER_TRY(certificate, session.forget(request));
      // With another rung the bounds would be about different steps, and the figure would compare nothing.
      if (certificate.rung != Rung::kNewton) {
        return Error{ErrorCode::kUnsupported, "a removal did not end with one Newton step"};
      }
      // This session evaluates after every update, so each update starts from a residual that is known.
      if (bound == ResidualBound::kExact) {
        step["worst"].push_back(certificate.bounds.worst.value_or(0));
        step["data"].push_back(certificate.bounds.data.value_or(0));
        step["tight"].push_back(certificate.bounds.tight.value_or(0));
        residual.push_back(certificate.bounds.exact.value_or(0));
      } else {
        cumulated[bound_name].push_back(certificate.residual_upper_bound);
      }
    }
  }
  return Json{{"train_graphs", split.train.size()},
              {"removals", requests.size()},
              {"residual", std::move(residual)},
              {"step", std::move(step)},
              {"cumulated", std::move(cumulated)}};
}

}  // namespace unscatter::experiment
