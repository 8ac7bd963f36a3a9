// What is promised, and to whom.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unscatter/base/result.h"
#include "unscatter/embedding/feature_map.h"
#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {

// How noise protects what a residual could give away (docs/theory.md, "Two mechanisms").
enum class Mechanism {
  kRelease,    // the state is the noiseless near-optimum; every published model gets fresh noise
  kObjective,  // noise in the training objective, once, as in the paper
};

// How the residuals of K classes meet the budget.
enum class BudgetRule {
  kJoint,  // sqrt(sum_k |u_k|^2) against the analytic Gaussian profile: all vectors are published together
  kPaper,  // sum_k |u_k| against K times the classical budget, as the paper's program does; not sound for K > 1
};

// Whom published models protect (docs/theory.md, "Two levels").
enum class Protection {
  kRemoved,   // removed data: published models are close to those of retraining at every step, with the same requests
  kEveryone,  // every subject, removed or not: published models are differentially private
};

[[nodiscard]] std::string_view name(Mechanism mechanism);
[[nodiscard]] std::string_view name(BudgetRule rule);
[[nodiscard]] std::string_view name(Protection protection);
// The inverse, by those names.  Errors: kInvalidArgument.
[[nodiscard]] Result<Mechanism> parse_mechanism(std::string_view text);
[[nodiscard]] Result<BudgetRule> parse_budget_rule(std::string_view text);
[[nodiscard]] Result<Protection> parse_protection(std::string_view text);

// A count of published models that ended before the present one began: Workspace::renew() began another, or the model
// was trained again.  It is charged in full, whether or not all of its models were published, because its size was
// fixed in advance and the moment of its end was not (docs/theory.md, "Several counts").
struct EarlierCount {
  Mechanism mechanism = Mechanism::kRelease;
  Protection protection = Protection::kRemoved;
  RemovalGuarantee guarantee{0, 0};  // of that count alone
  double shift = 0;                  // release: mu of all its models together, at most
  double grid_delta = 0;             // release: what publishing them on a grid costs of delta, at most
  std::size_t releases = 0;          // that it is charged for
  std::size_t published = 0;         // of them
  bool trained_again = false;        // after it: the present model is from another training
  friend bool operator==(const EarlierCount& one, const EarlierCount& other);
};

// Follows from a session's options and from the number of its weights.  Holds as long as the session does.  No number
// here was computed from data, so all of it may be shown.
struct Promise {
  Mechanism mechanism = Mechanism::kRelease;
  BudgetRule rule = BudgetRule::kJoint;
  RemovalGuarantee guarantee{0, 0};  // what was asked for
  double noise_stddev = 0;           // of published weights (release) or in the objective
  double delta_for_shift = 0;        // delta less what publishing on a grid costs
  double shift_limit = 0;            // what mu of a published model may be; paper rule: sum of residuals over the noise
  std::size_t releases = 0;          // published models that the guarantee covers together
  std::vector<std::string> assumptions;   // what the guarantee rests on, in sentences
  std::vector<ConstantOrigin> constants;  // what is compared with has the same ones, fitted in the same way
  Protection protection = Protection::kRemoved;
  // Level everyone: how many graphs one subject may touch; 0: a subject is one whole graph.
  std::size_t per_subject = 0;
  double sensitivity = 0;  // level everyone: how far one subject may move the optimum; 0 for removed
  std::vector<EarlierCount> earlier = {};
  // What holds for the models of all counts, the present one included.  Nothing where there is no earlier count, and
  // where no joint number can be given: noise in the objective, or two levels of protection.
  std::optional<RemovalGuarantee> together = {};
  // Rows that were made outside by a function which learned from private data itself: the differential privacy of its
  // training, for one subject, as the user states it.  Then what holds for one removed subject (level everyone: for one
  // subject) counts both; see guarantee_with_embedding().
  std::optional<RemovalGuarantee> embedding = {};
  std::optional<RemovalGuarantee> with_embedding = {};
};

// The count of `promise`, ended after so many models.
[[nodiscard]] EarlierCount ended(const Promise& promise, std::size_t published);
// Models of these counts.
[[nodiscard]] std::size_t published_in(std::span<const EarlierCount> counts);
// What Promise::together has to be, by the composition of Gaussian shifts: mu^2 adds up, and so do the deltas
// (docs/theory.md, "Several counts").  Errs high.
[[nodiscard]] std::optional<RemovalGuarantee> guarantee_together(const Promise& promise);
// What Promise::with_embedding has to be: the sum of `embedding` and of the promise about models, which is `together`
// where there are earlier counts (docs/theory.md, "Rows that were made outside").  Nothing where there is no
// `embedding`, or no joint number for the models.  Errs high.
[[nodiscard]] std::optional<RemovalGuarantee> guarantee_with_embedding(const Promise& promise);

}  // namespace unscatter
