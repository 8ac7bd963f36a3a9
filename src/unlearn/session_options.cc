#include "unscatter/unlearn/session_options.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

#include "unscatter/embedding/make_embedder.h"

namespace unscatter {
namespace {

Status require(bool condition, std::string_view what) {
  if (condition) return ok_status();
  return Error{ErrorCode::kInvalidArgument, std::string(what)};
}

template <typename Value>
Result<Value> find_named(std::initializer_list<Value> values, std::string_view text, std::string_view what) {
  for (const Value value : values) {
    if (name(value) == text) return value;
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown {} '{}'", what, text)};
}

}  // namespace

std::string_view name(Method method) {
  switch (method) {
    case Method::kUnlearn: return "unlearn";
    case Method::kWholeGraph: return "whole-graph";
    case Method::kRetrain: return "retrain";
  }
  return "?";
}

std::string_view name(NodeRemoval removal) { return removal == NodeRemoval::kCompact ? "compact" : "tombstone"; }

Result<Method> parse_method(std::string_view text) {
  return find_named({Method::kUnlearn, Method::kWholeGraph, Method::kRetrain}, text, "method");
}

Result<NodeRemoval> parse_node_removal(std::string_view text) {
  return find_named({NodeRemoval::kCompact, NodeRemoval::kTombstone}, text, "kind of removal");
}

SessionOptions paper_options(double regularisation, std::size_t layers) {
  SessionOptions options;
  options.regularisation = regularisation;
  options.mechanism = Mechanism::kObjective;
  // The choices of the paper and of its program.  Together they are not sound, and the certificate names each reason
  // (docs/certificates.md, "Assumptions").
  options.guarantee = {1.0, 1e-4};
  options.noise_stddev = 0.1;
  options.bound = ResidualBound::kData;
  options.rule = BudgetRule::kPaper;
  options.row_norm = std::sqrt(static_cast<double>(layers));
  options.retrain_when_exceeded = true;
  // The paper has no such step, and it does not use the bound that the rung needs.
  options.fast_rung = false;
  options.removal = NodeRemoval::kTombstone;
  // The paper's classes are those of the whole data set, whatever is removed.
  options.classes = ConstantKind::kFittedOnce;
  return options;
}

double usual_noise(Mechanism mechanism) {
  const SessionOptions usual;
  if (mechanism == Mechanism::kRelease) return usual.noise_stddev;
  return paper_options(usual.regularisation, 1).noise_stddev;
}

void set_usual_learning(const TransformSpec& embedding, SessionOptions& options) {
  options.regularisation = usual_regularisation(embedding, options.regularisation);
  const bool squares = embedding.family == "blocks" && recipe_is_for_squares(embedding.recipe);
  if (squares && options.protection == Protection::kRemoved) options.loss = Loss::squared();
}

std::size_t usual_releases(Protection protection) {
  return protection == Protection::kEveryone ? 1 : SessionOptions{}.releases;
}

// Models of one training share their noise, so the objective mechanism covers one of them (docs/theory.md,
// "Objective").
std::size_t covered_releases(const SessionOptions& options) {
  return options.mechanism == Mechanism::kRelease ? options.releases : 1;
}

double ridge_of(const SessionOptions& options, std::size_t graphs) {
  return options.ridge ? *options.ridge : options.regularisation * static_cast<double>(graphs);
}

namespace {

// What the proof of docs/theory.md, "Protecting everyone", needs.
Status check_everyone(const SessionOptions& options) {
  UNSCATTER_CHECK_OK(require(options.mechanism == Mechanism::kRelease,
                             "protection of everyone needs the release mechanism: fresh noise on every model"));
  UNSCATTER_CHECK_OK(require(options.ridge.has_value(),
                             "protection of everyone needs a ridge that is a public constant; lambda times the number "
                             "of graphs would tell that number"));
  UNSCATTER_CHECK_OK(require(std::isfinite(options.loss.slope_bound()),
                             fmt::format("protection of everyone needs a loss of bounded slope; that of '{}' is not",
                                         options.loss.describe())));
  UNSCATTER_CHECK_OK(
      require(options.removal == NodeRemoval::kCompact,
              "protection of everyone needs compact removal: a tombstone tells that somebody was there"));
  return ok_status();
}

}  // namespace

Status check_options(const SessionOptions& options) {
  UNSCATTER_CHECK_OK(check_guarantee(options.guarantee));
  // Comparisons are written so that a number that is not a number fails them.
  const double lambda = options.regularisation;
  UNSCATTER_CHECK_OK(
      require(lambda > 0 && std::isfinite(lambda),
              fmt::format("lambda = {}: a certificate needs lambda > 0, since it rests on strong convexity; "
                          "train() works without, and promises nothing",
                          lambda)));
  UNSCATTER_CHECK_OK(
      require(!options.ridge || (*options.ridge > 0 && std::isfinite(*options.ridge)), "the ridge is not positive"));
  UNSCATTER_CHECK_OK(require(options.noise_stddev > 0 && std::isfinite(options.noise_stddev),
                             fmt::format("the noise's standard deviation {} is not positive", options.noise_stddev)));
  UNSCATTER_CHECK_OK(require(options.releases >= 1, "the guarantee must cover at least one release"));
  UNSCATTER_CHECK_OK(
      require(!options.distance_limit || (*options.distance_limit > 0 && std::isfinite(*options.distance_limit)),
              fmt::format("the distance limit {} is not positive and finite", options.distance_limit.value_or(0))));
  UNSCATTER_CHECK_OK(require(!options.row_norm || (*options.row_norm > 0 && std::isfinite(*options.row_norm)),
                             "the bound on embedding norms is not positive"));
  // It adds to a residual that was evaluated before.  Alone it bounds nothing.
  UNSCATTER_CHECK_OK(require(options.bound != ResidualBound::kDrift, "the drift bound belongs to the fast rung"));
  // The rule reads a residual against noise in the objective.  Under the release mechanism there is none.
  UNSCATTER_CHECK_OK(require(options.rule == BudgetRule::kJoint || options.mechanism == Mechanism::kObjective,
                             "the paper's budget rule belongs to the objective mechanism"));
  if (options.embedding_guarantee) {
    const auto& [epsilon, delta] = *options.embedding_guarantee;
    const bool holds = epsilon >= 0 && std::isfinite(epsilon) && delta >= 0 && options.guarantee.delta + delta < 1;
    UNSCATTER_CHECK_OK(require(holds, fmt::format("the guarantee ({}, {}) of the embedding is none: epsilon is at "
                                                  "least 0, and both deltas together are below 1",
                                                  epsilon, delta)));
  }
  for (const EarlierCount& count : options.earlier) {
    const bool holds = std::isfinite(count.shift) && count.shift >= 0 && std::isfinite(count.grid_delta) &&
                       count.grid_delta >= 0 && count.published <= count.releases;
    UNSCATTER_CHECK_OK(require(holds, "an earlier count of published models makes no sense"));
  }
  if (options.protection == Protection::kEveryone) return check_everyone(options);
  return require(options.per_subject == 0, "a number of graphs per subject belongs to protection of everyone");
}

}  // namespace unscatter
