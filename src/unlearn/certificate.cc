#include "unscatter/unlearn/certificate.h"

#include <array>
#include <utility>

#include "unlearn/name_table.h"
#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {
namespace {

constexpr std::array kBounds = {std::pair{ResidualBound::kWorst, std::string_view("worst")},
                                std::pair{ResidualBound::kData, std::string_view("data")},
                                std::pair{ResidualBound::kTight, std::string_view("tight")},
                                std::pair{ResidualBound::kExact, std::string_view("exact")},
                                std::pair{ResidualBound::kDrift, std::string_view("drift")}};
constexpr std::array kRungs = {
    std::pair{Rung::kFast, std::string_view("fast")}, std::pair{Rung::kExact, std::string_view("exact")},
    std::pair{Rung::kNewton, std::string_view("newton")}, std::pair{Rung::kRetrain, std::string_view("retrain")}};

}  // namespace

std::string_view name(ResidualBound bound) { return name_in(kBounds, bound); }
std::string_view name(Rung rung) { return name_in(kRungs, rung); }

Result<ResidualBound> parse_residual_bound(std::string_view text) {
  return find_in<ResidualBound>(kBounds, text, "residual bound");
}
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
  return smallest_epsilon_upper_bound(certificate.shift_upper_bound, certificate.promise.delta_for_shift);
}

}  // namespace unscatter
