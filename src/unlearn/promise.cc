#include "unscatter/unlearn/promise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/rounding.h"
#include "unlearn/name_table.h"

namespace unscatter {
namespace {

// The names stand in files and under signatures.
constexpr std::array kMechanisms = {std::pair{Mechanism::kRelease, std::string_view("release")},
                                    std::pair{Mechanism::kObjective, std::string_view("objective")}};
constexpr std::array kRules = {std::pair{BudgetRule::kJoint, std::string_view("joint")},
                               std::pair{BudgetRule::kPaper, std::string_view("paper")}};
constexpr std::array kProtections = {std::pair{Protection::kRemoved, std::string_view("removed")},
                                     std::pair{Protection::kEveryone, std::string_view("everyone")}};

}  // namespace

std::string_view name(Mechanism mechanism) { return name_in(kMechanisms, mechanism); }
std::string_view name(BudgetRule rule) { return name_in(kRules, rule); }
std::string_view name(Protection protection) { return name_in(kProtections, protection); }

Result<Mechanism> parse_mechanism(std::string_view text) { return find_in<Mechanism>(kMechanisms, text, "mechanism"); }
Result<BudgetRule> parse_budget_rule(std::string_view text) { return find_in<BudgetRule>(kRules, text, "budget rule"); }
Result<Protection> parse_protection(std::string_view text) {
  return find_in<Protection>(kProtections, text, "level of protection");
}

bool operator==(const EarlierCount& one, const EarlierCount& other) {
  return one.mechanism == other.mechanism && one.protection == other.protection &&
         one.guarantee.epsilon == other.guarantee.epsilon && one.guarantee.delta == other.guarantee.delta &&
         one.shift == other.shift && one.grid_delta == other.grid_delta && one.releases == other.releases &&
         one.published == other.published && one.trained_again == other.trained_again;
}

EarlierCount ended(const Promise& promise, std::size_t published) {
  EarlierCount count;
  count.mechanism = promise.mechanism;
  count.protection = promise.protection;
  count.guarantee = promise.guarantee;
  count.published = published;
  // More than the count covers: an older copy was brought up to date whose successor had begun another count.
  count.releases = std::max(promise.releases, published);
  if (promise.mechanism != Mechanism::kRelease) return count;
  const double round_up = 1 + rounding_factor(8);
  count.shift = promise.shift_limit * std::sqrt(static_cast<double>(count.releases)) * round_up;
  const double times = static_cast<double>(count.releases) / static_cast<double>(promise.releases);
  count.grid_delta = (promise.guarantee.delta - promise.delta_for_shift) * times * round_up;
  return count;
}

std::size_t published_in(std::span<const EarlierCount> counts) {
  std::size_t published = 0;
  for (const EarlierCount& count : counts) published += count.published;
  return published;
}

// (11) of docs/theory.md for all counts: delta(epsilon; mu) with mu^2 the sum of theirs, and what the grid costs at
// this epsilon.
std::optional<RemovalGuarantee> guarantee_together(const Promise& promise) {
  if (promise.earlier.empty() || promise.mechanism != Mechanism::kRelease || promise.rule != BudgetRule::kJoint) {
    return std::nullopt;
  }
  std::vector<EarlierCount> counts = promise.earlier;
  counts.push_back(ended(promise, 0));
  double squared_shift = 0;
  double delta = 0;
  for (const EarlierCount& count : counts) {
    if (count.mechanism != Mechanism::kRelease || count.protection != promise.protection) return std::nullopt;
    squared_shift += count.shift * count.shift;
    delta += count.guarantee.delta;
  }
  const double round_up = 1 + rounding_factor(static_cast<double>(counts.size()) + 8);
  const double shift = std::sqrt(squared_shift) * round_up;
  // The second term of (11) grows with epsilon by 1 + e^epsilon.
  const auto grid_at = [&](double epsilon) {
    double cost = 0;
    for (const EarlierCount& count : counts) {
      cost += count.grid_delta * (1 + std::exp(epsilon)) / (1 + std::exp(count.guarantee.epsilon));
    }
    return cost * round_up;
  };
  double epsilon = promise.guarantee.epsilon;
  // Every round gives an epsilon that is no smaller, and the last one is checked.  The grid costs next to nothing, so
  // one or two rounds are enough; where it takes all of delta there is no number to give.
  for (int round = 0; round < 60; ++round) {
    const double left = delta - grid_at(epsilon);
    if (!(left > 0) || !(delta < 1)) return std::nullopt;
    const Result<double> found = smallest_epsilon_upper_bound(shift, left);
    if (!found.ok() || !std::isfinite(*found)) return std::nullopt;
    if (*found <= epsilon) return RemovalGuarantee{epsilon, delta};
    epsilon = *found * (1 + 1e-9);
  }
  return std::nullopt;
}

std::optional<RemovalGuarantee> guarantee_with_embedding(const Promise& promise) {
  if (!promise.embedding) return std::nullopt;
  if (!promise.earlier.empty() && !promise.together) return std::nullopt;
  const RemovalGuarantee& models = promise.together ? *promise.together : promise.guarantee;
  constexpr double kMost = std::numeric_limits<double>::infinity();
  // Sums, rounded up.  A sum with 0 is exact.
  const auto sum = [](double one, double other) { return other == 0 ? one : std::nextafter(one + other, kMost); };
  const RemovalGuarantee both{sum(models.epsilon, promise.embedding->epsilon),
                              sum(models.delta, promise.embedding->delta)};
  // A delta of 1 allows everything.
  return both.delta < 1 ? std::optional(both) : std::nullopt;
}

}  // namespace unscatter
