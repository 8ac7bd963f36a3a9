#include "unscatter/unlearn/promise.h"

#include <array>
#include <utility>

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

}  // namespace unscatter
