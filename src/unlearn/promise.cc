#include "unscatter/unlearn/promise.h"

#include <array>
#include <utility>

#include "unlearn/name_table.h"

namespace unscatter {
namespace {

constexpr std::array kMechanisms = {std::pair{Mechanism::kRelease, std::string_view("release")},
                                    std::pair{Mechanism::kObjective, std::string_view("objective")}};
constexpr std::array kRules = {std::pair{BudgetRule::kJoint, std::string_view("joint")},
                               std::pair{BudgetRule::kPaper, std::string_view("paper")}};

}  // namespace

std::string_view name(Mechanism mechanism) { return name_in(kMechanisms, mechanism); }
std::string_view name(BudgetRule rule) { return name_in(kRules, rule); }

Result<Mechanism> parse_mechanism(std::string_view text) { return find_in<Mechanism>(kMechanisms, text, "mechanism"); }
Result<BudgetRule> parse_budget_rule(std::string_view text) { return find_in<BudgetRule>(kRules, text, "budget rule"); }

}  // namespace unscatter
