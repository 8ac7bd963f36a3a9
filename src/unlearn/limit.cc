#include "unlearn/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "linalg/rounding.h"
#include "privacy/classical_rule.h"
#include "unlearn/contribution.h"
#include "unscatter/base/invariant.h"

namespace unscatter {

namespace {

// "labels, classes"
std::string fitted_once(const std::vector<ConstantOrigin>& constants) {
  std::string names;
  for (const ConstantOrigin& origin : constants) {
    if (origin.kind == ConstantKind::kFittedOnce) names += (names.empty() ? "" : ", ") + origin.name;
  }
  return names;
}

// Kept weights may be this share of the sensitivity away from the optimum.  A millionth costs two millionths of noise,
// and one Newton step more than without it at most.
constexpr double kSpareShare = 0x1p-20;

// Whom the guarantee covers, and against what.  docs/theory.md, "Two levels".
void add_scope(const SessionOptions& options, std::vector<std::string>& list) {
  if (options.protection == Protection::kEveryone) {
    list.emplace_back(
        fmt::format("{} published models together are differentially private for every subject, whatever requests "
                    "react to them",
                    options.releases));
    list.emplace_back(options.per_subject == 0
                          ? std::string("a subject is one graph, which is there as a whole or not at all; a part of a "
                                        "graph may cost twice the shift")
                          : fmt::format("a subject touches at most {} graphs; memberships beyond were dropped before "
                                        "training",
                                        options.per_subject));
    list.emplace_back("features, classes, graph names and options are public constants that look at no private data");
    return;
  }
  list.emplace_back(
      fmt::format("the guarantee covers {} published models together: they are close to those of retraining at every "
                  "step with the same requests",
                  options.releases));
  list.emplace_back(
      "a model hides removed data only if no request was chosen by looking at a model that had learned from it");
  list.emplace_back("models published before a removal know what was removed; together with later ones they show it");
}

bool has_outside(const SessionOptions& options) {
  return std::any_of(options.constants.begin(), options.constants.end(),
                     [](const ConstantOrigin& origin) { return origin.kind == ConstantKind::kOutside; });
}

// docs/theory.md, "Rows that were made outside".
void add_outside(const SessionOptions& options, std::vector<std::string>& list) {
  if (!has_outside(options)) return;
  if (!options.embedding_guarantee) {
    list.emplace_back(
        "rows were made outside: the promise holds only if a row depends on its own data alone, and if the function "
        "that made it learned from no private data");
    return;
  }
  list.emplace_back(
      fmt::format("rows were made outside: the promise holds only if a row depends on its own data and on the function "
                  "that made it, and if that function was trained once, with ({}, {}) differential privacy for one "
                  "subject",
                  options.embedding_guarantee->epsilon, options.embedding_guarantee->delta));
}

// Both promises together.  One subject at a time: the function was trained on everybody.
std::string embedding_words(const Promise& promise) {
  if (!promise.with_embedding) return "no joint number is promised for the models and for the function that made rows";
  return fmt::format(
      "function and models together: ({:.4g}, {:.4g}) for one {} subject at a time, compared with data "
      "that never had it; for several subjects at once it is more",
      promise.with_embedding->epsilon, promise.with_embedding->delta,
      promise.protection == Protection::kRemoved ? "removed" : "single");
}

// The sentences are part of certificates and receipts.  "Assumptions" in docs/certificates.md says what to do about
// each.
std::vector<std::string> assumptions(const SessionOptions& options) {
  std::vector<std::string> list;
  if (options.mechanism == Mechanism::kRelease) {
    list.emplace_back("only published models leave the session; its kept weights and its memory stay private");
    add_scope(options, list);
  } else {
    list.emplace_back("assumes requests and residual independent of the noise");
    list.emplace_back(
        "one published model is looked at: those of one training share their noise, so their differences have none");
  }
  if (options.rule == BudgetRule::kPaper) {
    list.emplace_back(
        "the paper's budget treats each class on its own; published together, the classes can give away more");
  }
  if (options.row_norm && options.bound != ResidualBound::kExact && options.protection == Protection::kRemoved) {
    list.emplace_back(
        fmt::format("assumes embeddings of norm at most {:.4g}, which was given and not measured", *options.row_norm));
  }
  if (options.removal == NodeRemoval::kTombstone) {
    list.emplace_back("a removed node leaves a tombstone: that there was a node is still known");
  }
  if (const std::string names = fitted_once(options.constants); !names.empty()) {
    list.emplace_back(
        fmt::format("constants were fitted once, on data that may be removed later ({}): they may give it "
                    "away, and nothing is promised about them",
                    names));
  }
  add_outside(options, list);
  list.emplace_back("compared with retraining on what is left, public constants (feature widths, scales) unchanged");
  return list;
}

// What the models of earlier counts mean for the promise.  docs/theory.md, "Several counts".
std::string earlier_words(const Promise& promise) {
  std::string words = fmt::format("{} models were published before this count of {} began; they are not undone: ",
                                  published_in(promise.earlier), promise.releases);
  if (promise.together) {
    words += fmt::format("the promise for all {} counts together is ({:.4g}, {:.4g})", promise.earlier.size() + 1,
                         promise.together->epsilon, promise.together->delta);
  } else {
    words += "earlier counts are of another kind, and no joint number is promised";
  }
  return words;
}

// Weights near zero would ask for the impossible.  A hundredth is small beside any weights that decide something.  This
// is about accuracy and has no part in the promise.
double largest_distance(const SessionOptions& options, double weight_norm) {
  if (!options.distance_limit) return std::numeric_limits<double>::infinity();
  return *options.distance_limit * std::max(weight_norm, 1e-2);
}

}  // namespace

// Where constants follow the data, a removal can make the model smaller.  The grid is then charged for more weights
// than there are, so that the limit stays what it was: models published before and after share one guarantee, and the
// limit does not tell how many classes or labels there once were.  2^20 weights cost 1.3e-14 of delta per release.
std::size_t charged_weights(const SessionOptions& options, std::size_t weights) {
  const bool follows =
      std::any_of(options.constants.begin(), options.constants.end(),
                  [](const ConstantOrigin& origin) { return origin.kind == ConstantKind::kPrivateFit; });
  return follows ? std::bit_ceil(std::max(weights, std::size_t{1} << 20)) : weights;
}

double joint_norm(const Vector& residuals) {
  // stableNorm() can lose a NaN: it scales by the largest coefficient, and NaN is not the largest.  A lost NaN would be
  // certified.
  if (!residuals.allFinite()) return std::numeric_limits<double>::infinity();
  return residuals.stableNorm() * (1 + rounding_factor(static_cast<double>(residuals.size()) + 8));
}

namespace {

// What the grid costs is set aside for every release that the guarantee covers: the second term of (11) in
// docs/theory.md.  Rounded up here, so that the delta that is left errs low.
Result<RemovalGuarantee> without_grid(const SessionOptions& options, const GridNoise& grid, std::size_t weights) {
  RemovalGuarantee guarantee = options.guarantee;
  UNSCATTER_TRY(surcharge, grid.delta_surcharge_upper_bound(weights, guarantee.epsilon));
  guarantee.delta -= surcharge * static_cast<double>(options.releases) * (1 + rounding_factor(8));
  guarantee.delta = std::nextafter(guarantee.delta, 0.0);
  if (!(guarantee.delta > 0)) {
    return Error{ErrorCode::kLimitExceeded,
                 "delta is too small for so many weights and releases: nothing is left after what "
                 "publishing on a grid costs"};
  }
  return guarantee;
}

// Theorem 5: R releases that are each shifted by c are together shifted by c sqrt(R).  Fixed in advance, so that the
// test against it tells nothing about the noise.
Result<double> shift_of_one_release(const RemovalGuarantee& guarantee, std::size_t releases) {
  UNSCATTER_TRY(total_shift, largest_shift_lower_bound(guarantee));
  return total_shift / std::sqrt(static_cast<double>(releases)) * (1 - 4 * kUnitRoundoff);
}

// The smallest sigma with (sensitivity + 2 S + grid) / sigma <= c for all S that assess() accepts: (18) of
// docs/theory.md.  It follows from options and sizes alone, so it may be shown.
Result<double> noise_for_everyone(const SessionOptions& options, std::size_t weights, double sensitivity) {
  // sigma / g is at least 2^32, and equal to it for sigma = 1.  So no other sigma pays more for its grid.
  UNSCATTER_TRY(unit, GridNoise::create(1));
  UNSCATTER_TRY(guarantee, without_grid(options, unit, weights));
  UNSCATTER_TRY(shift, shift_of_one_release(guarantee, options.releases));
  const double hidden = shift - unit.shift_surcharge_upper_bound(weights);
  if (!(hidden > 0)) {
    return Error{ErrorCode::kLimitExceeded,
                 "epsilon and delta are too small for so many weights and releases: the grid alone is too much"};
  }
  // A billionth of room for the roundings here and for those of largest_shift_lower_bound().
  const double sigma = sensitivity * (1 + 2 * kSpareShare) / hidden * (1 + 1e-9);
  if (!std::isfinite(sigma)) return Error{ErrorCode::kInvalidArgument, "the ridge is too small"};
  return sigma;
}

}  // namespace

Result<Limit> Limit::create(const SessionOptions& options, std::size_t weights, std::size_t classes) {
  UNSCATTER_CHECK_OK(check_options(options));
  if (options.embedding_guarantee && !has_outside(options)) {
    return Error{ErrorCode::kInvalidArgument,
                 "a guarantee of the embedding belongs to rows that were made outside; the embeddings of this program "
                 "learn from nobody"};
  }
  Limit limit;
  limit.options_ = options;
  limit.weights_ = weights = charged_weights(options, weights);
  double sensitivity = 0;
  if (options.protection == Protection::kEveryone) {
    limit.weights_ = weights / classes * published_vectors(options, classes);
    sensitivity = sensitivity_upper_bound(options, classes);
    UNSCATTER_TRY(sigma, noise_for_everyone(options, limit.weights_, sensitivity));
    limit.options_.noise_stddev = sigma;
  }
  const double noise_stddev = limit.options_.noise_stddev;
  RemovalGuarantee guarantee = options.guarantee;
  if (options.mechanism == Mechanism::kRelease) {
    UNSCATTER_TRY(grid, GridNoise::create(noise_stddev));
    UNSCATTER_TRY(left, without_grid(options, grid, limit.weights_));
    guarantee = left;
    limit.grid_ = grid;
  }
  const std::size_t releases = covered_releases(options);
  UNSCATTER_TRY(shift, shift_of_one_release(guarantee, releases));
  limit.shift_limit_ = shift;
  double compared = limit.shift_limit_;
  if (options.rule == BudgetRule::kPaper) {
    // The sum over classes against K budgets, as the paper's program compares.  It is not sound for K > 1
    // (docs/theory.md, "Classes together, and the paper's rule").
    UNSCATTER_TRY(budget, classical_budget_lower_bound(options.guarantee, noise_stddev));
    limit.classical_budget_ = budget * static_cast<double>(classes) * (1 - 2 * kUnitRoundoff);
    compared = limit.classical_budget_ / noise_stddev;
  }
  limit.promise_ = {
      options.mechanism, options.rule,         options.guarantee, noise_stddev,       guarantee.delta,     compared,
      releases,          assumptions(options), options.constants, options.protection, options.per_subject, sensitivity,
      options.earlier};
  limit.promise_.together = guarantee_together(limit.promise_);
  limit.promise_.embedding = options.embedding_guarantee;
  limit.promise_.with_embedding = guarantee_with_embedding(limit.promise_);
  if (!options.earlier.empty()) limit.promise_.assumptions.push_back(earlier_words(limit.promise_));
  if (options.embedding_guarantee) limit.promise_.assumptions.push_back(embedding_words(limit.promise_));
  // Noise that is derived must suffice.  Everything here is arithmetic of options, so this cannot depend on data.
  invariant(options.protection == Protection::kRemoved || limit.shift_of(limit.spare_distance()) <= limit.shift_limit_,
            "the derived noise hides a subject");
  return limit;
}

double Limit::spare_distance() const { return promise_.sensitivity * kSpareShare; }

double Limit::shift_of(double distance) const {
  // Level removed, (10) and (11): the kept weights are S from the retrained ones.  Level everyone, (17): one subject
  // moves the optimum by at most the sensitivity, and both sessions are within S of their optimum.
  // mu = (S + sqrt(d K) g) / sigma: rounding to the grid may move the two models apart.
  const double apart = options_.protection == Protection::kEveryone
                           ? (promise_.sensitivity + 2 * distance) * (1 + 2 * kUnitRoundoff)
                           : distance;
  return grid_->shift_upper_bound(apart, weights_).value();
}

Assessment Limit::assess(const Vector& residuals, double ridge, double weight_norm) const {
  const double round_up = 1 + rounding_factor(static_cast<double>(residuals.size()) + 8);
  Assessment result;
  result.residual = joint_norm(residuals);
  // (10) of docs/theory.md.
  result.distance = result.residual / ridge * round_up;
  // The answer is no, and no number below can turn it into a yes.
  if (!std::isfinite(result.distance)) {
    result.residual = result.distance = result.shift = result.usage = std::numeric_limits<double>::infinity();
    return result;
  }
  if (options_.mechanism == Mechanism::kRelease) {
    result.shift = shift_of(result.distance);
    // Level everyone: the sensitivity takes nearly the whole shift in every state.  What a state can use up is the part
    // that was left for its distance.
    const double share =
        options_.protection == Protection::kEveryone ? result.distance / spare_distance() : result.shift / shift_limit_;
    result.usage = std::max(share, result.distance / largest_distance(options_, weight_norm));
  } else {
    // Proposition 6: the noise is in the objective, so the residual is compared and not the distance.
    result.shift = result.residual / options_.noise_stddev * round_up;
    if (options_.rule == BudgetRule::kPaper) {
      result.usage = residuals.sum() * round_up / classical_budget_;
    } else {
      result.usage = result.shift / shift_limit_;
    }
  }
  result.satisfied = result.usage <= 1 && (options_.rule == BudgetRule::kPaper || result.shift <= shift_limit_);
  return result;
}

double Limit::residual_limit(double ridge, double weight_norm, std::size_t classes) const {
  // assess() rounds up.  A step that aims at the limit itself would miss it by a rounding error.
  constexpr double kBelow = 1 - 1e-6;
  if (options_.mechanism == Mechanism::kRelease) {
    // The grid takes its part of the shift first.
    const double hidden = options_.protection == Protection::kEveryone
                              ? spare_distance()
                              : shift_limit_ * options_.noise_stddev - grid_->shift_surcharge_upper_bound(weights_);
    return std::max(0.0, std::min(hidden, largest_distance(options_, weight_norm))) * ridge * kBelow;
  }
  // K equal residuals r have the sum K r and the joint norm sqrt(K) r.
  if (options_.rule == BudgetRule::kPaper) return classical_budget_ / std::sqrt(static_cast<double>(classes)) * kBelow;
  return shift_limit_ * options_.noise_stddev * kBelow;
}

}  // namespace unscatter
