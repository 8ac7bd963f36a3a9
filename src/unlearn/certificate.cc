#include "unscatter/unlearn/certificate.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace unscatter {
namespace {

constexpr std::array kMechanisms = {std::pair{Mechanism::kRelease, std::string_view("release")},
                                    std::pair{Mechanism::kObjective, std::string_view("objective")}};
constexpr std::array kBounds = {std::pair{ResidualBound::kWorst, std::string_view("worst")},
                                std::pair{ResidualBound::kData, std::string_view("data")},
                                std::pair{ResidualBound::kTight, std::string_view("tight")},
                                std::pair{ResidualBound::kExact, std::string_view("exact")},
                                std::pair{ResidualBound::kDrift, std::string_view("drift")}};
constexpr std::array kRules = {std::pair{BudgetRule::kJoint, std::string_view("joint")},
                               std::pair{BudgetRule::kPaper, std::string_view("paper")}};
constexpr std::array kRungs = {
    std::pair{Rung::kFast, std::string_view("fast")}, std::pair{Rung::kExact, std::string_view("exact")},
    std::pair{Rung::kNewton, std::string_view("newton")}, std::pair{Rung::kRetrain, std::string_view("retrain")}};

template <typename Table, typename Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [candidate, text] : table) {
    if (candidate == value) return text;
  }
  return "?";
}

template <typename Value, typename Table>
Result<Value> find_in(const Table& table, std::string_view text, std::string_view what) {
  std::string choices;
  for (const auto& [candidate, spelled] : table) {
    if (spelled == text) return candidate;
    choices += fmt::format("{}{}", choices.empty() ? "" : ", ", spelled);
  }
  return Error{ErrorCode::kInvalidArgument, fmt::format("unknown {} '{}'; choose from {}", what, text, choices)};
}

}  // namespace

std::string_view name(Mechanism mechanism) { return name_in(kMechanisms, mechanism); }
std::string_view name(ResidualBound bound) { return name_in(kBounds, bound); }
std::string_view name(BudgetRule rule) { return name_in(kRules, rule); }
std::string_view name(Rung rung) { return name_in(kRungs, rung); }

Result<Mechanism> parse_mechanism(std::string_view text) { return find_in<Mechanism>(kMechanisms, text, "mechanism"); }
Result<ResidualBound> parse_residual_bound(std::string_view text) {
  return find_in<ResidualBound>(kBounds, text, "residual bound");
}
Result<BudgetRule> parse_budget_rule(std::string_view text) { return find_in<BudgetRule>(kRules, text, "budget rule"); }
Result<Rung> parse_rung(std::string_view text) { return find_in<Rung>(kRungs, text, "rung"); }

void RungCounts::count(Rung rung) {
  switch (rung) {
    case Rung::kFast: ++fast; break;
    case Rung::kExact: ++exact; break;
    case Rung::kNewton: ++newton; break;
    case Rung::kRetrain: ++retrain; break;
  }
}

Result<double> epsilon_upper_bound(const Certificate& certificate) {
  return smallest_epsilon_upper_bound(certificate.shift_upper_bound, certificate.delta_for_shift);
}

}  // namespace unscatter
