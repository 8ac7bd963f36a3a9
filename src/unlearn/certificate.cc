#include "unscatter/unlearn/certificate.h"

#include <array>
#include <numeric>
#include <utility>

#include "unlearn/name_table.h"
#include "unscatter/privacy/gaussian_profile.h"

namespace unscatter {
namespace {

// The names stand in ledgers and receipts, here and below.  A name that was used once never means anything else.
constexpr std::array kBounds = {std::pair{ResidualBound::kWorst, std::string_view("worst")},
                                std::pair{ResidualBound::kData, std::string_view("data")},
                                std::pair{ResidualBound::kTight, std::string_view("tight")},
                                std::pair{ResidualBound::kExact, std::string_view("exact")},
                                std::pair{ResidualBound::kDrift, std::string_view("drift")}};
// RungCounts finds a rung's place by its value.
constexpr bool rungs_stand_at_their_places() {
  for (std::size_t i = 0; i < kRungs.size(); ++i) {
    if (kRungs.at(i).first != static_cast<Rung>(i)) return false;
  }
  return true;
}
static_assert(rungs_stand_at_their_places());

}  // namespace

std::string_view name(ResidualBound bound) { return name_in(kBounds, bound); }
std::string_view name(Rung rung) { return name_in(kRungs, rung); }

Result<ResidualBound> parse_residual_bound(std::string_view text) {
  return find_in<ResidualBound>(kBounds, text, "residual bound");
}
Result<Rung> parse_rung(std::string_view text) { return find_in<Rung>(kRungs, text, "rung"); }

std::size_t RungCounts::total() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

Result<double> epsilon_upper_bound(const Certificate& certificate) {
  // Not the delta that was asked for: a part of it is spent on publishing on a grid.
  return smallest_epsilon_upper_bound(certificate.shift_upper_bound, certificate.promise.delta_for_shift);
}

}  // namespace unscatter
