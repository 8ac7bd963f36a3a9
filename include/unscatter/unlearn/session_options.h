// Everything a session is told at its creation.  The defaults are the `sound` preset.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "unscatter/base/progress.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/graph_edit.h"
#include "unscatter/learn/loss.h"
#include "unscatter/learn/train.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/promise.h"

namespace unscatter {

class RowCrew;

// How a request is honoured.
enum class Method {
  kUnlearn,     // edit the graph, Newton update
  kWholeGraph,  // drop every touched graph whole, Newton update: the "UU" baseline of the paper, after [Guo20]
  kRetrain,     // edit the graph, train from scratch
};

// "unlearn", "whole-graph", "retrain"; "compact", "tombstone".  These names stand in files.
[[nodiscard]] std::string_view name(Method method);
[[nodiscard]] std::string_view name(NodeRemoval removal);
// The inverse.  Errors: kInvalidArgument.
[[nodiscard]] Result<Method> parse_method(std::string_view text);
[[nodiscard]] Result<NodeRemoval> parse_node_removal(std::string_view text);

struct SessionOptions {
  // Learning.
  Loss loss = Loss::logistic();
  double regularisation = 1e-3;  // lambda > 0
  // The ridge of the objective as a public constant.  Default: lambda n, which follows the number of graphs that are
  // left.
  std::optional<double> ridge = {};
  bool bias = false;  // one more, constant coordinate
  Optimizer optimizer = Optimizer::kNewton;

  // Constants (docs/constants.md).  kPrivateFit: the classes are those that occur, and a class leaves with its last
  // graph.  Otherwise the data set's list of classes stays as it is, and this says where it comes from.
  ConstantKind classes = ConstantKind::kPrivateFit;
  // What the caller knows about other constants.  The session adds features, classes and lambda.
  std::vector<ConstantOrigin> constants = {};

  // The guarantee.
  Mechanism mechanism = Mechanism::kRelease;
  // delta is below 1 / (number of subjects) for any data set that one machine can hold.
  RemovalGuarantee guarantee{1.0, 1e-8};
  // Whom published models protect.  kEveryone needs the release mechanism, a ridge, a loss of bounded slope and compact
  // removal.
  Protection protection = Protection::kRemoved;
  // Level everyone: how many graphs one subject may touch.  A subject is an external node id.  Its memberships beyond
  // this number are dropped before training, by a public rule.  0: every graph is a subject of its own, and is there as
  // a whole or not at all; data with node ids is then refused.
  std::size_t per_subject = 0;
  // Release: standard deviation of the noise on published weights.  A score then moves by noise_stddev |z| times a
  // standard normal number; docs/constants.md ("Noise") has the study behind the default.  Level everyone: this is not
  // read; the noise follows from the guarantee, and Session::options() tells it.  Objective: alpha, of the noise in the
  // objective.
  double noise_stddev = 3e-2;
  // Release: how many published models the guarantee covers together; each may use 1/sqrt(releases) of the shift.
  std::size_t releases = 1000;
  // Release: the kept weights are at most this far from the retrained ones, relative to their norm, whatever the noise
  // would allow.  Nothing: the noise alone decides, which is what the guarantee needs.
  std::optional<double> distance_limit = {};

  // How residuals are bounded and charged.
  ResidualBound bound = ResidualBound::kExact;
  BudgetRule rule = BudgetRule::kJoint;  // kPaper with the objective mechanism only
  bool report_all_bounds = false;        // compute the other bounds too, for reports; costs a spectral norm per update
  // F in bounds (1) and (2).  Default: the largest |z_i| there is.  The paper takes sqrt(L), which can be too small.
  // Level everyone: longer rows, bias included, are shortened to it, and the default is 1.
  std::optional<double> row_norm = {};
  // Over budget: train from scratch at once, as the paper does, instead of evaluating the residual and polishing.
  bool retrain_when_exceeded = false;
  // Training anew starts from the present weights instead of zero.  The minimum is the same, reached to the same
  // tolerance, in less time.  For experiments; the first training and the method `retrain` start from zero.
  bool warm_retraining = false;
  // Keeps a factor for steps whose cost does not depend on the number of graphs.  Used with the exact bound only, and
  // where there are at least as many graphs as coordinates.
  bool fast_rung = true;

  // How many updates are to come; 0: many.  What pays only over many updates (inverses, the fast rung's factor) is not
  // built for a few.  Decides about time alone, never about a result's guarantee.  Not kept in snapshots.
  std::size_t expected_updates = 0;

  // Rows that were made outside, by a function that learned from private data with differential privacy: its
  // (epsilon, delta) for one subject.  delta may be 0.  It changes no result; the promise adds it
  // (Promise::with_embedding).  Nothing: the function learned from no private data.
  std::optional<RemovalGuarantee> embedding_guarantee = {};

  // Counts of published models that ended before this one began.  They change no result; the promise tells them.
  std::vector<EarlierCount> earlier = {};

  // Removal.
  NodeRemoval removal = NodeRemoval::kCompact;
  Method method = Method::kUnlearn;

  std::size_t threads = 0;  // 0: all; results do not depend on it
  Progress* progress = nullptr;
  RowCrew* crew = nullptr;  // other processes that embed and train too; results do not depend on them
};

// The paper's choices throughout: objective perturbation with alpha = 0.1, data-dependent bound with F = sqrt(layers),
// its budget rule, tombstones, retraining when over budget.  For reproduction.  The certificate names what is not sound
// about it.
[[nodiscard]] SessionOptions paper_options(double regularisation, std::size_t layers);

// The noise where none is stated.  In the objective it is the paper's alpha; that of published weights would be far too
// little there.
[[nodiscard]] double usual_noise(Mechanism mechanism);
// Loss and lambda where none are stated: those that go with the embedding.  Recipes with a name have the squared loss,
// but not at level everyone, which needs a bounded slope.  The level must be set before.
void set_usual_learning(const TransformSpec& embedding, SessionOptions& options);
// How many published models the guarantee covers where nothing is stated.  Level everyone: 1, because every model that
// is covered makes the noise larger.  Who wants more says so.
[[nodiscard]] std::size_t usual_releases(Protection protection);

// How many published models the guarantee covers together: `releases`, or one under the objective mechanism.
[[nodiscard]] std::size_t covered_releases(const SessionOptions& options);

// The ridge of the objective with so many graphs: the constant, or lambda n.
[[nodiscard]] double ridge_of(const SessionOptions& options, std::size_t graphs);

// kInvalidArgument, naming the option, for numbers outside their ranges and choices that do not fit together.
[[nodiscard]] Status check_options(const SessionOptions& options);

}  // namespace unscatter
